// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool_service.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/grpc_context.h"
#include "proto/rpc/status_convert.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

absl::Status OperatorsOnly() {
  return rpc::Error(rpc::v1::ERROR_REASON_SCOPE_MISSING,
                    "only an operator may see or restart the servers of all "
                    "workspaces");
}

// An operator names any root; everybody else means the root of the grant.
absl::StatusOr<std::string> RootToRestart(const session::v1::Grant& grant,
                                          const std::string& wanted,
                                          WorkspaceRegistry& workspaces,
                                          const rpc::CallContext& call) {
  if (grant.is_operator() && !wanted.empty()) return wanted;
  ASSIGN_OR_RETURN(const std::shared_ptr<Workspace> workspace,
                   workspaces.Open(grant, call));
  const std::string& own = workspace->root().path();
  if (!wanted.empty() && wanted != own && wanted != grant.root()) {
    return OperatorsOnly();
  }
  return own;
}

}  // namespace

PoolService::PoolService(GrantVerifier& verifier, WorkspaceRegistry& workspaces,
                         ServerPool& pool)
    : verifier_(verifier), workspaces_(workspaces), pool_(pool) {}

grpc::Status PoolService::GetPoolStats(
    grpc::ServerContext* /*context*/,
    const lsp::v1::GetPoolStatsRequest* request,
    lsp::v1::GetPoolStatsResponse* response) {
  const absl::StatusOr<session::v1::Grant> grant =
      verifier_.Verify(request->grant());
  if (!grant.ok()) return rpc::ToGrpc(grant.status());
  if (!grant->is_operator()) return rpc::ToGrpc(OperatorsOnly());
  *response = pool_.Stats();
  return grpc::Status::OK;
}

grpc::Status PoolService::RestartServer(
    grpc::ServerContext* context, const lsp::v1::RestartServerRequest* request,
    lsp::v1::RestartServerResponse* response) {
  const absl::StatusOr<session::v1::Grant> grant =
      verifier_.Verify(request->grant());
  if (!grant.ok()) return rpc::ToGrpc(grant.status());
  const absl::StatusOr<std::string> root =
      RootToRestart(*grant, request->workspace_root(), workspaces_,
                    rpc::FromServerContext(*context));
  if (!root.ok()) return rpc::ToGrpc(root.status());
  const int ended = pool_.Restart(*root, request->language());
  if (ended == 0) {
    return rpc::ToGrpc(rpc::Error(
        rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN,
        absl::StrCat("no ", request->language(),
                     " language server runs for this workspace; the next "
                     "question starts one")));
  }
  response->set_ended(ended);
  return grpc::Status::OK;
}

grpc::Status PoolService::GetProgress(
    grpc::ServerContext* context, const lsp::v1::GetProgressRequest* request,
    lsp::v1::GetProgressResponse* response) {
  const absl::StatusOr<session::v1::Grant> grant =
      verifier_.Verify(request->grant());
  if (!grant.ok()) return rpc::ToGrpc(grant.status());
  const auto workspace =
      workspaces_.Open(*grant, rpc::FromServerContext(*context));
  if (!workspace.ok()) return rpc::ToGrpc(workspace.status());
  const lsp::v1::GetPoolStatsResponse all = pool_.Stats();
  for (const lsp::v1::ServerStats& stats : all.servers()) {
    if (stats.workspace_root() != (*workspace)->root().path()) continue;
    const bool is_starting = stats.status() == lsp::v1::SERVER_STATUS_STARTING;
    if (!is_starting && stats.work().empty()) continue;
    lsp::v1::ServerProgress& progress = *response->add_servers();
    progress.set_server(stats.server());
    progress.set_is_starting(is_starting);
    progress.set_work(stats.work());
  }
  return grpc::Status::OK;
}

}  // namespace banyan::lspd
