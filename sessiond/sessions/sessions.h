// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_SESSIONS_SESSIONS_H_
#define SESSIOND_SESSIONS_SESSIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/record.pb.h"
#include "banyan/session/v1/session_service.pb.h"
#include "sessiond/keys/principal_hasher.h"
#include "sessiond/sessions/owned_records.h"
#include "sessiond/sessions/session_event.h"
#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

// Protocol sessions of the legacy era.
//
// A session comes into being in two steps, both inside `initialize`: Generate
// reserves an id, Create fills it. A termination in between wins. What is
// terminated never comes back: a full session's record is deleted, a
// placeholder's is marked, so that a Create in flight finds it over.
//
// Answers of every call: STORE_UNREACHABLE; UNAUTHENTICATED for a principal
// without a name; ID_MALFORMED for a text that is no id of ours, before any
// look-up. "Gone" is SESSION_GONE and means unknown, expired, terminated,
// unfinished or another principal's alike.
//
// Thread-safe. Calls that change something block until it is durable.
class Sessions {
 public:
  using Owned = OwnedRecords<session::v1::SessionRecord>;
  using Options = Owned::Options;
  using Live = Owned::Live;
  using Change = absl::FunctionRef<absl::Status(session::v1::SessionRecord&)>;

  // Everything passed outlives it; `listener` may be null.
  Sessions(RecordStore& store, const PrincipalHasher& hasher, Options options,
           Clock now, SessionEventListener listener = nullptr)
      : owned_(store, hasher, options, now, listener) {}

  // The new id. Two attempts.
  //   kResourceExhausted  SESSION_LIMIT
  absl::StatusOr<std::string> Generate(const session::v1::Principal& principal);

  // `fill` runs once, between finding the placeholder and writing the session;
  // its error ends the session and is returned. The same Create again answers
  // the session that is there.
  absl::StatusOr<Live> Create(const session::v1::Principal& principal,
                              absl::string_view id, Change fill);

  absl::StatusOr<Live> Get(const session::v1::Principal& principal,
                           absl::string_view id);

  // Get that counts as a use.
  absl::StatusOr<Live> Use(const session::v1::Principal& principal,
                           absl::string_view id);

  // Use; gone is no error but nothing.
  absl::StatusOr<std::optional<Live>> Validate(
      const session::v1::Principal& principal, absl::string_view id);

  // `change` may run several times. `expected_version` 0 takes any.
  //   kAborted  VERSION_CONFLICT
  absl::StatusOr<Live> Update(const session::v1::Principal& principal,
                              absl::string_view id, int64_t expected_version,
                              Change change);

  // Whether there was something to end. Gone is false.
  absl::StatusOr<bool> Terminate(const session::v1::Principal& principal,
                                 absl::string_view id);

  // For operators. The caller has checked that this is one.
  absl::StatusOr<bool> TerminatePublic(absl::string_view public_id);

  // Live ones of one principal, or all.
  absl::StatusOr<std::vector<Live>> List(
      const std::optional<session::v1::Principal>& principal) {
    return owned_.List(principal);
  }

  // See OwnedRecords.
  absl::Status KeepAlive(absl::string_view key) {
    return owned_.KeepAlive(key);
  }
  absl::Status Sweep() { return owned_.Sweep(); }
  absl::Status WriteLastUses(bool all,
                             absl::Duration limit = absl::InfiniteDuration()) {
    return owned_.WriteLastUses(all, limit);
  }

 private:
  absl::StatusOr<Live> Find(const session::v1::Principal& principal,
                            absl::string_view id, bool is_use);
  absl::Status MarkOver(absl::string_view key);

  Owned owned_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_SESSIONS_SESSIONS_H_
