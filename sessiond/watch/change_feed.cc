// SPDX-License-Identifier: Apache-2.0
#include "sessiond/watch/change_feed.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {

ChangeFeed::Subscription::~Subscription() {
  const std::lock_guard<std::mutex> lock(feed_->mutex_);
  feed_->listeners_.erase(number_);
}

ChangeFeed::ChangeFeed(RecordStore& store) : store_(store) {
  store_.SetChangeListener(
      [this](const RecordChange& change) { Tell(change); });
}

ChangeFeed::~ChangeFeed() { store_.SetChangeListener(nullptr); }

std::unique_ptr<ChangeFeed::Subscription> ChangeFeed::Subscribe(
    Listener listener) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const int64_t number = next_number_++;
  listeners_.emplace(number, std::move(listener));
  return std::make_unique<Subscription>(this, number);
}

absl::StatusOr<std::vector<std::string>> ChangeFeed::HandlesEndedSince(
    absl::Time since) {
  ASSIGN_OR_RETURN(const History history, store_.ChangesSince(0));
  std::vector<std::string> keys;
  for (const RecordChange& change : history.changes) {
    if (change.kind == RecordKind::kWorkspace && change.is_over &&
        change.at >= since) {
      keys.push_back(change.key);
    }
  }
  return keys;
}

void ChangeFeed::Tell(const RecordChange& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [number, listener] : listeners_) listener(change);
}

}  // namespace banyan::sessiond
