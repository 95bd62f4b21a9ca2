// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_RATE_LIMIT_H_
#define EDGE_HTTP_RATE_LIMIT_H_

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace banyan::edge {

// How many requests one caller may make: so many a second, and twice that at
// once. Callers that stay away are forgotten. Thread-safe.
class RateLimit {
 public:
  struct Options {
    double per_second = 0;  // 0: no limit.
    std::function<absl::Time()> now;
  };

  explicit RateLimit(Options options) : options_(std::move(options)) {}

  // Zero: may go on, and is counted; else how long to wait.
  absl::Duration Take(absl::string_view caller);

 private:
  struct Bucket {
    double tokens;
    absl::Time filled;
  };

  void ForgetFullLocked(absl::Time now);

  const Options options_;
  std::mutex mutex_;
  std::map<std::string, Bucket, std::less<>> buckets_;  // Guarded by mutex_.
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_RATE_LIMIT_H_
