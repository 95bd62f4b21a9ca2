// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDIT_SERVICE_H_
#define LSPD_EDIT_SERVICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/edit_service.grpc.pb.h"
#include "lspd/edits/apply_edit.h"
#include "lspd/queries/question.h"
#include "lspd/workspace/admission.h"
#include "lspd/workspace/grant_verifier.h"
#include "lspd/workspace/workspace_registry.h"

namespace banyan::lspd {

// The door of lspd/edits: grant and root are looked at, before an edit and once
// more right before it is written.
class EditService final : public lsp::v1::EditService::Service {
 public:
  // All of them, and what `tools` refers to, must outlive this.
  EditService(GrantVerifier& verifier, WorkspaceRegistry& workspaces,
              const QueryTools& tools);

  grpc::Status ApplyEdit(grpc::ServerContext* context,
                         const lsp::v1::ApplyEditRequest* request,
                         lsp::v1::ApplyEditResponse* response) override;
  grpc::Status ListCodeActions(
      grpc::ServerContext* context,
      const lsp::v1::ListCodeActionsRequest* request,
      lsp::v1::ListCodeActionsResponse* response) override;
  grpc::Status GetActivity(grpc::ServerContext* context,
                           const lsp::v1::GetActivityRequest* request,
                           lsp::v1::GetActivityResponse* response) override;

 private:
  // What is the same for all of them.
  template <typename Request, typename Response>
  grpc::Status Answer(grpc::ServerContext* context, const Request& request,
                      absl::string_view relative_path,
                      absl::StatusOr<Response> (*edit)(const QueryTools&,
                                                       const Editor&,
                                                       const rpc::CallContext&,
                                                       const Request&),
                      Response* response);

  // The grant was not revoked, and the root is the same and still ours.
  absl::Status StillHolds(const AdmittedCall& admitted) const;

  GrantVerifier& verifier_;
  WorkspaceRegistry& workspaces_;
  const QueryTools tools_;
};

}  // namespace banyan::lspd

#endif  // LSPD_EDIT_SERVICE_H_
