// SPDX-License-Identifier: Apache-2.0
#include "sessiond/sessions/owned_records.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/rpc/status_macros.h"
#include "sessiond/store/record_id.h"

namespace banyan::sessiond {
namespace {

using session::v1::Principal;
using session::v1::SessionRecord;
using session::v1::WorkspaceRecord;

bool IsLive(const SessionRecord& record) {
  return record.state() == session::v1::SESSION_STATE_LIVE;
}
bool IsLive(const WorkspaceRecord& record) { return !record.is_released(); }

absl::Time StoredUse(const SessionRecord& record) {
  return absl::FromUnixMillis(record.last_seen_unix_ms());
}
absl::Time StoredUse(const WorkspaceRecord& record) {
  return absl::FromUnixMillis(record.last_used_unix_ms());
}

void StoreUse(SessionRecord& record, absl::Time last_used) {
  record.set_last_seen_unix_ms(absl::ToUnixMillis(last_used));
}
void StoreUse(WorkspaceRecord& record, absl::Time last_used) {
  record.set_last_used_unix_ms(absl::ToUnixMillis(last_used));
}

std::optional<Era> EraOf(const SessionRecord&) { return Era::kLegacy; }
std::optional<Era> EraOf(const WorkspaceRecord& record) {
  if (record.session_public_id().empty()) return Era::kModern;
  return std::nullopt;
}

template <typename Message>
void SetOwner(Message& record, const PrincipalHash& owner) {
  record.set_principal_hash(owner.hash);
  record.set_principal_key_id(owner.key_id);
}

}  // namespace

template <typename Message>
OwnedRecords<Message>::OwnedRecords(RecordStore& store,
                                    const PrincipalHasher& hasher,
                                    Options options, Clock now,
                                    SessionEventListener listener)
    : records_(store),
      hasher_(hasher),
      options_(std::move(options)),
      now_(std::move(now)),
      listener_(std::move(listener)),
      last_use_(options_.limits, now_()) {}

template <typename Message>
absl::StatusOr<WriteResult> OwnedRecords<Message>::Create(
    const Principal& principal, absl::string_view key, Message* record) {
  ASSIGN_OR_RETURN(const PrincipalHash owner, hasher_.Hash(principal));
  SetOwner(*record, owner);
  record->set_public_id(PublicId(key));
  record->set_created_unix_ms(absl::ToUnixMillis(now_()));
  StoreUse(*record, now_());
  record->set_version(1);
  ASSIGN_OR_RETURN(const WriteResult result,
                   records_.Create(key, *record, options_.quota));
  if (result != WriteResult::kPrincipalFull) return result;
  ASSIGN_OR_RETURN(const bool has_place, EvictOne(owner.hash));
  return has_place ? records_.Create(key, *record, options_.quota) : result;
}

template <typename Message>
absl::StatusOr<std::optional<typename OwnedRecords<Message>::Live>>
OwnedRecords<Message>::Find(const Principal& principal, absl::string_view key,
                            bool is_use) {
  ASSIGN_OR_RETURN(std::optional<Message> record, records_.Load(key));
  if (!record.has_value()) return std::optional<Live>();
  if (!IsOwner(principal, *record)) {
    Tell(*record, SessionEvent::kHijackRefused);
    return std::optional<Live>();
  }
  if (!IsLive(*record)) return std::optional<Live>();
  if (Judge(key, *record) != Life::kLive) {
    // Over is over, whether or not the store can be told right now.
    (void)RemoveIfExpired(key, *record);
    return std::optional<Live>();
  }
  if (!is_use) return std::make_optional(ToLive(key, *std::move(record)));
  last_use_.Touch(key, StoredUse(*record), now_());
  if (!hasher_.IsNewestKey(record->principal_key_id())) {
    ASSIGN_OR_RETURN(const PrincipalHash owner, hasher_.Hash(principal));
    ASSIGN_OR_RETURN(record, records_.Change(key, [&owner](Message& rehashed) {
      SetOwner(rehashed, owner);
      return absl::OkStatus();
    }));
    if (!record.has_value()) return std::optional<Live>();
  }
  return std::make_optional(ToLive(key, *std::move(record)));
}

template <typename Message>
absl::Status OwnedRecords<Message>::KeepAlive(absl::string_view key) {
  ASSIGN_OR_RETURN(const std::optional<Message> record, records_.Load(key));
  if (record.has_value() && IsLive(*record)) {
    last_use_.Touch(key, StoredUse(*record), now_());
  }
  return absl::OkStatus();
}

template <typename Message>
absl::StatusOr<std::vector<typename OwnedRecords<Message>::Live>>
OwnedRecords<Message>::List(const std::optional<Principal>& principal) {
  std::vector<std::optional<std::string>> owners;
  if (principal.has_value()) {
    ASSIGN_OR_RETURN(const auto hashes, hasher_.AllHashes(*principal));
    for (const PrincipalHash& owner : hashes) owners.push_back(owner.hash);
  } else {
    owners.push_back(std::nullopt);
  }
  std::vector<Live> list;
  for (const std::optional<std::string>& owner : owners) {
    ASSIGN_OR_RETURN(std::vector<Entry> entries, records_.List(owner));
    for (Entry& entry : entries) {
      if (!IsLive(entry.record)) continue;
      if (Judge(entry.key, entry.record) != Life::kLive) continue;
      list.push_back(ToLive(entry.key, std::move(entry.record)));
    }
  }
  return list;
}

template <typename Message>
absl::StatusOr<bool> OwnedRecords<Message>::Remove(absl::string_view key,
                                                   const Message& record,
                                                   int64_t version,
                                                   SessionEvent why) {
  ASSIGN_OR_RETURN(const bool is_removed, records_.Delete(key, version));
  if (is_removed) {
    last_use_.Forget(key);
    Tell(record, why);
  }
  return is_removed;
}

template <typename Message>
absl::Status OwnedRecords<Message>::Sweep() {
  ASSIGN_OR_RETURN(const std::vector<Entry> entries,
                   records_.List(std::nullopt));
  for (const Entry& entry : entries) {
    if (IsLive(entry.record)) {
      RETURN_IF_ERROR(RemoveIfExpired(entry.key, entry.record));
      continue;
    }
    if (now_() < StoredUse(entry.record) + options_.unfinished_life) continue;
    RETURN_IF_ERROR(
        records_.Delete(entry.key, entry.record.version()).status());
  }
  return absl::OkStatus();
}

template <typename Message>
absl::Status OwnedRecords<Message>::WriteLastUses(bool all,
                                                  absl::Duration limit) {
  const absl::Time end = now_() + limit;
  for (const LastUse::Due& due : last_use_.TakeDue(all)) {
    if (now_() >= end) break;
    const auto written = records_.Change(due.key, [&due](Message& record) {
      StoreUse(record, due.last_used);
      return absl::OkStatus();
    });
    RETURN_IF_ERROR(written.status());
    if (!written->has_value()) last_use_.Forget(due.key);
  }
  return absl::OkStatus();
}

template <typename Message>
typename OwnedRecords<Message>::Live OwnedRecords<Message>::ToLive(
    absl::string_view key, Message record) const {
  const absl::Time last_used = LastUsed(key, record);
  return {std::string(key), std::move(record), last_used};
}

template <typename Message>
void OwnedRecords<Message>::Tell(const Message& record,
                                 SessionEvent event) const {
  const std::optional<Era> era = EraOf(record);
  if (listener_ && era.has_value()) listener_(*era, event);
}

template <typename Message>
bool OwnedRecords<Message>::IsOwner(const Principal& principal,
                                    const Message& record) const {
  return hasher_.IsOwner(principal, record.principal_hash(),
                         record.principal_key_id());
}

template <typename Message>
absl::StatusOr<bool> OwnedRecords<Message>::EvictOne(
    const std::string& principal_hash) {
  ASSIGN_OR_RETURN(const std::vector<Entry> entries,
                   records_.List(principal_hash));
  const Entry* victim = nullptr;
  absl::Time victim_used = now_() - options_.evictable_after;
  for (const Entry& entry : entries) {
    const absl::Time used = LatestUse(entry.key, entry.record);
    if (!IsLive(entry.record) || used >= victim_used) continue;
    if (HasStream(entry.key)) continue;
    victim = &entry;
    victim_used = used;
  }
  if (victim == nullptr) return false;
  return Remove(victim->key, victim->record, victim->record.version(),
                SessionEvent::kEvicted);
}

template <typename Message>
absl::Status OwnedRecords<Message>::RemoveIfExpired(absl::string_view key,
                                                    const Message& record) {
  const Life life = Judge(key, record);
  if (life == Life::kLive) return absl::OkStatus();
  return Remove(key, record, record.version(),
                life == Life::kExpiredIdle ? SessionEvent::kExpiredIdle
                                           : SessionEvent::kExpiredAbsolute)
      .status();
}

template <typename Message>
bool OwnedRecords<Message>::HasStream(absl::string_view key) const {
  return options_.has_stream && options_.has_stream(key);
}

template <typename Message>
Life OwnedRecords<Message>::Judge(absl::string_view key,
                                  const Message& record) const {
  if (HasStream(key)) return Life::kLive;
  return JudgeLife(absl::FromUnixMillis(record.created_unix_ms()),
                   LatestUse(key, record), now_(), options_.limits);
}

template <typename Message>
absl::Time OwnedRecords<Message>::LastUsed(absl::string_view key,
                                           const Message& record) const {
  return last_use_.Of(key, StoredUse(record));
}

// When it can have been used last, here or elsewhere. Twice the lag: whoever
// has seen the use looks whether it is due now and then only.
template <typename Message>
absl::Time OwnedRecords<Message>::LatestUse(absl::string_view key,
                                            const Message& record) const {
  const absl::Duration unheard = options_.is_shared
                                     ? 2 * LastUseLag(options_.limits)
                                     : absl::ZeroDuration();
  return LastUsed(key, record) + unheard;
}

template class OwnedRecords<SessionRecord>;
template class OwnedRecords<WorkspaceRecord>;

}  // namespace banyan::sessiond
