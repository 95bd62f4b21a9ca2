// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_event_rings.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/redis_scripts.h"

namespace banyan::sessiond {
namespace {

// Of a ring that nobody appends to.
constexpr absl::Duration kRingLife = absl::Hours(24);

int64_t ToInt(absl::string_view text) {
  int64_t number = 0;
  return absl::SimpleAtoi(text.substr(0, text.find('-')), &number) ? number : 0;
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> RedisEventRings::Append(
    absl::string_view session_key, absl::string_view stream,
    std::vector<std::string> events, bool ends_stream) {
  ASSIGN_OR_RETURN(
      const RedisReply reply,
      connections_.Use([&](RedisConnection& connection) {
        RedisConnection::Words arguments = {
            connection.lineage(), absl::StrCat(absl::ToUnixMillis(now_())),
            absl::BytesToHexString(session_key), std::string(stream),
            ends_stream ? "1" : "0",
            // Above all that an earlier ring can have given out.
            absl::StrCat(absl::ToUnixMicros(now_())),
            absl::StrCat(limits_.events), absl::StrCat(limits_.bytes),
            absl::StrCat(absl::ToInt64Milliseconds(kRingLife))};
        arguments.insert(arguments.end(), events.begin(), events.end());
        return connection.Run(redis_scripts::Append(), {prefix_}, arguments);
      }));
  std::vector<int64_t> ids;
  for (const RedisReply& id : reply.elements) ids.push_back(id.integer);
  return ids;
}

absl::StatusOr<EventRings::Reading> RedisEventRings::Read(
    absl::string_view session_key, absl::string_view stream, int64_t after) {
  const std::string hex_key = absl::BytesToHexString(session_key);
  ASSIGN_OR_RETURN(
      const RedisReply reply,
      connections_.Use([&](RedisConnection& connection)
                           -> absl::StatusOr<RedisReply> {
        RedisReply all;
        ASSIGN_OR_RETURN(
            all.elements,
            connection.CallAll(
                {{"XRANGE", absl::StrCat(prefix_, "ring:", hex_key), "-", "+"},
                 {"HGET", absl::StrCat(prefix_, "marks:", hex_key),
                  absl::StrCat("ended:", stream)}}));
        return all;
      }));
  Reading reading;
  reading.has_ended = reply.elements[1].text == "1";
  for (const RedisReply& entry : reply.elements[0].elements) {
    if (entry.elements.size() != 2 || entry.elements[1].elements.size() != 6) {
      continue;
    }
    const std::vector<RedisReply>& fields = entry.elements[1].elements;
    if (fields[1].text != stream) continue;
    reading.is_known = true;
    const int64_t id = ToInt(entry.elements[0].text);
    // Complete when `after` is the one before the first, or the newest.
    if (id == after) reading.is_complete = true;
    if (id <= after) continue;
    if (reading.events.empty() && ToInt(fields[3].text) == after) {
      reading.is_complete = true;
    }
    reading.events.push_back({id, fields[5].text});
  }
  return reading;
}

void RedisEventRings::Forget(absl::string_view session_key) {
  const std::string hex_key = absl::BytesToHexString(session_key);
  (void)connections_.Use([&](RedisConnection& connection) {
    return connection.Call({"UNLINK", absl::StrCat(prefix_, "ring:", hex_key),
                            absl::StrCat(prefix_, "marks:", hex_key)});
  });
}

}  // namespace banyan::sessiond
