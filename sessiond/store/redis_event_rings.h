// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_EVENT_RINGS_H_
#define SESSIOND_STORE_REDIS_EVENT_RINGS_H_

#include <string>
#include <utility>
#include <vector>

#include "sessiond/store/event_rings.h"
#include "sessiond/store/redis_connections.h"
#include "sessiond/store/redis_feed.h"

namespace banyan::sessiond {

// See redis_store.h. Everything passed outlives it.
class RedisEventRings : public EventRings {
 public:
  RedisEventRings(RedisConnections& connections, RedisFeed& feed,
                  std::string prefix, Limits limits, Clock now)
      : connections_(connections),
        feed_(feed),
        prefix_(std::move(prefix)),
        limits_(limits),
        now_(std::move(now)) {}
  ~RedisEventRings() override { feed_.SetGrowthListener(nullptr); }

  absl::StatusOr<std::vector<int64_t>> Append(absl::string_view session_key,
                                              absl::string_view stream,
                                              std::vector<std::string> events,
                                              bool ends_stream) override;
  absl::StatusOr<Reading> Read(absl::string_view session_key,
                               absl::string_view stream,
                               int64_t after) override;
  // In the background of Redis; one that cannot be reached lets it lapse.
  void Forget(absl::string_view session_key) override;
  void SetGrowthListener(GrowthListener listener) override {
    feed_.SetGrowthListener(std::move(listener));
  }

 private:
  RedisConnections& connections_;
  RedisFeed& feed_;
  const std::string prefix_;
  const Limits limits_;
  const Clock now_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_EVENT_RINGS_H_
