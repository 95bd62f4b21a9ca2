// SPDX-License-Identifier: Apache-2.0
#include "edge/http/rate_limit.h"

#include <algorithm>

namespace banyan::edge {
namespace {

// From here on callers that stay away are looked for.
constexpr size_t kManyCallers = 1000;

}  // namespace

absl::Duration RateLimit::Take(absl::string_view caller) {
  if (options_.per_second <= 0) return absl::ZeroDuration();
  const double most = 2 * options_.per_second;
  const absl::Time now = options_.now();
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = buckets_.find(caller);
  if (found == buckets_.end()) {
    ForgetFullLocked(now);
    found =
        buckets_
            .emplace(std::string(caller), Bucket{.tokens = most, .filled = now})
            .first;
  }
  Bucket& bucket = found->second;
  const double gained =
      absl::ToDoubleSeconds(now - bucket.filled) * options_.per_second;
  bucket.tokens = std::min(most, bucket.tokens + gained);
  bucket.filled = now;
  if (bucket.tokens < 1) {
    return absl::Seconds((1 - bucket.tokens) / options_.per_second);
  }
  bucket.tokens -= 1;
  return absl::ZeroDuration();
}

// REQUIRES: mutex_ is held.
void RateLimit::ForgetFullLocked(absl::Time now) {
  if (buckets_.size() < kManyCallers) return;
  // A bucket that is full again says nothing.
  for (auto one = buckets_.begin(); one != buckets_.end();) {
    const bool is_full = now - one->second.filled > absl::Seconds(2);
    one = is_full ? buckets_.erase(one) : std::next(one);
  }
}

}  // namespace banyan::edge
