// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/restart_policy.h"

#include <algorithm>

namespace banyan::lspd {
namespace {

constexpr absl::Duration kWindow = absl::Seconds(180);
constexpr int kMostStarts = 5;
constexpr absl::Duration kLongestPause = absl::Seconds(60);
constexpr size_t kRemembered = 16;

void Remember(std::deque<absl::Time>* times, absl::Time now) {
  times->push_back(now);
  if (times->size() > kRemembered) times->pop_front();
}

}  // namespace

void RestartPolicy::OnStart(absl::Time now) { Remember(&starts_, now); }

void RestartPolicy::OnDeath(absl::Time now) { Remember(&deaths_, now); }

int RestartPolicy::CountSince(const std::deque<absl::Time>& times,
                              absl::Time since) {
  return static_cast<int>(
      std::count_if(times.begin(), times.end(),
                    [&](absl::Time time) { return time > since; }));
}

bool RestartPolicy::IsHalfOpen(absl::Time now) const {
  return CountSince(starts_, now - kWindow) >= kMostStarts &&
         CountSince(deaths_, now - kWindow) > 0;
}

absl::Time RestartPolicy::NextStart(absl::Time now) const {
  const int deaths = CountSince(deaths_, now - kWindow);
  if (deaths == 0) return absl::InfinitePast();
  if (IsHalfOpen(now)) return deaths_.back() + kLongestPause;
  if (deaths == 1) return absl::InfinitePast();
  const absl::Duration pause =
      absl::Seconds(1) * (1 << std::min(deaths - 2, 10));
  return deaths_.back() + std::min(pause, kLongestPause);
}

}  // namespace banyan::lspd
