// SPDX-License-Identifier: Apache-2.0
#include "sessiond/sessions/expiry.h"

#include <algorithm>

namespace banyan::sessiond {

Life JudgeLife(absl::Time created, absl::Time last_used, absl::Time now,
               const LifeLimits& limits) {
  if (now >= created + limits.absolute) return Life::kExpiredAbsolute;
  if (now >= std::max(created, last_used) + limits.idle) {
    return Life::kExpiredIdle;
  }
  return Life::kLive;
}

absl::Duration LastUseLag(const LifeLimits& limits) { return limits.idle / 20; }

absl::Time LatestLastUse(absl::Time stored, absl::Time process_start,
                         const LifeLimits& limits) {
  return std::max(stored, std::min(stored + LastUseLag(limits), process_start));
}

}  // namespace banyan::sessiond
