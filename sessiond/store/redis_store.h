// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_STORE_H_
#define SESSIOND_STORE_REDIS_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sessiond/store/event_rings.h"
#include "sessiond/store/record_store.h"
#include "sessiond/store/redis_connection.h"
#include "sessiond/store/root_claims.h"

namespace banyan::sessiond {

struct RedisStoreOptions {
  RedisOptions redis;
  std::string prefix = "banyan:";  // Ends with a colon.
  // By these records are sealed, newest first, at least one: what another
  // client of this Redis writes is not taken for ours.
  std::vector<std::string> seal_keys;
  EventRings::Limits event_rings;  // But for total_bytes: Redis has a limit.
  Clock now;                       // Null = the system's clock.
};

// What a daemon keeps, wherever it is.
struct Stores {
  std::shared_ptr<void> shared;  // What both rest on; goes last.
  std::unique_ptr<RecordStore> records;
  std::unique_ptr<EventRings> rings;
  std::unique_ptr<RootClaims> claims;  // Null where one daemon is alone.
};

// Records and rings in Redis 7 or Valkey, for several sessiond: each reads and
// writes there and hears what the others do. A write is one script: compare,
// set, append to the stream of changes.
//
// What it promises: an acknowledged write is in the master's memory. A
// failover to a replica, or a restart without `appendfsync always`, can lose
// the newest acknowledged writes, terminations too. Then revisions jump, edges
// hear of a gap and drop what they have cached.
//   kInvalidArgument     prefix, seal keys
//   kFailedPrecondition  wrong password; Redis would evict live records when
//                        its memory is full
//   kUnavailable         it does not answer
absl::StatusOr<Stores> OpenRedisStore(RedisStoreOptions options);

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_STORE_H_
