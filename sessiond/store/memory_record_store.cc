// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/memory_record_store.h"

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "sessiond/store/record_map.h"

namespace banyan::sessiond {
namespace {

class MemoryRecordStore : public RecordStore {
 public:
  // Revisions begin with the time, so that those of an earlier life are never
  // mistaken for ours.
  explicit MemoryRecordStore(Clock now)
      : now_(std::move(now)), map_(absl::ToUnixMillis(now_())) {}

  absl::StatusOr<WriteResult> Write(RecordWrite write) override {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    const WriteResult verdict = map_.Judge(write, {});
    if (verdict != WriteResult::kDone) return verdict;
    const RecordChange change =
        map_.Describe(write, map_.revision() + 1, now_());
    map_.Apply(std::move(write), change);
    if (listener_) listener_(change);
    return verdict;
  }

  absl::StatusOr<std::optional<Record>> Load(RecordKind kind,
                                             absl::string_view key) override {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    return map_.Load(kind, key);
  }

  absl::StatusOr<std::vector<Record>> List(
      RecordKind kind, std::optional<std::string> principal) override {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    return map_.List(kind, principal);
  }

  absl::StatusOr<History> ChangesSince(int64_t revision) override {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    return map_.ChangesSince(revision);
  }

  void SetChangeListener(
      std::function<void(const RecordChange&)> listener) override {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    listener_ = std::move(listener);
  }

 private:
  const Clock now_;
  std::shared_mutex mutex_;
  RecordMap map_;                                      // Guarded by mutex_.
  std::function<void(const RecordChange&)> listener_;  // Guarded by mutex_.
};

}  // namespace

std::unique_ptr<RecordStore> NewMemoryRecordStore(Clock now) {
  if (now == nullptr) now = [] { return absl::Now(); };
  return std::make_unique<MemoryRecordStore>(std::move(now));
}

}  // namespace banyan::sessiond
