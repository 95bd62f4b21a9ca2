// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_WATCH_RING_FEED_H_
#define SESSIOND_WATCH_RING_FEED_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sessiond/store/event_rings.h"

namespace banyan::sessiond {

// Tells followers when the rings of their sessions grow. A session that
// anybody follows has a stream in flight somewhere. The rings outlive it and
// have no other listener. Thread-safe.
class RingFeed {
 public:
  // Key of the session, stream, newest id. Must be quick.
  using Listener = EventRings::GrowthListener;

  // What it follows ends with its destructor; then the listener is not running
  // and never runs again. The feed outlives it.
  class Follower {
   public:
    // Sessions that one follower may name: more than an edge has streams.
    static constexpr size_t kLimit = 100'000;

    Follower(RingFeed* feed, Listener listener)
        : feed_(feed), listener_(std::move(listener)) {}
    ~Follower();
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    // Past the limit nothing happens.
    void Follow(const std::string& session_key);
    void Unfollow(const std::string& session_key);

   private:
    friend class RingFeed;

    RingFeed* const feed_;
    const Listener listener_;
    std::set<std::string> keys_;  // Guarded by the feed's mutex_.
  };

  explicit RingFeed(EventRings& rings);
  ~RingFeed();
  RingFeed(const RingFeed&) = delete;
  RingFeed& operator=(const RingFeed&) = delete;

  std::unique_ptr<Follower> NewFollower(Listener listener);

  bool IsFollowed(absl::string_view session_key) const;
  std::vector<std::string> Followed() const;

 private:
  void Tell(absl::string_view session_key, absl::string_view stream,
            int64_t newest) const;

  EventRings& rings_;
  mutable std::mutex mutex_;
  std::map<std::string, std::set<Follower*>, std::less<>>
      followers_;  // By session. Guarded by mutex_.
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_WATCH_RING_FEED_H_
