// SPDX-License-Identifier: Apache-2.0
#include "sessiond/leases/writer_leases.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/record_id.h"

namespace banyan::sessiond {
namespace {

using session::v1::WriterRecord;

constexpr size_t kShownName = 60;

std::string ClockTime(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

}  // namespace

absl::StatusOr<WriterRecord> WriterLeases::Take(absl::string_view root,
                                                const Writer& writer) {
  const std::string key = RecordKey(root);
  while (true) {
    ASSIGN_OR_RETURN(std::optional<WriterRecord> record, records_.Load(key));
    if (!record.has_value()) {
      WriterRecord first;
      Begin(writer, root, first);
      first.set_version(1);
      ASSIGN_OR_RETURN(const WriteResult result,
                       records_.Create(key, first, Quota{}));
      // Somebody was first: look again.
      if (result != WriteResult::kDone) continue;
      Touch(root);
      return first;
    }
    const bool is_his = record->handle_hash() == writer.handle_key;
    if (!is_his && IsOn(*record)) return Held(*record);
    const absl::Time stored = absl::FromUnixMillis(record->last_used_unix_ms());
    if (is_his && now_() < stored + options_.life / 20) {
      Touch(root);
      return *std::move(record);
    }
    ASSIGN_OR_RETURN(record, records_.Change(key, [&](WriterRecord& changed) {
      if (changed.handle_hash() == writer.handle_key) {
        changed.set_last_used_unix_ms(absl::ToUnixMillis(now_()));
        return absl::OkStatus();
      }
      // A rival may have been quicker.
      if (IsOn(changed)) return Held(changed);
      Begin(writer, root, changed);
      return absl::OkStatus();
    }));
    if (!record.has_value()) continue;
    Touch(root);
    return *std::move(record);
  }
}

absl::StatusOr<std::optional<WriterRecord>> WriterLeases::Of(
    absl::string_view root) {
  ASSIGN_OR_RETURN(std::optional<WriterRecord> record,
                   records_.Load(RecordKey(root)));
  if (record.has_value() && !IsOn(*record)) record.reset();
  return record;
}

absl::Time WriterLeases::Expires(const WriterRecord& record) const {
  absl::Time used = absl::FromUnixMillis(record.last_used_unix_ms());
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = used_.find(record.root());
  if (found != used_.end()) used = std::max(used, found->second);
  return used + options_.life;
}

absl::Status WriterLeases::Free(absl::string_view root,
                                absl::string_view handle_key) {
  return FreeIf(RecordKey(root), [handle_key](const WriterRecord& record) {
    return record.handle_hash() == handle_key;
  });
}

absl::Status WriterLeases::FreeOfSession(absl::string_view session_public_id) {
  ASSIGN_OR_RETURN(const auto entries, records_.List(std::nullopt));
  for (const auto& entry : entries) {
    RETURN_IF_ERROR(
        FreeIf(entry.key, [session_public_id](const WriterRecord& record) {
          return !record.session_public_id().empty() &&
                 record.session_public_id() == session_public_id;
        }));
  }
  return absl::OkStatus();
}

void WriterLeases::RaiseEpochs(int64_t highest) {
  int64_t seen = highest_epoch_;
  while (seen < highest &&
         !highest_epoch_.compare_exchange_weak(seen, highest)) {
  }
}

bool WriterLeases::IsOn(const WriterRecord& record) const {
  return !record.handle_hash().empty() && now_() < Expires(record);
}

absl::Status WriterLeases::Held(const WriterRecord& record) const {
  const absl::Time expires = Expires(record);
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_WRITER_HELD);
  detail.set_retry_after_ms(
      std::max<int64_t>(1, absl::ToInt64Milliseconds(expires - now_())));
  return rpc::Error(
      std::move(detail),
      absl::StrCat(
          "This project takes one writer at a time. ",
          record.client_name().empty()
              ? "Another agent"
              : rpc::EscapeForLog(record.client_name(), kShownName),
          " has been writing since ",
          ClockTime(absl::FromUnixMillis(record.since_unix_ms())),
          "; its turn ends at ", ClockTime(expires),
          " unless it goes on, or when it releases its workspace. Read "
          "meanwhile (access read-only) and return your proposed edits to the "
          "orchestrating agent."));
}

// A time in milliseconds is above every epoch of an earlier store.
void WriterLeases::Begin(const Writer& writer, absl::string_view root,
                         WriterRecord& record) {
  const int64_t now_ms = absl::ToUnixMillis(now_());
  record.set_root(std::string(root));
  record.set_handle_hash(writer.handle_key);
  record.set_session_public_id(writer.session_public_id);
  record.set_client_name(writer.client_name);
  record.set_epoch(std::max({record.epoch() + 1, now_ms, highest_epoch_ + 1}));
  record.set_since_unix_ms(now_ms);
  record.set_last_used_unix_ms(now_ms);
}

void WriterLeases::Touch(absl::string_view root) {
  const std::lock_guard<std::mutex> lock(mutex_);
  used_.insert_or_assign(std::string(root), now_());
}

absl::Status WriterLeases::FreeIf(
    absl::string_view key,
    const std::function<bool(const WriterRecord&)>& is_his) {
  ASSIGN_OR_RETURN(const std::optional<WriterRecord> record,
                   records_.Load(key));
  if (!record.has_value() || !is_his(*record)) return absl::OkStatus();
  return records_
      .Change(key,
              [&is_his](WriterRecord& changed) {
                if (!is_his(changed)) return absl::OkStatus();
                changed.clear_handle_hash();
                changed.clear_session_public_id();
                return absl::OkStatus();
              })
      .status();
}

}  // namespace banyan::sessiond
