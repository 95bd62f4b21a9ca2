// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_SESSIONS_OWNED_RECORDS_H_
#define SESSIOND_SESSIONS_OWNED_RECORDS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/session/v1/record.pb.h"
#include "banyan/session/v1/session_service.pb.h"
#include "sessiond/keys/principal_hasher.h"
#include "sessiond/sessions/expiry.h"
#include "sessiond/sessions/last_use.h"
#include "sessiond/sessions/session_event.h"
#include "sessiond/store/record_store.h"
#include "sessiond/store/typed_records.h"

namespace banyan::sessiond {

// What sessions and handles have in common: an owner, a limited life, places
// that are counted. Message is SessionRecord or WorkspaceRecord.
//
// Every call can fail with STORE_UNREACHABLE. Thread-safe.
template <typename Message>
class OwnedRecords {
 public:
  struct Options {
    LifeLimits limits;
    Quota quota = {.per_principal = 1'000, .total = 100'000};
    absl::Duration evictable_after = absl::Hours(
        1);  // At its owner's cap what is idle for longer makes place.
    absl::Duration unfinished_life =
        absl::Minutes(10);  // Of what is not live yet, or no more.
    // Whether the record with this key has a stream in flight: then it neither
    // expires nor makes place. Null: none has.
    std::function<bool(absl::string_view)> has_stream;
    // Other daemons see uses too, of which the store tells late: no life is cut
    // short by one that this daemon has not heard of.
    bool is_shared = false;
  };

  struct Live {
    std::string key;
    Message record;
    absl::Time last_used;
  };

  // Everything passed outlives it; `listener` may be null.
  OwnedRecords(RecordStore& store, const PrincipalHasher& hasher,
               Options options, Clock now, SessionEventListener listener);

  // Stamps owner, public id and times. At the owner's cap its own longest-idle
  // record makes place; at the total cap live ones are never dropped.
  // Codes of the hasher.
  absl::StatusOr<WriteResult> Create(const session::v1::Principal& principal,
                                     absl::string_view key, Message* record);

  // Nothing when it is unknown, not live, expired or another principal's. A use
  // is remembered, and hashes the owner anew after a rotation of keys.
  absl::StatusOr<std::optional<Live>> Find(
      const session::v1::Principal& principal, absl::string_view key,
      bool is_use);

  // Counts as a use by whoever holds a stream of it. Unknown keys are nothing.
  absl::Status KeepAlive(absl::string_view key);

  // Live ones of one principal, or all.
  absl::StatusOr<std::vector<Live>> List(
      const std::optional<session::v1::Principal>& principal);

  // Whether there was something to remove. `version` 0 takes any.
  absl::StatusOr<bool> Remove(absl::string_view key, const Message& record,
                              int64_t version, SessionEvent why);

  // Deletes what is over; to be called now and then.
  absl::Status Sweep();

  // Writes uses that are due, or all of them (before a stop), one after the
  // other and for no longer than `limit`: what is left out is allowed for, see
  // LatestLastUse.
  absl::Status WriteLastUses(bool all,
                             absl::Duration limit = absl::InfiniteDuration());

  Live ToLive(absl::string_view key, Message record) const;
  void Tell(const Message& record, SessionEvent event) const;

  TypedRecords<Message>& records() { return records_; }
  const PrincipalHasher& hasher() const { return hasher_; }
  const Options& options() const { return options_; }
  absl::Time Now() const { return now_(); }

 private:
  using Entry = typename TypedRecords<Message>::Entry;

  bool IsOwner(const session::v1::Principal& principal,
               const Message& record) const;
  absl::StatusOr<bool> EvictOne(const std::string& principal_hash);
  absl::Status RemoveIfExpired(absl::string_view key, const Message& record);
  bool HasStream(absl::string_view key) const;
  Life Judge(absl::string_view key, const Message& record) const;
  absl::Time LastUsed(absl::string_view key, const Message& record) const;
  absl::Time LatestUse(absl::string_view key, const Message& record) const;

  TypedRecords<Message> records_;
  const PrincipalHasher& hasher_;
  const Options options_;
  const Clock now_;
  const SessionEventListener listener_;
  LastUse last_use_;
};

extern template class OwnedRecords<session::v1::SessionRecord>;
extern template class OwnedRecords<session::v1::WorkspaceRecord>;

}  // namespace banyan::sessiond

#endif  // SESSIOND_SESSIONS_OWNED_RECORDS_H_
