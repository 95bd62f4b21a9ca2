// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_BINDINGS_BINDINGS_H_
#define SESSIOND_BINDINGS_BINDINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/record.pb.h"
#include "banyan/session/v1/session_service.pb.h"
#include "sessiond/keys/principal_hasher.h"
#include "sessiond/leases/writer_leases.h"
#include "sessiond/projects/project_registry.h"
#include "sessiond/sessions/owned_records.h"
#include "sessiond/sessions/session_event.h"
#include "sessiond/sessions/sessions.h"
#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

// Workspace handles: what a principal may do in which root. Both eras use them;
// a legacy session only remembers which of them is its default.
//
// Answers of every call: STORE_UNREACHABLE; UNAUTHENTICATED for a principal
// without a name. HANDLE_GONE means unknown, expired, released or another
// principal's alike, and a text that is no handle too.
//
// Thread-safe. Calls that change something block until it is durable.
class Bindings {
 public:
  using Owned = OwnedRecords<session::v1::WorkspaceRecord>;
  using Options = Owned::Options;
  using Live = Owned::Live;

  struct Bound {
    Live live;
    bool was_reused = false;
  };

  // Everything passed outlives it; `listener` may be null.
  Bindings(RecordStore& store, const PrincipalHasher& hasher,
           Sessions& sessions, const ProjectRegistry& projects, Options options,
           Clock now, SessionEventListener listener = nullptr)
      : owned_(store, hasher, options, now, listener),
        sessions_(sessions),
        projects_(projects),
        writers_(store, {}, now) {}

  // Mints a handle, or gives the caller's own one back for `reuse`, and makes
  // it the default of the session if one is named.
  //   SESSION_GONE, PROJECT_UNKNOWN, PROJECT_AMBIGUOUS, ROOT_NOT_ALLOWED,
  //   PATH_MALFORMED, SCOPE_MISSING, SESSION_LIMIT
  //   ARGUMENT_INVALID  an unknown mode; an unknown access
  //   WRITER_HELD       read-write where another is the one writer
  absl::StatusOr<Bound> Bind(const session::v1::BindWorkspaceRequest& request);

  // What OpenRoot found. Another canonical root replaces the bound one after
  // the same checks.
  //   HANDLE_GONE, ROOT_REPLACED, ROOT_NOT_ALLOWED, PATH_MALFORMED
  absl::StatusOr<Live> RecordRoot(
      const session::v1::RecordRootRequest& request);

  // Modes are replaced, access is narrowed. Grants that were given out before
  // are good until they end by themselves.
  //   HANDLE_GONE, VERSION_CONFLICT
  //   ARGUMENT_INVALID  an unknown mode; a wider access
  absl::StatusOr<Live> Update(
      const session::v1::UpdateWorkspaceRequest& request);

  absl::StatusOr<Live> Get(const session::v1::Principal& principal,
                           absl::string_view handle);

  // Get that counts as a use.
  absl::StatusOr<Live> Use(const session::v1::Principal& principal,
                           absl::string_view handle);

  // False when it was gone already. It leaves the session's list, if one is
  // named; the one before becomes the default. An empty handle means that
  // session's default.
  //   SESSION_GONE
  absl::StatusOr<bool> Release(const session::v1::Principal& principal,
                               absl::string_view handle,
                               absl::string_view session_id);

  // Those of a session's handles that are live, oldest first.
  absl::StatusOr<std::vector<Live>> OfSession(
      const session::v1::Principal& principal,
      const session::v1::SessionRecord& session);

  // Live ones of one principal, or all.
  absl::StatusOr<std::vector<Live>> List(
      const std::optional<session::v1::Principal>& principal) {
    return owned_.List(principal);
  }

  // The turn of writers on a root that takes one at a time; nothing elsewhere.
  // The record is one of this principal's, with a handle.
  //   WRITER_HELD
  absl::StatusOr<std::optional<session::v1::WriterRecord>> TakeTurn(
      const session::v1::WorkspaceRecord& record);
  // The same without taking it: only when this handle has it.
  absl::StatusOr<std::optional<session::v1::WriterRecord>> TurnOf(
      const session::v1::WorkspaceRecord& record);
  WriterLeases& writers() { return writers_; }

  // See OwnedRecords.
  absl::Status Sweep() { return owned_.Sweep(); }
  absl::Status WriteLastUses(bool all,
                             absl::Duration limit = absl::InfiniteDuration()) {
    return owned_.WriteLastUses(all, limit);
  }
  const LifeLimits& limits() const { return owned_.options().limits; }

 private:
  bool TakesOneWriter(const std::string& root) const;
  absl::StatusOr<Live> Find(const session::v1::Principal& principal,
                            absl::string_view handle, bool is_use);
  absl::StatusOr<std::optional<Live>> FindReusable(
      const session::v1::Principal& principal,
      const session::v1::WorkspaceRecord& wanted);
  absl::StatusOr<Live> Mint(const session::v1::Principal& principal,
                            session::v1::WorkspaceRecord record);
  absl::Status MakeDefault(const session::v1::Principal& principal,
                           absl::string_view session_id, const Live& live);
  absl::Status LeaveSession(const session::v1::Principal& principal,
                            absl::string_view session_id,
                            const std::string& handle);

  Owned owned_;
  Sessions& sessions_;
  const ProjectRegistry& projects_;
  WriterLeases writers_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_BINDINGS_BINDINGS_H_
