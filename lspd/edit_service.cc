// SPDX-License-Identifier: Apache-2.0
#include "lspd/edit_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lspd/edits/code_actions.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/grpc_context.h"
#include "proto/rpc/status_convert.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// The path that a request is about, for the log of attempts to leave the root.
absl::string_view PathOf(const lsp::v1::ApplyEditRequest& request) {
  if (!request.operations().empty()) {
    return request.operations(0).relative_path();
  }
  if (!request.files().empty()) return request.files(0).relative_path();
  return "";
}

}  // namespace

EditService::EditService(GrantVerifier& verifier, WorkspaceRegistry& workspaces,
                         const QueryTools& tools)
    : verifier_(verifier), workspaces_(workspaces), tools_(tools) {}

absl::Status EditService::StillHolds(const AdmittedCall& admitted) const {
  if (verifier_.IsRevoked(admitted.grant.handle_hash())) {
    return rpc::Error(rpc::v1::ERROR_REASON_HANDLE_GONE,
                      "this workspace was released or ended while the edit was "
                      "made; nothing was changed. Call activate_project.");
  }
  if (admitted.call.IsOver()) {
    return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE,
                      "the time of this call was over before the edit was "
                      "written; nothing was changed. Try again.");
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<Workspace> now,
                   workspaces_.Open(admitted.grant, admitted.call));
  if (now == admitted.workspace) return absl::OkStatus();
  return rpc::Error(rpc::v1::ERROR_REASON_ROOT_REPLACED,
                    "the workspace was given back or replaced while the edit "
                    "was made; nothing was changed. Try again.");
}

template <typename Request, typename Response>
grpc::Status EditService::Answer(
    grpc::ServerContext* context, const Request& request,
    absl::string_view relative_path,
    absl::StatusOr<Response> (*edit)(const QueryTools&, const Editor&,
                                     const rpc::CallContext&, const Request&),
    Response* response) {
  const absl::StatusOr<AdmittedCall> admitted =
      Admit(verifier_, workspaces_, request.grant(),
            rpc::FromServerContext(*context));
  if (!admitted.ok()) return rpc::ToGrpc(admitted.status());
  const session::v1::Grant& grant = admitted->grant;
  const Editor editor{
      .asker = {.workspace = admitted->workspace,
                .trust_domain = grant.trust_domain(),
                .session_public_id = grant.session_public_id()},
      .handle_hash = grant.handle_hash(),
      .may_write = grant.access() == session::v1::ACCESS_READ_WRITE,
      .may_commit = [&] { return StillHolds(*admitted); }};
  absl::StatusOr<Response> answer =
      edit(tools_, editor, admitted->call, request);
  if (!answer.ok()) {
    rpc::Log(
        {.level = rpc::LogLevel::kDebug,
         .event = "edit_refused",
         .message = absl::StrCat("Edit refused: ", answer.status().message()),
         .fields = {{"reason", rpc::ReasonName(rpc::ReasonOf(answer.status()))},
                    {"trace_id", admitted->call.trace.TraceId()}}});
    return rpc::ToGrpc(admitted->Report(answer.status(), relative_path));
  }
  *response = *std::move(answer);
  return grpc::Status::OK;
}

grpc::Status EditService::ApplyEdit(grpc::ServerContext* context,
                                    const lsp::v1::ApplyEditRequest* request,
                                    lsp::v1::ApplyEditResponse* response) {
  return Answer(context, *request, PathOf(*request), &lspd::ApplyEdit,
                response);
}

grpc::Status EditService::ListCodeActions(
    grpc::ServerContext* context,
    const lsp::v1::ListCodeActionsRequest* request,
    lsp::v1::ListCodeActionsResponse* response) {
  return Answer(context, *request, request->relative_path(),
                &lspd::ListCodeActions, response);
}

grpc::Status EditService::GetActivity(
    grpc::ServerContext* context, const lsp::v1::GetActivityRequest* request,
    lsp::v1::GetActivityResponse* response) {
  return Answer(context, *request, "", &lspd::GetActivity, response);
}

}  // namespace banyan::lspd
