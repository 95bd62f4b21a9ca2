// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/typed_records.h"

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

using session::v1::SessionRecord;
using session::v1::WorkspaceRecord;
using session::v1::WriterRecord;

constexpr uint32_t kSchemaVersion = 1;

RecordKind KindOf(const SessionRecord&) { return RecordKind::kSession; }
RecordKind KindOf(const WorkspaceRecord&) { return RecordKind::kWorkspace; }
RecordKind KindOf(const WriterRecord&) { return RecordKind::kWriter; }

bool IsOver(const SessionRecord& record) {
  return record.state() == session::v1::SESSION_STATE_TERMINATED;
}
bool IsOver(const WorkspaceRecord& record) { return record.is_released(); }
bool IsOver(const WriterRecord&) { return false; }

template <typename Message>
std::string OwnerOf(const Message& record) {
  return record.principal_hash();
}
// It belongs to a root.
std::string OwnerOf(const WriterRecord&) { return ""; }

template <typename Message>
Record ToRecord(absl::string_view key, int64_t version, Message message) {
  message.set_schema_version(kSchemaVersion);
  message.set_version(version);
  return {.kind = KindOf(message),
          .key = std::string(key),
          .version = version,
          .principal = OwnerOf(message),
          .is_over = IsOver(message),
          .body = message.SerializeAsString()};
}

template <typename Message>
absl::StatusOr<Message> FromRecord(const Record& record) {
  Message message;
  if (!message.ParseFromString(record.body)) {
    return rpc::Error(rpc::v1::ERROR_REASON_INTERNAL,
                      "a stored record cannot be read");
  }
  message.set_version(record.version);
  return message;
}

void LogUnreadable(const Record& record) {
  rpc::Log({.level = rpc::LogLevel::kError,
            .event = "store_record_unreadable",
            .message = absl::StrCat("[Store] The record ", PublicId(record.key),
                                    " cannot be read; it is left out"),
            .fields = {{"session", PublicId(record.key)}}});
}

}  // namespace

template <typename Message>
absl::StatusOr<WriteResult> TypedRecords<Message>::Create(absl::string_view key,
                                                          Message record,
                                                          const Quota& quota) {
  return store_.Write({.verb = RecordWrite::Verb::kCreate,
                       .record = ToRecord(key, 1, std::move(record)),
                       .quota = quota});
}

template <typename Message>
absl::StatusOr<std::optional<Message>> TypedRecords<Message>::Load(
    absl::string_view key) {
  ASSIGN_OR_RETURN(const std::optional<Record> record,
                   store_.Load(KindOf(Message()), key));
  if (!record.has_value()) return std::optional<Message>();
  ASSIGN_OR_RETURN(Message message, FromRecord<Message>(*record));
  return std::make_optional(std::move(message));
}

template <typename Message>
absl::StatusOr<std::optional<Message>> TypedRecords<Message>::Change(
    absl::string_view key, absl::FunctionRef<absl::Status(Message&)> change) {
  while (true) {
    ASSIGN_OR_RETURN(std::optional<Message> message, Load(key));
    if (!message.has_value()) return message;
    const int64_t version = message->version();
    RETURN_IF_ERROR(change(*message));
    message->set_version(version + 1);
    ASSIGN_OR_RETURN(
        const WriteResult result,
        store_.Write({.verb = RecordWrite::Verb::kUpdate,
                      .record = ToRecord(key, version + 1, *message),
                      .expected_version = version}));
    // Each conflict means that another writer got on, so this ends.
    if (result == WriteResult::kDone) return message;
  }
}

template <typename Message>
absl::StatusOr<bool> TypedRecords<Message>::Delete(absl::string_view key,
                                                   int64_t version) {
  Record record;
  record.kind = KindOf(Message());
  record.key = std::string(key);
  ASSIGN_OR_RETURN(const WriteResult result,
                   store_.Write({.verb = RecordWrite::Verb::kDelete,
                                 .record = std::move(record),
                                 .expected_version = version}));
  return result == WriteResult::kDone;
}

template <typename Message>
absl::StatusOr<std::vector<typename TypedRecords<Message>::Entry>>
TypedRecords<Message>::List(std::optional<std::string> principal) {
  ASSIGN_OR_RETURN(const std::vector<Record> records,
                   store_.List(KindOf(Message()), std::move(principal)));
  std::vector<Entry> entries;
  entries.reserve(records.size());
  for (const Record& record : records) {
    absl::StatusOr<Message> message = FromRecord<Message>(record);
    if (!message.ok()) {
      LogUnreadable(record);
      continue;
    }
    entries.push_back({record.key, *std::move(message)});
  }
  return entries;
}

template class TypedRecords<SessionRecord>;
template class TypedRecords<WorkspaceRecord>;
template class TypedRecords<WriterRecord>;

}  // namespace banyan::sessiond
