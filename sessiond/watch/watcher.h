// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_WATCH_WATCHER_H_
#define SESSIOND_WATCH_WATCHER_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "banyan/session/v1/session_service.pb.h"
#include "sessiond/store/record_store.h"
#include "sessiond/watch/change_feed.h"
#include "sessiond/watch/outbox.h"
#include "sessiond/watch/ring_feed.h"

namespace banyan::sessiond {

// One edge's watch: what changed since a revision, then `synced`, then what
// changes from now on, with echoes in between. An echo says that everything
// that was acknowledged before the ping arrived has been sent. Between them
// come hints that a followed session's ring has grown. Thread-safe.
class Watcher {
 public:
  // Of messages that wait for a slow edge.
  static constexpr size_t kCapacity = 20'000 + kHistoryLimit;

  // Both feeds outlive it.
  Watcher(ChangeFeed& feed, RingFeed& rings);

  // Once. 0 = from now. A revision that is kept no more, or was never given
  // out, is answered by `resync`.
  //   STORE_UNREACHABLE
  absl::Status Start(int64_t from_revision);

  // What the edge says first or later: pings, sessions to follow or not. Start
  // does not look at these.
  void Hear(const session::v1::WatchRequest& request);

  // Blocks; nothing after Stop, or when the edge was too slow: it starts again
  // from where it was.
  std::optional<session::v1::WatchResponse> Next() { return outbox_.Next(); }
  void Stop() { outbox_.Close(); }
  bool was_too_slow() const { return outbox_.has_overflowed(); }

 private:
  void OnChange(const RecordChange& change);
  void OnGrowth(absl::string_view session_key, absl::string_view stream,
                int64_t newest);
  void Ping(int64_t number);
  // All with mutex_ held.
  void Send(const RecordChange& change);
  void SendResync();
  void SendSynced();

  ChangeFeed& feed_;
  Outbox<session::v1::WatchResponse> outbox_;
  std::mutex mutex_;
  bool is_started_ = false;  // Guarded by mutex_.
  int64_t sent_ = 0;  // Newest revision in the outbox. Guarded by mutex_.
  std::vector<RecordChange>
      early_;  // Came before Start was done. Guarded by mutex_.
  // Last: their end is the end of calls to OnChange and OnGrowth.
  std::unique_ptr<ChangeFeed::Subscription> subscription_;
  std::unique_ptr<RingFeed::Follower> follower_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_WATCH_WATCHER_H_
