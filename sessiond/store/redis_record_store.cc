// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_record_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/record_id.h"
#include "sessiond/store/redis_scripts.h"

namespace banyan::sessiond {
namespace {

constexpr size_t kReadAtOnce = 500;

std::string VerbName(RecordWrite::Verb verb) {
  switch (verb) {
    case RecordWrite::Verb::kCreate:
      return "create";
    case RecordWrite::Verb::kUpdate:
      return "update";
    case RecordWrite::Verb::kDelete:
      return "delete";
  }
  return "";
}

absl::StatusOr<WriteResult> ToResult(absl::string_view name) {
  if (name == "done") return WriteResult::kDone;
  if (name == "exists") return WriteResult::kExists;
  if (name == "absent") return WriteResult::kAbsent;
  if (name == "conflict") return WriteResult::kConflict;
  if (name == "principal_full") return WriteResult::kPrincipalFull;
  if (name == "store_full") return WriteResult::kStoreFull;
  return absl::InternalError("Redis answered a write with something else");
}

std::string KindName(RecordKind kind) {
  return absl::StrCat(static_cast<int>(kind));
}

}  // namespace

absl::StatusOr<WriteResult> RedisRecordStore::Write(RecordWrite write) {
  Record& record = write.record;
  const bool is_create = write.verb == RecordWrite::Verb::kCreate;
  record.version = is_create ? 1 : write.expected_version + 1;
  // Tells a repeated call from a rival's: see RedisConnections.
  const std::string nonce = NewSessionId();
  int attempts = 0;
  ASSIGN_OR_RETURN(
      const RedisReply reply,
      connections_.Use([&](RedisConnection& connection) {
        ++attempts;
        return connection.Run(
            redis_scripts::Write(), {prefix_},
            {connection.lineage(), absl::StrCat(absl::ToUnixMillis(now_())),
             VerbName(write.verb), KindName(record.kind),
             absl::BytesToHexString(record.key),
             absl::BytesToHexString(record.principal),
             record.is_over ? "1" : "0", record.body, seal_.Make(record), nonce,
             absl::StrCat(write.expected_version),
             absl::StrCat(write.quota.per_principal),
             absl::StrCat(write.quota.total),
             absl::StrCat(absl::ToInt64Milliseconds(kHistoryLife)),
             absl::StrCat(kHistoryLimit)});
      }));
  if (reply.elements.size() != 2) {
    return connections_.Refuse(absl::InternalError("odd answer to a write"));
  }
  absl::StatusOr<WriteResult> result = ToResult(reply.elements[0].text);
  if (!result.ok()) return connections_.Refuse(result.status());
  // The call before may have deleted it.
  if (attempts > 1 && write.verb == RecordWrite::Verb::kDelete &&
      *result == WriteResult::kAbsent) {
    result = WriteResult::kDone;
  }
  if (*result == WriteResult::kDone) {
    RETURN_IF_ERROR(feed_.AwaitTold(reply.elements[1].integer));
  }
  return result;
}

absl::StatusOr<std::optional<Record>> RedisRecordStore::Load(
    RecordKind kind, absl::string_view key) {
  const std::string hex_key = absl::BytesToHexString(key);
  ASSIGN_OR_RETURN(const RedisReply reply,
                   connections_.Use([&](RedisConnection& connection) {
                     return connection.Call(ReadWords(kind, hex_key));
                   }));
  return ToRecord(kind, key, reply);
}

absl::StatusOr<std::vector<Record>> RedisRecordStore::List(
    RecordKind kind, std::optional<std::string> principal) {
  std::string set = absl::StrCat(prefix_, "all:", KindName(kind));
  if (principal.has_value()) {
    absl::StrAppend(&set, ":", absl::BytesToHexString(*principal));
  }
  RedisReply keys;
  std::vector<RedisReply> bodies;
  ASSIGN_OR_RETURN(keys, connections_.Use([&](RedisConnection& connection) {
    return connection.Call({"SMEMBERS", set});
  }));
  for (size_t next = 0; next < keys.elements.size(); next += kReadAtOnce) {
    std::vector<RedisConnection::Words> calls;
    const size_t end = std::min(next + kReadAtOnce, keys.elements.size());
    for (size_t i = next; i < end; ++i) {
      calls.push_back(ReadWords(kind, keys.elements[i].text));
    }
    ASSIGN_OR_RETURN(
        RedisReply part,
        connections_.Use(
            [&](RedisConnection& connection) -> absl::StatusOr<RedisReply> {
              RedisReply all;
              ASSIGN_OR_RETURN(all.elements, connection.CallAll(calls));
              return all;
            }));
    for (RedisReply& one : part.elements) bodies.push_back(std::move(one));
  }
  std::vector<Record> records;
  for (size_t i = 0; i < bodies.size(); ++i) {
    const std::string key = absl::HexStringToBytes(keys.elements[i].text);
    absl::StatusOr<std::optional<Record>> record =
        ToRecord(kind, key, bodies[i]);
    // One that is not ours must not hide the others.
    if (record.ok() && record->has_value()) {
      records.push_back(**std::move(record));
    }
  }
  return records;
}

absl::StatusOr<History> RedisRecordStore::ChangesSince(int64_t revision) {
  History history;
  RETURN_IF_ERROR(
      connections_
          .Use([&](RedisConnection& connection) -> absl::StatusOr<RedisReply> {
            ASSIGN_OR_RETURN(
                history,
                RedisFeed::ReadHistory(connection, prefix_, now_(), revision));
            return RedisReply();
          })
          .status());
  return history;
}

absl::Status RedisRecordStore::CatchUp() {
  ASSIGN_OR_RETURN(
      const RedisReply reply,
      connections_.Use([&](RedisConnection& connection) {
        return connection.Call({"GET", absl::StrCat(prefix_, "revision")});
      }));
  int64_t revision = 0;
  if (!absl::SimpleAtoi(reply.text, &revision)) {
    return connections_.Refuse(absl::InternalError("there is no revision"));
  }
  return feed_.AwaitTold(revision);
}

RedisConnection::Words RedisRecordStore::ReadWords(
    RecordKind kind, const std::string& hex_key) const {
  return {
      "HMGET", absl::StrCat(prefix_, "record:", KindName(kind), ":", hex_key),
      "v",     "p",
      "o",     "b",
      "s"};
}

absl::StatusOr<std::optional<Record>> RedisRecordStore::ToRecord(
    RecordKind kind, absl::string_view key, const RedisReply& reply) const {
  if (reply.elements.size() != 5 ||
      reply.elements[0].type == RedisReply::Type::kNothing) {
    return std::optional<Record>();
  }
  Record record{.kind = kind,
                .key = std::string(key),
                .principal = absl::HexStringToBytes(reply.elements[1].text),
                .is_over = reply.elements[2].text == "1",
                .body = reply.elements[3].text};
  if (!absl::SimpleAtoi(reply.elements[0].text, &record.version) ||
      !seal_.Fits(record, reply.elements[4].text)) {
    rpc::Log({.level = rpc::LogLevel::kError,
              .event = "store_record_forged",
              .message = absl::StrCat("[Store] The record ", PublicId(key),
                                      " was not written by us; it is not "
                                      "used"),
              .fields = {{"session", PublicId(key)}}});
    return rpc::Error(rpc::v1::ERROR_REASON_INTERNAL,
                      "a stored record is not ours");
  }
  return std::make_optional(std::move(record));
}

}  // namespace banyan::sessiond
