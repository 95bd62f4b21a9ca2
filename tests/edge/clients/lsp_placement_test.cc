// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/lsp_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

std::string FirstOf(const LspPlacement& placement, const std::string& root) {
  return placement.addresses()[placement.Order(root).front()];
}

TEST(LspPlacementTest, EveryEdgeAsksTheSameLspdWhateverTheOrderOfItsFlags) {
  const LspPlacement one({"a:1", "b:1", "c:1"});
  const LspPlacement other({"c:1", "a:1", "b:1"});
  for (int i = 0; i < 100; ++i) {
    const std::string root = absl::StrCat("/srv/project_", i);
    EXPECT_EQ(FirstOf(one, root), FirstOf(other, root));
  }
}

TEST(LspPlacementTest, EveryLspdStandsInTheOrderOnce) {
  const LspPlacement placement({"a:1", "b:1", "c:1"});
  const auto order = placement.Order("/srv/x");
  EXPECT_THAT(order, testing::UnorderedElementsAre(0, 1, 2));
}

TEST(LspPlacementTest, RootsSpreadAndFewMoveWhenOneIsAdded) {
  const LspPlacement three({"a:1", "b:1", "c:1"});
  const LspPlacement four({"a:1", "b:1", "c:1", "d:1"});
  std::set<std::string> used;
  int moved = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string root = absl::StrCat("/srv/project_", i);
    used.insert(FirstOf(three, root));
    if (FirstOf(three, root) != FirstOf(four, root)) {
      ++moved;
      EXPECT_EQ(FirstOf(four, root), "d:1");
    }
  }
  EXPECT_EQ(used.size(), 3);
  EXPECT_GT(moved, 50);
  EXPECT_LT(moved, 150);
}

TEST(LspPlacementTest, AnOwnerOnceToldStandsInFrontForItsRootOnly) {
  LspPlacement placement({"a:1", "b:1", "c:1"});
  const std::string root = "/srv/x";
  const size_t last = placement.Order(root).back();
  EXPECT_EQ(placement.Learn(root, placement.addresses()[last]), last);
  EXPECT_EQ(placement.Order(root).front(), last);
  EXPECT_THAT(placement.Order(root), testing::UnorderedElementsAre(0, 1, 2));
  const LspPlacement fresh({"a:1", "b:1", "c:1"});
  EXPECT_EQ(placement.Order("/srv/y"), fresh.Order("/srv/y"));
}

TEST(LspPlacementTest, AStrangerIsNotLearned) {
  LspPlacement placement({"a:1"});
  EXPECT_EQ(placement.Learn("/srv/x", "evil:1"), std::nullopt);
  EXPECT_THAT(placement.Order("/srv/x"), testing::ElementsAre(0));
}

}  // namespace
}  // namespace banyan::edge
