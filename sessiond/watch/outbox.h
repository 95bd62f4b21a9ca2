// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_WATCH_OUTBOX_H_
#define SESSIOND_WATCH_OUTBOX_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace banyan::sessiond {

// Messages on their way into one stream: many put them in, one thread takes
// them out and writes. A peer that does not read closes it by overflow, so that
// memory stays bounded; it comes back and asks from where it was. Thread-safe.
template <typename Message>
class Outbox {
 public:
  explicit Outbox(size_t capacity) : capacity_(capacity) {}

  // Dropped once it is closed.
  void Push(Message message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_) return;
    if (messages_.size() >= capacity_) {
      is_closed_ = true;
      has_overflowed_ = true;
      messages_.clear();
    } else {
      messages_.push_back(std::move(message));
    }
    grew_.notify_one();
  }

  // Only while more than half of the places are free; for what may be left out.
  void PushHint(Message message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_ || messages_.size() >= capacity_ / 2) return;
    messages_.push_back(std::move(message));
    grew_.notify_one();
  }

  // Blocks for the next message; nothing once it is closed and empty.
  std::optional<Message> Next() {
    std::unique_lock<std::mutex> lock(mutex_);
    grew_.wait(lock, [this] { return is_closed_ || !messages_.empty(); });
    if (messages_.empty()) return std::nullopt;
    Message message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }

  // What is in it is still given out.
  void Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_closed_ = true;
    grew_.notify_one();
  }

  bool has_overflowed() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return has_overflowed_;
  }

 private:
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable grew_;
  std::deque<Message> messages_;  // Guarded by mutex_.
  bool is_closed_ = false;        // Guarded by mutex_.
  bool has_overflowed_ = false;   // Guarded by mutex_.
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_WATCH_OUTBOX_H_
