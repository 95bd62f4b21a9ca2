// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_ADMISSION_H_
#define LSPD_WORKSPACE_ADMISSION_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/grant.pb.h"
#include "lspd/workspace/grant_verifier.h"
#include "lspd/workspace/workspace_registry.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// One call that may work on one root.
struct AdmittedCall {
  session::v1::Grant grant;
  std::shared_ptr<Workspace> workspace;
  rpc::CallContext call;  // Also over when the grant's handle is revoked.

  // Every error of a call with a path goes through here on its way out: an
  // attempt to leave the root is logged, once.
  absl::Status Report(absl::Status status, absl::string_view path) const;
};

// What every service does first: looks at the grant, opens its root. The
// verifier must outlive the call.
//   GRANT_INVALID, DAEMON_UNREACHABLE as GrantVerifier::Verify; the errors of
//   WorkspaceRegistry::Open
absl::StatusOr<AdmittedCall> Admit(GrantVerifier& verifier,
                                   WorkspaceRegistry& workspaces,
                                   const session::v1::SignedGrant& signed_grant,
                                   rpc::CallContext call);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_ADMISSION_H_
