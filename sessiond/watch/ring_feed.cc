// SPDX-License-Identifier: Apache-2.0
#include "sessiond/watch/ring_feed.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace banyan::sessiond {

RingFeed::Follower::~Follower() {
  const std::lock_guard<std::mutex> lock(feed_->mutex_);
  for (const std::string& key : keys_) {
    const auto found = feed_->followers_.find(key);
    found->second.erase(this);
    if (found->second.empty()) feed_->followers_.erase(found);
  }
}

void RingFeed::Follower::Follow(const std::string& session_key) {
  const std::lock_guard<std::mutex> lock(feed_->mutex_);
  if (keys_.size() >= kLimit || !keys_.insert(session_key).second) return;
  feed_->followers_[session_key].insert(this);
}

void RingFeed::Follower::Unfollow(const std::string& session_key) {
  const std::lock_guard<std::mutex> lock(feed_->mutex_);
  if (keys_.erase(session_key) == 0) return;
  const auto found = feed_->followers_.find(session_key);
  found->second.erase(this);
  if (found->second.empty()) feed_->followers_.erase(found);
}

RingFeed::RingFeed(EventRings& rings) : rings_(rings) {
  rings_.SetGrowthListener(
      [this](absl::string_view session_key, absl::string_view stream,
             int64_t newest) { Tell(session_key, stream, newest); });
}

RingFeed::~RingFeed() { rings_.SetGrowthListener(nullptr); }

std::unique_ptr<RingFeed::Follower> RingFeed::NewFollower(Listener listener) {
  return std::make_unique<Follower>(this, std::move(listener));
}

bool RingFeed::IsFollowed(absl::string_view session_key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return followers_.find(session_key) != followers_.end();
}

std::vector<std::string> RingFeed::Followed() const {
  std::vector<std::string> keys;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [key, followers] : followers_) keys.push_back(key);
  return keys;
}

void RingFeed::Tell(absl::string_view session_key, absl::string_view stream,
                    int64_t newest) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = followers_.find(session_key);
  if (found == followers_.end()) return;
  for (const Follower* follower : found->second) {
    follower->listener_(session_key, stream, newest);
  }
}

}  // namespace banyan::sessiond
