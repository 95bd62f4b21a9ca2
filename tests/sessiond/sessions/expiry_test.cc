// SPDX-License-Identifier: Apache-2.0
#include "sessiond/sessions/expiry.h"

#include <gtest/gtest.h>

namespace banyan::sessiond {
namespace {

constexpr absl::Duration kMs = absl::Milliseconds(1);
const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);
constexpr LifeLimits kLimits;

TEST(ExpiryTest, TheIdleLimitIsKeptToTheMillisecond) {
  const absl::Time used = kStart + absl::Hours(3);
  const absl::Time end = used + absl::Hours(24);
  EXPECT_EQ(JudgeLife(kStart, used, end - kMs, kLimits), Life::kLive);
  EXPECT_EQ(JudgeLife(kStart, used, end, kLimits), Life::kExpiredIdle);
}

TEST(ExpiryTest, TheAbsoluteLimitEndsEvenWhatIsInUse) {
  const absl::Time end = kStart + absl::Hours(24 * 7);
  EXPECT_EQ(JudgeLife(kStart, end - kMs, end - kMs, kLimits), Life::kLive);
  EXPECT_EQ(JudgeLife(kStart, end - kMs, end, kLimits), Life::kExpiredAbsolute);
}

TEST(ExpiryTest, AClockThatWasSetBackEndsNothing) {
  EXPECT_EQ(JudgeLife(kStart, kStart, kStart - absl::Hours(1), kLimits),
            Life::kLive);
}

TEST(ExpiryTest, AKillNeverShortensALife) {
  const absl::Duration lag = LastUseLag(kLimits);
  EXPECT_EQ(lag, absl::Minutes(72));
  // Long stopped: the last use can have been one lag after the stored one.
  EXPECT_EQ(LatestLastUse(kStart, kStart + absl::Hours(10), kLimits),
            kStart + lag);
  // Killed soon after: not later than this process began.
  EXPECT_EQ(LatestLastUse(kStart, kStart + absl::Minutes(5), kLimits),
            kStart + absl::Minutes(5));
  // Stored by this process: exact.
  EXPECT_EQ(LatestLastUse(kStart, kStart - absl::Hours(1), kLimits), kStart);
}

}  // namespace
}  // namespace banyan::sessiond
