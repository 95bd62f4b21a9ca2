// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/silence_watch.h"

#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

absl::Time At(int seconds) { return absl::FromUnixSeconds(1000 + seconds); }

TEST(SilenceWatchTest, ThreeTimeoutsInSilenceAreStuck) {
  SilenceWatch watch(absl::Seconds(30));
  EXPECT_FALSE(watch.OnTimeout(At(0), At(10)));
  EXPECT_FALSE(watch.OnTimeout(At(0), At(20)));
  EXPECT_TRUE(watch.OnTimeout(At(0), At(30)));
}

TEST(SilenceWatchTest, AnyWordInBetweenIsLife) {
  SilenceWatch watch(absl::Seconds(30));
  EXPECT_FALSE(watch.OnTimeout(At(0), At(10)));
  EXPECT_FALSE(watch.OnTimeout(At(0), At(20)));
  EXPECT_FALSE(watch.OnTimeout(At(25), At(60)));
  EXPECT_FALSE(watch.OnTimeout(At(25), At(61)));
  EXPECT_TRUE(watch.OnTimeout(At(25), At(62)));
}

// Short deadlines of impatient callers say little.
TEST(SilenceWatchTest, AServerIsGivenTime) {
  SilenceWatch watch(absl::Seconds(30));
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(watch.OnTimeout(At(0), At(i)));
  EXPECT_TRUE(watch.OnTimeout(At(0), At(31)));
}

TEST(SilenceWatchTest, OldTimeoutsDoNotCount) {
  SilenceWatch watch(absl::Seconds(1));
  EXPECT_FALSE(watch.OnTimeout(At(0), At(10)));
  EXPECT_FALSE(watch.OnTimeout(At(0), At(20)));
  EXPECT_FALSE(watch.OnTimeout(At(0), At(100)));
}

}  // namespace
}  // namespace banyan::lspd
