// SPDX-License-Identifier: Apache-2.0
#include "lspd/symbol_service.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lspd/queries/find_declaration.h"
#include "lspd/queries/find_implementations.h"
#include "lspd/queries/find_referencing_symbols.h"
#include "lspd/queries/find_symbol.h"
#include "lspd/queries/get_diagnostics.h"
#include "lspd/queries/get_symbol_info.h"
#include "lspd/queries/get_symbols_overview.h"
#include "lspd/workspace/admission.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/grpc_context.h"
#include "proto/rpc/status_convert.h"

namespace banyan::lspd {
namespace {

// What the agent is told is no news to the operator, but for what should not
// happen.
void LogFailure(const absl::Status& status, absl::string_view query,
                const rpc::CallContext& call) {
  const rpc::ErrorReason reason = rpc::ReasonOf(status);
  const bool is_ours = reason == rpc::v1::ERROR_REASON_INTERNAL;
  rpc::Log(
      {.level = is_ours ? rpc::LogLevel::kError : rpc::LogLevel::kDebug,
       .event = "query_failed",
       .message = absl::StrCat("Query failed: ", query, ": ", status.message()),
       .fields = {{"reason", rpc::ReasonName(reason)},
                  {"trace_id", call.trace.TraceId()}}});
}

}  // namespace

SymbolService::SymbolService(GrantVerifier& verifier,
                             WorkspaceRegistry& workspaces,
                             const QueryTools& tools)
    : verifier_(verifier), workspaces_(workspaces), tools_(tools) {}

template <typename Request, typename Response>
grpc::Status SymbolService::Answer(
    grpc::ServerContext* context, const Request& request,
    const std::string& relative_path,
    absl::StatusOr<Response> (*query)(const QueryTools&, const Asker&,
                                      const rpc::CallContext&, const Request&),
    Response* response) {
  absl::StatusOr<AdmittedCall> admitted =
      Admit(verifier_, workspaces_, request.grant(),
            rpc::FromServerContext(*context));
  if (!admitted.ok()) return rpc::ToGrpc(admitted.status());
  const Asker asker{.workspace = admitted->workspace,
                    .trust_domain = admitted->grant.trust_domain(),
                    .session_public_id = admitted->grant.session_public_id(),
                    .handle_hash = admitted->grant.handle_hash()};
  absl::StatusOr<Response> answer =
      query(tools_, asker, admitted->call, request);
  if (!answer.ok()) {
    LogFailure(answer.status(), Response::descriptor()->name(), admitted->call);
    return rpc::ToGrpc(admitted->Report(answer.status(), relative_path));
  }
  *response = *std::move(answer);
  return grpc::Status::OK;
}

grpc::Status SymbolService::GetSymbolsOverview(
    grpc::ServerContext* context,
    const lsp::v1::GetSymbolsOverviewRequest* request,
    lsp::v1::GetSymbolsOverviewResponse* response) {
  return Answer(context, *request, request->relative_path(),
                &lspd::GetSymbolsOverview, response);
}

grpc::Status SymbolService::FindSymbol(
    grpc::ServerContext* context, const lsp::v1::FindSymbolRequest* request,
    lsp::v1::FindSymbolResponse* response) {
  return Answer(context, *request, request->relative_path(), &lspd::FindSymbol,
                response);
}

grpc::Status SymbolService::FindReferencingSymbols(
    grpc::ServerContext* context,
    const lsp::v1::FindReferencingSymbolsRequest* request,
    lsp::v1::FindReferencingSymbolsResponse* response) {
  return Answer(context, *request, request->relative_path(),
                &lspd::FindReferencingSymbols, response);
}

grpc::Status SymbolService::FindDeclaration(
    grpc::ServerContext* context,
    const lsp::v1::FindDeclarationRequest* request,
    lsp::v1::FindDeclarationResponse* response) {
  return Answer(context, *request, request->position().relative_path(),
                &lspd::FindDeclaration, response);
}

grpc::Status SymbolService::FindImplementations(
    grpc::ServerContext* context,
    const lsp::v1::FindImplementationsRequest* request,
    lsp::v1::FindImplementationsResponse* response) {
  return Answer(context, *request, request->relative_path(),
                &lspd::FindImplementations, response);
}

grpc::Status SymbolService::GetSymbolInfo(
    grpc::ServerContext* context, const lsp::v1::GetSymbolInfoRequest* request,
    lsp::v1::GetSymbolInfoResponse* response) {
  return Answer(context, *request, request->position().relative_path(),
                &lspd::GetSymbolInfo, response);
}

grpc::Status SymbolService::GetDiagnostics(
    grpc::ServerContext* context, const lsp::v1::GetDiagnosticsRequest* request,
    lsp::v1::GetDiagnosticsResponse* response) {
  return Answer(context, *request, request->relative_path(),
                &lspd::GetDiagnostics, response);
}

}  // namespace banyan::lspd
