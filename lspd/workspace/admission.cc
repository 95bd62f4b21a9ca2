// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/admission.h"

#include <utility>

#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

bool MayRead(const session::v1::Grant& grant) {
  return grant.access() == session::v1::ACCESS_READ_ONLY ||
         grant.access() == session::v1::ACCESS_READ_WRITE;
}

}  // namespace

absl::Status AdmittedCall::Report(absl::Status status,
                                  absl::string_view path) const {
  return LogIfTraversal(std::move(status), path, workspace->root().path(),
                        grant.session_public_id());
}

absl::StatusOr<AdmittedCall> Admit(GrantVerifier& verifier,
                                   WorkspaceRegistry& workspaces,
                                   const session::v1::SignedGrant& signed_grant,
                                   rpc::CallContext call) {
  AdmittedCall admitted;
  ASSIGN_OR_RETURN(admitted.grant, verifier.Verify(signed_grant));
  if (!MayRead(admitted.grant)) {
    return rpc::Error(rpc::v1::ERROR_REASON_GRANT_INVALID,
                      "the grant is not valid: it gives no access");
  }
  admitted.call = verifier.WatchRevocation(admitted.grant, std::move(call));
  ASSIGN_OR_RETURN(admitted.workspace,
                   workspaces.Open(admitted.grant, admitted.call));
  return admitted;
}

}  // namespace banyan::lspd
