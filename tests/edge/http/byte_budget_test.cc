// SPDX-License-Identifier: Apache-2.0
#include "edge/http/byte_budget.h"

#include <gmock/gmock.h>

#include <memory>

namespace banyan::edge {
namespace {

TEST(ByteBudgetTest, HoldsShareOneLimit) {
  const auto budget = std::make_shared<ByteBudget>(10);
  ByteBudget::Hold first(budget), second(budget);
  EXPECT_TRUE(first.GrowTo(6));
  EXPECT_TRUE(second.GrowTo(4));
  EXPECT_FALSE(second.GrowTo(5));
  EXPECT_EQ(budget->held(), 10u);
  first.Release();
  EXPECT_TRUE(second.GrowTo(10));
}

TEST(ByteBudgetTest, AHoldGivesItselfBackOnce) {
  const auto budget = std::make_shared<ByteBudget>(10);
  {
    ByteBudget::Hold hold(budget);
    EXPECT_TRUE(hold.GrowTo(3));
    EXPECT_TRUE(hold.GrowTo(3));
    hold.Release();
    EXPECT_TRUE(hold.GrowTo(7));
  }
  EXPECT_EQ(budget->held(), 0u);
}

}  // namespace
}  // namespace banyan::edge
