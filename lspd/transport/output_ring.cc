// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/output_ring.h"

namespace banyan::lspd {

void OutputRing::Append(absl::string_view bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  total_bytes_ += static_cast<int64_t>(bytes.size());
  if (bytes.size() > capacity_) bytes.remove_prefix(bytes.size() - capacity_);
  bytes_.append(bytes.data(), bytes.size());
  if (bytes_.size() > 2 * capacity_) {
    bytes_.erase(0, bytes_.size() - capacity_);
  }
}

std::string OutputRing::Tail() const {
  std::lock_guard<std::mutex> lock(mutex_);
  absl::string_view tail(bytes_);
  if (tail.size() > capacity_) tail.remove_prefix(tail.size() - capacity_);
  if (total_bytes_ > static_cast<int64_t>(tail.size())) {
    const size_t line_end = tail.find('\n');
    if (line_end != absl::string_view::npos && line_end + 1 < tail.size()) {
      tail.remove_prefix(line_end + 1);
    }
  }
  return std::string(tail);
}

int64_t OutputRing::total_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return total_bytes_;
}

}  // namespace banyan::lspd
