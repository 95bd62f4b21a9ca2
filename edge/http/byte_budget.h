// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_BYTE_BUDGET_H_
#define EDGE_HTTP_BYTE_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace banyan::edge {

// How many bytes of bodies all connections of a listener may hold together.
// Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(uint64_t limit) : limit_(limit) {}

  uint64_t held() const { return held_; }

  // One connection's part; gives itself back. Not thread-safe.
  class Hold {
   public:
    explicit Hold(std::shared_ptr<ByteBudget> budget)
        : budget_(std::move(budget)) {}
    ~Hold() { Release(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    // Shrinks or grows to `bytes` in all; else as GrowTo().
    bool SetTo(uint64_t bytes) {
      if (bytes < bytes_) {
        budget_->held_ -= bytes_ - bytes;
        bytes_ = bytes;
      }
      return GrowTo(bytes);
    }

    // Grows to `bytes` in all. False, and nothing changes, when there are not
    // as many left. REQUIRES: no less than before.
    bool GrowTo(uint64_t bytes) {
      const uint64_t more = bytes - bytes_;
      if (more == 0) return true;
      if ((budget_->held_ += more) > budget_->limit_) {
        budget_->held_ -= more;
        return false;
      }
      bytes_ = bytes;
      return true;
    }

    void Release() { budget_->held_ -= std::exchange(bytes_, 0); }

   private:
    const std::shared_ptr<ByteBudget> budget_;
    uint64_t bytes_ = 0;
  };

 private:
  const uint64_t limit_;
  std::atomic<uint64_t> held_ = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_BYTE_BUDGET_H_
