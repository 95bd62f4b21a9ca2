// SPDX-License-Identifier: Apache-2.0
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "sessiond/store/event_ring.h"
#include "sessiond/store/event_rings.h"

namespace banyan::sessiond {
namespace {

class MemoryEventRings : public EventRings {
 public:
  MemoryEventRings(Limits limits, Clock now)
      : limits_(limits), now_(std::move(now)) {}

  absl::StatusOr<std::vector<int64_t>> Append(absl::string_view session_key,
                                              absl::string_view stream,
                                              std::vector<std::string> events,
                                              bool ends_stream) override {
    std::vector<int64_t> ids;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto kept = Newest(session_key);
      bytes_ -= kept->second.ring.bytes();
      ids = kept->second.ring.Append(stream, std::move(events), ends_stream,
                                     limits_);
      bytes_ += kept->second.ring.bytes();
      while (bytes_ > limits_.total_bytes && !by_use_.empty()) {
        Remove(by_use_.front());
      }
    }
    const std::shared_lock<std::shared_mutex> lock(listener_mutex_);
    if (listener_ && !ids.empty()) listener_(session_key, stream, ids.back());
    return ids;
  }

  absl::StatusOr<Reading> Read(absl::string_view session_key,
                               absl::string_view stream,
                               int64_t after) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto kept = rings_.find(session_key);
    if (kept == rings_.end()) return Reading();
    return kept->second.ring.Read(stream, after);
  }

  void Forget(absl::string_view session_key) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto kept = rings_.find(session_key);
    if (kept != rings_.end()) Remove(kept);
  }

  void SetGrowthListener(GrowthListener listener) override {
    const std::unique_lock<std::shared_mutex> lock(listener_mutex_);
    listener_ = std::move(listener);
  }

 private:
  struct Kept;
  using Rings = std::map<std::string, Kept, std::less<>>;
  struct Kept {
    EventRing ring;
    std::list<Rings::iterator>::iterator use;
  };

  // Found or made, and used last of all.
  Rings::iterator Newest(absl::string_view session_key) {
    auto kept = rings_.find(session_key);
    if (kept != rings_.end()) {
      by_use_.splice(by_use_.end(), by_use_, kept->second.use);
      return kept;
    }
    // Above all that an earlier ring of this session can have given out.
    const int64_t last_id = absl::ToUnixMicros(now_());
    kept = rings_.emplace(session_key, Kept{EventRing(last_id), {}}).first;
    kept->second.use = by_use_.insert(by_use_.end(), kept);
    return kept;
  }

  void Remove(Rings::iterator kept) {
    bytes_ -= kept->second.ring.bytes();
    by_use_.erase(kept->second.use);
    rings_.erase(kept);
  }

  const Limits limits_;
  const Clock now_;
  std::mutex mutex_;
  Rings rings_;                        // Guarded by mutex_.
  std::list<Rings::iterator> by_use_;  // Idlest first. Guarded by mutex_.
  size_t bytes_ = 0;                   // Guarded by mutex_.
  std::shared_mutex listener_mutex_;
  GrowthListener listener_;  // Guarded by listener_mutex_.
};

}  // namespace

std::unique_ptr<EventRings> NewMemoryEventRings(EventRings::Limits limits,
                                                Clock now) {
  if (now == nullptr) now = [] { return absl::Now(); };
  return std::make_unique<MemoryEventRings>(limits, std::move(now));
}

}  // namespace banyan::sessiond
