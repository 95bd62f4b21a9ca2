// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

MemoryUse Use(const char* key, int64_t bytes, bool is_leased, int last_used,
              int64_t hard_limit = 0) {
  return {key, bytes, is_leased, absl::FromUnixSeconds(last_used), hard_limit};
}

TEST(MemoryBudgetTest, NobodyGoesWhileAllFit) {
  const MemoryVerdict verdict =
      JudgeMemory({Use("a", 50, false, 1), Use("b", 50, false, 2)}, 100);
  EXPECT_THAT(verdict.stop, IsEmpty());
  EXPECT_THAT(verdict.drain, IsEmpty());
}

TEST(MemoryBudgetTest, TheLongestIdleGoFirstUntilTheRestFits) {
  const MemoryVerdict verdict =
      JudgeMemory({Use("new", 40, false, 9), Use("old", 40, false, 1),
                   Use("older", 40, false, 0), Use("newest", 40, false, 10)},
                  100);
  EXPECT_THAT(verdict.stop, ElementsAre("older", "old"));
}

TEST(MemoryBudgetTest, OfEquallyIdleOnesTheLargestGoes) {
  const MemoryVerdict verdict = JudgeMemory(
      {Use("small", 20, false, 1), Use("large", 90, false, 1)}, 100);
  EXPECT_THAT(verdict.stop, ElementsAre("large"));
}

TEST(MemoryBudgetTest, WhatIsInUseNeverGoesForTheBudget) {
  const MemoryVerdict verdict =
      JudgeMemory({Use("a", 500, true, 1), Use("b", 500, true, 2)}, 100);
  EXPECT_THAT(verdict.stop, IsEmpty());
  EXPECT_THAT(verdict.drain, IsEmpty());
}

TEST(MemoryBudgetTest, OverItsOwnLimitIsEndedOrDrained) {
  const MemoryVerdict verdict =
      JudgeMemory({Use("idle", 60, false, 5, 50), Use("used", 60, true, 5, 50),
                   Use("within", 50, false, 1, 50)},
                  1000);
  EXPECT_THAT(verdict.stop, ElementsAre("idle"));
  EXPECT_THAT(verdict.drain, ElementsAre("used"));
}

TEST(MemoryBudgetTest, WhatIsEndedForItsOwnLimitMakesRoomForOthers) {
  const MemoryVerdict verdict = JudgeMemory(
      {Use("huge", 90, false, 9, 50), Use("old", 60, false, 1)}, 100);
  EXPECT_THAT(verdict.stop, ElementsAre("huge"));
}

}  // namespace
}  // namespace banyan::lspd
