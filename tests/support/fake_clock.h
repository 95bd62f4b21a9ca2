// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_FAKE_CLOCK_H_
#define TESTS_SUPPORT_FAKE_CLOCK_H_

#include <functional>
#include <mutex>

#include "absl/time/time.h"

namespace banyan {

// A clock that moves only when told. Thread-safe.
class FakeClock {
 public:
  absl::Time Now() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }
  void Advance(absl::Duration by) {
    const std::lock_guard<std::mutex> lock(mutex_);
    now_ += by;
  }
  // What takes its time as a function. The clock outlives it.
  std::function<absl::Time()> AsFunction() {
    return [this] { return Now(); };
  }

 private:
  mutable std::mutex mutex_;
  absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);  // Guarded by mutex_.
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_FAKE_CLOCK_H_
