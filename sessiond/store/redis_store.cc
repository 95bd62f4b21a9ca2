// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_store.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/record_seal.h"
#include "sessiond/store/redis_event_rings.h"
#include "sessiond/store/redis_record_store.h"
#include "sessiond/store/redis_root_claims.h"

namespace banyan::sessiond {
namespace {

// What records and rings share.
struct Shared {
  Shared(RedisStoreOptions options, int64_t revision, std::string growth_id)
      : connections(std::move(options.redis)),
        seal(std::move(options.seal_keys)),
        feed(connections, std::move(options.prefix), std::move(options.now),
             revision, std::move(growth_id)) {}

  RedisConnections connections;
  const RecordSeal seal;
  RedisFeed feed;
};

// Under memory pressure writes must fail, and no live record vanish.
absl::Status CheckEviction(RedisConnection& connection) {
  ASSIGN_OR_RETURN(const RedisReply memory,
                   connection.Call({"INFO", "memory"}));
  for (absl::string_view line : absl::StrSplit(memory.text, "\r\n")) {
    if (absl::StartsWith(line, "maxmemory_policy:allkeys-")) {
      return absl::FailedPreconditionError(absl::StrCat(
          "--store: this Redis throws away records of live sessions when its "
          "memory is full (",
          line, "); set maxmemory-policy noeviction"));
    }
  }
  return absl::OkStatus();
}

absl::Status Explain(const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat("--store: Redis: ", status.message()));
}

}  // namespace

absl::StatusOr<Stores> OpenRedisStore(RedisStoreOptions options) {
  if (!absl::EndsWith(options.prefix, ":")) {
    return absl::InvalidArgumentError("the prefix of keys ends with a colon");
  }
  if (options.seal_keys.empty()) {
    return absl::InvalidArgumentError("there is no key to seal records with");
  }
  if (options.now == nullptr) options.now = [] { return absl::Now(); };
  auto connection = RedisConnection::Open(options.redis);
  RETURN_IF_ERROR(Explain(connection.status()));
  RETURN_IF_ERROR(Explain(CheckEviction(**connection)));
  const absl::StatusOr<History> history =
      RedisFeed::ReadHistory(**connection, options.prefix, options.now(),
                             std::numeric_limits<int64_t>::max());
  RETURN_IF_ERROR(Explain(history.status()));
  const auto newest =
      (*connection)
          ->Call({"XREVRANGE", absl::StrCat(options.prefix, "growth"), "+", "-",
                  "COUNT", "1"});
  RETURN_IF_ERROR(Explain(newest.status()));
  const std::string prefix = options.prefix;
  const EventRings::Limits limits = options.event_rings;
  const Clock now = options.now;
  auto shared = std::make_shared<Shared>(
      std::move(options), history->newest_revision,
      newest->elements.empty() ? "0-0" : newest->elements[0].elements[0].text);
  Stores store;
  store.records = std::make_unique<RedisRecordStore>(
      shared->connections, shared->feed, shared->seal, prefix, now);
  store.rings = std::make_unique<RedisEventRings>(
      shared->connections, shared->feed, prefix, limits, now);
  store.claims = std::make_unique<RedisRootClaims>(shared->connections, prefix);
  store.shared = std::move(shared);
  return store;
}

}  // namespace banyan::sessiond
