// SPDX-License-Identifier: Apache-2.0
//
// When a record is over. Pure: time is an argument.
#ifndef SESSIOND_SESSIONS_EXPIRY_H_
#define SESSIOND_SESSIONS_EXPIRY_H_

#include "absl/time/time.h"

namespace banyan::sessiond {

// A lunch break must not end an agent, so the idle limit is a day.
struct LifeLimits {
  absl::Duration idle = absl::Hours(24);
  absl::Duration absolute = absl::Hours(24 * 7);
};

enum class Life { kLive, kExpiredIdle, kExpiredAbsolute };

// At the limit itself it is over, to the millisecond. The absolute limit wins
// when both are past. A time before `created` (the clock was set back) is live.
Life JudgeLife(absl::Time created, absl::Time last_used, absl::Time now,
               const LifeLimits& limits);

// How far a stored last use may lag behind the real one.
absl::Duration LastUseLag(const LifeLimits& limits);

// The latest moment at which a record can have been used that this process has
// not seen used: the stored time plus the lag, but not after the process began.
// So a kill never shortens a life.
absl::Time LatestLastUse(absl::Time stored, absl::Time process_start,
                         const LifeLimits& limits);

}  // namespace banyan::sessiond

#endif  // SESSIOND_SESSIONS_EXPIRY_H_
