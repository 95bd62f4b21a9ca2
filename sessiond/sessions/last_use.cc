// SPDX-License-Identifier: Apache-2.0
#include "sessiond/sessions/last_use.h"

#include <algorithm>
#include <string>
#include <vector>

namespace banyan::sessiond {

void LastUse::Touch(absl::string_view key, absl::Time stored, absl::Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = uses_.find(key);
  if (found == uses_.end()) {
    uses_.emplace(std::string(key), Use{now, stored});
    return;
  }
  found->second.last = std::max(found->second.last, now);
}

absl::Time LastUse::Of(absl::string_view key, absl::Time stored) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = uses_.find(key);
  if (found == uses_.end()) {
    return LatestLastUse(stored, process_start_, limits_);
  }
  return std::max(found->second.last, stored);
}

std::vector<LastUse::Due> LastUse::TakeDue(bool all) {
  std::vector<Due> due;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [key, use] : uses_) {
    const bool lags = use.last - use.written >= LastUseLag(limits_);
    if (!lags && !all) continue;
    use.written = use.last;
    due.push_back({key, use.last});
  }
  return due;
}

void LastUse::Forget(absl::string_view key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = uses_.find(key);
  if (found != uses_.end()) uses_.erase(found);
}

}  // namespace banyan::sessiond
