// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_FEED_H_
#define SESSIOND_STORE_REDIS_FEED_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sessiond/store/event_rings.h"
#include "sessiond/store/record_store.h"
#include "sessiond/store/redis_connections.h"

namespace banyan::sessiond {

// Reads what any sessiond has changed from Redis' streams and tells it, in
// order; after a gap it says so. Has a connection and a thread of its own.
// Thread-safe.
class RedisFeed {
 public:
  using ChangeListener = std::function<void(const RecordChange&)>;

  // Begins after `revision`, and after `growth_id` of the stream of growth.
  // `connections` outlives it.
  RedisFeed(RedisConnections& connections, std::string prefix, Clock now,
            int64_t revision, std::string growth_id);
  ~RedisFeed();
  RedisFeed(const RedisFeed&) = delete;
  RedisFeed& operator=(const RedisFeed&) = delete;

  // Null takes a listener away; then it is not running.
  void SetChangeListener(ChangeListener listener);
  void SetGrowthListener(EventRings::GrowthListener listener);

  // Until everything up to `revision` was told.
  //   STORE_UNREACHABLE  not within a call's time
  absl::Status AwaitTold(int64_t revision);

  // Of the changes after `revision`, whoever made them.
  static absl::StatusOr<History> ReadHistory(RedisConnection& connection,
                                             const std::string& prefix,
                                             absl::Time now, int64_t revision);

 private:
  void Run();
  absl::Status Follow();
  absl::Status ReadOn(RedisConnection& connection);
  void TellChange(const RecordChange& change);
  void TellGrowth(const RedisReply& entry);

  RedisConnections& connections_;
  const std::string prefix_;
  const Clock now_;
  std::string growth_id_;  // The reader's own.
  std::shared_mutex listeners_mutex_;
  ChangeListener on_change_;              // Guarded by listeners_mutex_.
  EventRings::GrowthListener on_growth_;  // Guarded by listeners_mutex_.
  std::mutex mutex_;
  std::condition_variable told_more_;
  int64_t told_;              // Guarded by mutex_.
  bool is_stopping_ = false;  // Guarded by mutex_.
  std::thread thread_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_FEED_H_
