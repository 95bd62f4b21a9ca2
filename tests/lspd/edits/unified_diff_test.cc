// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/unified_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::lspd {
namespace {

std::string Lines(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) absl::StrAppend(&text, "line ", i, "\n");
  return text;
}

TEST(UnifiedDiffTest, ShowsAChangeWithThreeLinesAround) {
  const std::string before = Lines(1, 10);
  std::string after = before;
  after.replace(after.find("line 5\n"), 7, "five\n");
  EXPECT_EQ(UnifiedDiff(before, after, "a.txt"),
            "--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,7 @@\n line 2\n line 3\n "
            "line 4\n-line 5\n+five\n line 6\n line 7\n line 8\n");
}

TEST(UnifiedDiffTest, FarChangesAreBlocksOfTheirOwn) {
  const std::string diff =
      UnifiedDiff(absl::StrCat("a\n", Lines(1, 20), "b\n"),
                  absl::StrCat("A\n", Lines(1, 20), "B\n"), "f");
  EXPECT_THAT(diff, testing::HasSubstr("@@ -1,4 +1,4 @@"));
  EXPECT_THAT(diff, testing::HasSubstr("@@ -19,4 +19,4 @@"));
}

TEST(UnifiedDiffTest, ANewAndAGoneFileCountFromZero) {
  EXPECT_EQ(UnifiedDiff("", "x\n", "f"),
            "--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n");
  EXPECT_EQ(UnifiedDiff("x\n", "", "f"),
            "--- a/f\n+++ b/f\n@@ -1,1 +0,0 @@\n-x\n");
}

TEST(UnifiedDiffTest, AMissingLineEndAtTheEndIsTold) {
  EXPECT_THAT(UnifiedDiff("x", "x\n", "f"),
              testing::HasSubstr("-x\n\\ No newline at end of file\n+x\n"));
}

TEST(UnifiedDiffTest, LineEndsAreShownWhereNothingElseDiffers) {
  EXPECT_THAT(UnifiedDiff("x\n", "x\r\n", "f"),
              testing::HasSubstr("-x\n+x\\r\n"));
}

TEST(UnifiedDiffTest, VeryDifferentTextsAreShownAllTheSame) {
  std::string before;
  std::string after;
  for (int i = 0; i < 20'000; ++i) {
    absl::StrAppend(&before, "a", i, "\n");
    absl::StrAppend(&after, "b", i, "\n");
  }
  const std::string diff = UnifiedDiff(before, after, "f");
  EXPECT_THAT(diff, testing::HasSubstr("@@ -1,20000 +1,20000 @@"));
  EXPECT_LT(ShortDiff(before, after, "f", 500).size(), 700);
}

TEST(UnifiedDiffTest, EqualTextsHaveNone) {
  EXPECT_EQ(UnifiedDiff("a\n", "a\n", "f"), "");
}

}  // namespace
}  // namespace banyan::lspd
