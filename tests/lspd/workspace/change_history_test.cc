// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/change_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::lspd {
namespace {

TEST(ChangeHistoryTest, TellsEachPathOnceAfterACount) {
  ChangeHistory history(10);
  history.Note("old", ChangeKind::kChanged);
  const uint64_t seen = history.count();
  history.Note("b", ChangeKind::kChanged);
  history.Note("a", ChangeKind::kCreated);
  history.Note("b", ChangeKind::kDeleted);
  const FileChanges changes = history.Since(seen);
  EXPECT_FALSE(changes.is_everything_unknown);
  EXPECT_EQ(changes.count, history.count());
  ASSERT_EQ(changes.changes.size(), 2u);
  EXPECT_EQ(changes.changes[0].relative_path, "a");
  EXPECT_EQ(changes.changes[0].kind, ChangeKind::kCreated);
  EXPECT_EQ(changes.changes[1].kind, ChangeKind::kDeleted);
  EXPECT_TRUE(history.Since(changes.count).changes.empty());
}

TEST(ChangeHistoryTest, JoinsKindsToWhatAReaderMustKnow) {
  const auto kind_after = [](ChangeKind first, ChangeKind second) {
    ChangeHistory history(10);
    const uint64_t seen = history.count();
    history.Note("a", first);
    history.Note("a", second);
    return history.Since(seen).changes[0].kind;
  };
  EXPECT_EQ(kind_after(ChangeKind::kCreated, ChangeKind::kChanged),
            ChangeKind::kCreated);
  EXPECT_EQ(kind_after(ChangeKind::kDeleted, ChangeKind::kCreated),
            ChangeKind::kChanged);
  EXPECT_EQ(kind_after(ChangeKind::kCreated, ChangeKind::kDeleted),
            ChangeKind::kDeleted);
  EXPECT_EQ(kind_after(ChangeKind::kChanged, ChangeKind::kChanged),
            ChangeKind::kChanged);
}

TEST(ChangeHistoryTest, KnowsWhenItDoesNotKnow) {
  ChangeHistory history(2);
  const uint64_t start = history.count();
  history.Note("a", ChangeKind::kChanged);
  const uint64_t after_a = history.count();
  history.Note("b", ChangeKind::kChanged);
  EXPECT_FALSE(history.Since(start).is_everything_unknown);
  history.Note("c", ChangeKind::kChanged);
  EXPECT_TRUE(history.Since(start).is_everything_unknown);
  EXPECT_FALSE(history.Since(after_a).is_everything_unknown);
  EXPECT_EQ(history.Since(after_a).changes.size(), 2u);
  // From another life of the counter.
  EXPECT_TRUE(history.Since(history.count() + 1).is_everything_unknown);
}

TEST(ChangeHistoryTest, ForgettingMovesTheNumber) {
  ChangeHistory history(10);
  const uint64_t start = history.count();
  history.Forget();
  EXPECT_GT(history.count(), start);
  EXPECT_TRUE(history.Since(start).is_everything_unknown);
  EXPECT_FALSE(history.Since(history.count()).is_everything_unknown);
}

TEST(ChangeHistoryTest, AMoveWithoutAFileTellsNoFile) {
  ChangeHistory history(10);
  const uint64_t start = history.count();
  history.Move();
  EXPECT_GT(history.count(), start);
  EXPECT_FALSE(history.Since(start).is_everything_unknown);
  EXPECT_TRUE(history.Since(start).changes.empty());
}

}  // namespace
}  // namespace banyan::lspd
