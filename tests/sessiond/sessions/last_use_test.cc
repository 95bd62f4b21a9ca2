// SPDX-License-Identifier: Apache-2.0
#include "sessiond/sessions/last_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace banyan::sessiond {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);
constexpr LifeLimits kLimits = {.idle = absl::Hours(20)};  // The lag is 1 h.

TEST(LastUseTest, AUseIsDueWhenTheStoredOneLagsTooFar) {
  LastUse uses(kLimits, kStart);
  uses.Touch("key", kStart, kStart + absl::Minutes(59));
  EXPECT_THAT(uses.TakeDue(/*all=*/false), IsEmpty());
  uses.Touch("key", kStart, kStart + absl::Minutes(60));
  const auto due = uses.TakeDue(/*all=*/false);
  ASSERT_THAT(due, SizeIs(1));
  EXPECT_EQ(due[0].key, "key");
  EXPECT_EQ(due[0].last_used, kStart + absl::Minutes(60));
  EXPECT_THAT(uses.TakeDue(/*all=*/false), IsEmpty());
}

TEST(LastUseTest, TheFirstTouchAfterARestartCountsFromWhatIsStored) {
  LastUse uses(kLimits, kStart);
  uses.Touch("key", kStart - absl::Minutes(50), kStart + absl::Minutes(10));
  EXPECT_THAT(uses.TakeDue(/*all=*/false), SizeIs(1));
}

TEST(LastUseTest, TimeMovesForwardOnly) {
  LastUse uses(kLimits, kStart);
  uses.Touch("key", kStart, kStart + absl::Minutes(5));
  uses.Touch("key", kStart, kStart + absl::Minutes(2));
  EXPECT_EQ(uses.Of("key", kStart), kStart + absl::Minutes(5));
}

TEST(LastUseTest, WhatIsForgottenIsAsStored) {
  LastUse uses(kLimits, kStart);
  uses.Touch("key", kStart, kStart + absl::Minutes(5));
  uses.Forget("key");
  EXPECT_EQ(uses.Of("key", kStart), kStart);
  EXPECT_THAT(uses.TakeDue(/*all=*/true), IsEmpty());
}

}  // namespace
}  // namespace banyan::sessiond
