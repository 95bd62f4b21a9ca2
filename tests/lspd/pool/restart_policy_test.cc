// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/restart_policy.h"

#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

class RestartPolicyTest : public testing::Test {
 protected:
  // A start at the earliest time, and a death right after it.
  void DieAgain() {
    now_ = std::max(now_, policy_.NextStart(now_));
    policy_.OnStart(now_);
    policy_.OnDeath(now_);
  }
  absl::Duration Pause() const { return policy_.NextStart(now_) - now_; }

  RestartPolicy policy_;
  absl::Time now_ = absl::FromUnixSeconds(10'000);
};

TEST_F(RestartPolicyTest, StartsAtOnceWhatHasNotDied) {
  EXPECT_EQ(policy_.NextStart(now_), absl::InfinitePast());
  policy_.OnStart(now_);
  EXPECT_EQ(policy_.NextStart(now_), absl::InfinitePast());
}

TEST_F(RestartPolicyTest, PausesGrowWithEachDeath) {
  DieAgain();
  EXPECT_LE(Pause(), absl::ZeroDuration());
  DieAgain();
  EXPECT_EQ(Pause(), absl::Seconds(1));
  DieAgain();
  EXPECT_EQ(Pause(), absl::Seconds(2));
  DieAgain();
  EXPECT_EQ(Pause(), absl::Seconds(4));
}

// 37 restarts in a row, since only failed starts were counted.
TEST_F(RestartPolicyTest, DeathsAfterAGoodStartCountToo) {
  policy_.OnStart(now_);
  for (int death = 0; death < 3; ++death) {
    now_ += absl::Seconds(10);
    policy_.OnDeath(now_);
  }
  EXPECT_EQ(Pause(), absl::Seconds(2));
}

TEST_F(RestartPolicyTest, FiveStartsInAWindowAreTheMost) {
  for (int start = 0; start < 5; ++start) DieAgain();
  EXPECT_TRUE(policy_.IsHalfOpen(now_));
  EXPECT_EQ(Pause(), absl::Seconds(60));
}

TEST_F(RestartPolicyTest, NothingIsBannedForEver) {
  for (int start = 0; start < 50; ++start) {
    DieAgain();
    EXPECT_LE(Pause(), absl::Seconds(60));
  }
}

TEST_F(RestartPolicyTest, AQuietWindowForgivesEverything) {
  for (int start = 0; start < 5; ++start) DieAgain();
  now_ += absl::Seconds(181);
  EXPECT_FALSE(policy_.IsHalfOpen(now_));
  EXPECT_EQ(policy_.NextStart(now_), absl::InfinitePast());
}

TEST_F(RestartPolicyTest, ManyGoodStartsAreNoReasonToWait) {
  for (int start = 0; start < 9; ++start) policy_.OnStart(now_);
  EXPECT_EQ(policy_.NextStart(now_), absl::InfinitePast());
}

}  // namespace
}  // namespace banyan::lspd
