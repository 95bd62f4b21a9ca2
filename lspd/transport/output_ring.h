// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_OUTPUT_RING_H_
#define LSPD_TRANSPORT_OUTPUT_RING_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// The last bytes that a process wrote to standard error. Text for people: it
// is shown in errors and logs, never read for state. Thread-safe.
class OutputRing {
 public:
  explicit OutputRing(size_t capacity = 16 << 10) : capacity_(capacity) {}

  void Append(absl::string_view bytes);

  // Oldest first, at most `capacity` bytes, starting at a line where possible.
  std::string Tail() const;

  // Including what has been forgotten.
  int64_t total_bytes() const;

 private:
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::string bytes_;        // Guarded by mutex_. Up to twice the capacity.
  int64_t total_bytes_ = 0;  // Guarded by mutex_.
};

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_OUTPUT_RING_H_
