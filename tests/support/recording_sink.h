// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_RECORDING_SINK_H_
#define TESTS_SUPPORT_RECORDING_SINK_H_

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "edge/mcp/mcp_handler.h"

namespace banyan::edge {

// An event stream that writes down what was sent: "open", "stay",
// "prime <id>", "<id>: <data>", "close <data>". Thread-safe.
class RecordingSink final : public EventSink {
 public:
  bool Open() override { return Note("open"); }
  bool OpenToStay() override { return Note("stay"); }
  bool Send(absl::string_view id, absl::string_view data) override {
    return Note(absl::StrCat(id, ": ", data));
  }
  bool Prime(absl::string_view id, absl::Duration) override {
    return Note(absl::StrCat("prime ", id));
  }
  void Close(absl::string_view last) override {
    if (!Note(last.empty() ? "close" : absl::StrCat("close ", last))) return;
    Leave();
  }
  void OnEnd(std::function<void()> on_end) override {
    {
      const std::lock_guard lock(mutex_);
      if (!is_over_) {
        on_end_ = std::move(on_end);
        return;
      }
    }
    on_end();
  }

  // The client goes.
  void Leave() {
    std::function<void()> on_end;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      on_end = std::exchange(on_end_, nullptr);
    }
    if (on_end) on_end();
  }

  // What was sent since the last call.
  std::vector<std::string> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  bool Note(std::string note) {
    const std::lock_guard lock(mutex_);
    if (!is_over_) notes_.push_back(std::move(note));
    return !is_over_;
  }

  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::string> notes_;
  std::function<void()> on_end_;
  bool is_over_ = false;
};

}  // namespace banyan::edge

#endif  // TESTS_SUPPORT_RECORDING_SINK_H_
