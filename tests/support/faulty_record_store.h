// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_FAULTY_RECORD_STORE_H_
#define TESTS_SUPPORT_FAULTY_RECORD_STORE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/rpc/error_reason.h"
#include "sessiond/store/memory_record_store.h"
#include "sessiond/store/record_store.h"

namespace banyan {

// A store that fails on demand, and counts; a memory store unless one is given.
class FaultyRecordStore : public sessiond::RecordStore {
 public:
  explicit FaultyRecordStore(sessiond::Clock now)
      : store_(sessiond::NewMemoryRecordStore(std::move(now))) {}
  explicit FaultyRecordStore(std::unique_ptr<sessiond::RecordStore> store)
      : store_(std::move(store)) {}

  // A write for which this is true fails with its `words`.
  std::function<std::optional<std::string>(const sessiond::RecordWrite&)>
      fails_write;
  // Runs after each load, with what was loaded: the place for a rival.
  std::function<void()> after_load;
  bool fails_reads = false;
  std::atomic<int> writes = 0;  // That came in.

  static absl::Status Unreachable(const std::string& words) {
    return rpc::Error(rpc::v1::ERROR_REASON_STORE_UNREACHABLE, words);
  }

  absl::StatusOr<sessiond::WriteResult> Write(
      sessiond::RecordWrite write) override {
    ++writes;
    if (fails_write) {
      const std::optional<std::string> words = fails_write(write);
      if (words.has_value()) return Unreachable(*words);
    }
    return store_->Write(std::move(write));
  }

  absl::StatusOr<std::optional<sessiond::Record>> Load(
      sessiond::RecordKind kind, absl::string_view key) override {
    if (fails_reads) return Unreachable("no reads");
    auto record = store_->Load(kind, key);
    if (after_load) {
      // A rival that loads too must not call itself.
      const std::function<void()> rival = std::exchange(after_load, nullptr);
      rival();
    }
    return record;
  }

  absl::StatusOr<std::vector<sessiond::Record>> List(
      sessiond::RecordKind kind,
      std::optional<std::string> principal) override {
    if (fails_reads) return Unreachable("no reads");
    return store_->List(kind, std::move(principal));
  }

  absl::StatusOr<sessiond::History> ChangesSince(int64_t revision) override {
    if (fails_reads) return Unreachable("no reads");
    return store_->ChangesSince(revision);
  }

  absl::Status CatchUp() override {
    if (fails_reads) return Unreachable("no reads");
    return store_->CatchUp();
  }

  void SetChangeListener(
      std::function<void(const sessiond::RecordChange&)> listener) override {
    store_->SetChangeListener(std::move(listener));
  }

 private:
  std::unique_ptr<sessiond::RecordStore> store_;
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_FAULTY_RECORD_STORE_H_
