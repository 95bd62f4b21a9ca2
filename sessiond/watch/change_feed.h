// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_WATCH_CHANGE_FEED_H_
#define SESSIOND_WATCH_CHANGE_FEED_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

// Tells everybody who asks what changes in a store, in order. Every change is
// told before the call that made it returns. The store outlives it and has no
// other listener. Thread-safe.
class ChangeFeed {
 public:
  using Listener = std::function<void(const RecordChange&)>;

  // Ends with its destructor: then the listener is not running and never runs
  // again. The feed outlives it.
  class Subscription {
   public:
    Subscription(ChangeFeed* feed, int64_t number)
        : feed_(feed), number_(number) {}
    ~Subscription();
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

   private:
    ChangeFeed* const feed_;
    const int64_t number_;
  };

  explicit ChangeFeed(RecordStore& store);
  ~ChangeFeed();
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

  // `listener` must be quick and must call neither feed nor store.
  std::unique_ptr<Subscription> Subscribe(Listener listener);

  // What is kept of the changes after `revision`. Subscribe first, then nothing
  // falls in between; what both name is the same change.
  absl::StatusOr<History> ChangesSince(int64_t revision) {
    return store_.ChangesSince(revision);
  }

  // See RecordStore.
  absl::Status CatchUp() { return store_.CatchUp(); }

  // Keys of the handles that ended at or after `since`.
  absl::StatusOr<std::vector<std::string>> HandlesEndedSince(absl::Time since);

 private:
  void Tell(const RecordChange& change);

  RecordStore& store_;
  std::mutex mutex_;
  std::map<int64_t, Listener> listeners_;  // Guarded by mutex_.
  int64_t next_number_ = 0;                // Guarded by mutex_.
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_WATCH_CHANGE_FEED_H_
