// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_BINDINGS_AUTHORIZER_H_
#define SESSIOND_BINDINGS_AUTHORIZER_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/grant.pb.h"
#include "banyan/session/v1/record.pb.h"
#include "banyan/session/v1/session_service.pb.h"
#include "proto/rpc/error_reason.h"
#include "sessiond/bindings/binding_choice.h"
#include "sessiond/bindings/bindings.h"
#include "sessiond/bindings/grant_signer.h"
#include "sessiond/keys/principal_hasher.h"
#include "sessiond/projects/project_registry.h"
#include "sessiond/sessions/sessions.h"

namespace banyan::sessiond {

struct Authorization {
  session::v1::SignedGrant grant;
  Bindings::Live binding;  // Without handle and key for an implicit one.
  std::vector<std::string> clean_paths;
};

// May this principal do this, here, with these paths? Every tool call asks.
// Everything passed outlives it. Thread-safe; writes nothing, but for the moment
// when a record must be hashed anew or a writer's turn begins.
class Authorizer {
 public:
  // Hears of every path that was judged; UNSPECIFIED for an allowed one.
  using PathListener = std::function<void(rpc::ErrorReason)>;

  Authorizer(Sessions& sessions, Bindings& bindings,
             const ProjectRegistry& projects, const PrincipalHasher& hasher,
             GrantSigner& signer, Clock now, PathListener listener = nullptr);

  //   SESSION_GONE, HANDLE_GONE, PROJECT_UNKNOWN, PROJECT_AMBIGUOUS
  //   NOT_BOUND, BINDING_AMBIGUOUS
  //   READ_ONLY, SCOPE_MISSING, ROOT_NOT_ALLOWED
  //   PATH_OUTSIDE_ROOT, PATH_FORBIDDEN (both are logged), PATH_MALFORMED
  //   TOOL_HIDDEN, WRITER_HELD
  absl::StatusOr<Authorization> Authorize(
      const session::v1::AuthorizeRequest& request);

  // Whether a session may be opened on this project; empty is none.
  //   PROJECT_UNKNOWN, PROJECT_AMBIGUOUS, HANDLE_GONE
  absl::Status CheckDefaultProject(const session::v1::Principal& principal,
                                   absl::string_view name) const;

  // For the owner of a handle, with the handle's own access: what the answers
  // to Bind and RecordRoot carry, for OpenRoot.
  absl::StatusOr<session::v1::SignedGrant> GrantFor(
      const session::v1::Principal& principal,
      const session::v1::WorkspaceRecord& record);

  // SCOPE_MISSING without scope `admin`.
  absl::StatusOr<session::v1::SignedGrant> AuthorizeOperator(
      const session::v1::Principal& principal);

 private:
  // A binding and what is needed to judge it.
  struct Found {
    BindingSource source = BindingSource::kNothing;
    Bindings::Live binding;
    std::vector<SessionHandle> session_handles;
    std::string session_public_id;
  };

  absl::StatusOr<Found> FindBinding(
      const session::v1::AuthorizeRequest& request);
  absl::StatusOr<Project> FindNamed(const session::v1::Principal& principal,
                                    absl::string_view name) const;
  absl::StatusOr<std::vector<SessionHandle>> HandlesOf(
      const session::v1::Principal& principal,
      const session::v1::SessionRecord& session);
  absl::StatusOr<std::vector<std::string>> CleanPaths(
      const session::v1::AuthorizeRequest& request, const Found& found) const;
  absl::StatusOr<session::v1::SignedGrant> Sign(
      const session::v1::Principal& principal,
      const session::v1::WorkspaceRecord& record, session::v1::Access access,
      absl::string_view session_public_id,
      const std::optional<session::v1::WriterRecord>& turn);

  Sessions& sessions_;
  Bindings& bindings_;
  const ProjectRegistry& projects_;
  const PrincipalHasher& hasher_;
  GrantSigner& signer_;
  const Clock now_;
  const PathListener listener_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_BINDINGS_AUTHORIZER_H_
