// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_READ_LIMITS_H_
#define EDGE_HTTP_READ_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace banyan::edge {

// How much of a request is read, and how long we wait for it.
struct ReadLimits {
  size_t max_head_bytes = 32 << 10;
  size_t max_head_lines = 100;
  size_t max_target_bytes = 8 << 10;
  uint64_t max_body_bytes = 8 << 20;
  absl::Duration head_timeout = absl::Seconds(10);  // From its first byte.
  // A body that brought less than this in a window is too slow.
  absl::Duration body_window = absl::Seconds(30);
  uint64_t body_bytes_per_window = 30 << 10;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_READ_LIMITS_H_
