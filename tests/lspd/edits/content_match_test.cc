// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/content_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

std::string Replaced(absl::string_view text, const ContentQuery& query) {
  const auto changes = FindReplacements(text, query);
  EXPECT_THAT(changes, IsOk());
  if (!changes.ok()) return "";
  return ApplyChanges(text, *changes).value_or("overlap");
}

TEST(ContentMatchTest, ANeedleOverSeveralLinesFitsEveryKindOfLineEnd) {
  const ContentQuery query{.needle = "a\nb", .replacement = "x\ny"};
  EXPECT_EQ(Replaced("a\nb\n", query), "x\ny\n");
  EXPECT_EQ(Replaced("a\r\nb\r\n", query), "x\r\ny\r\n");
  EXPECT_EQ(Replaced("a\rb\r", query), "x\ry\r");
  EXPECT_EQ(Replaced("k\nl\r\na\r\nb\n", query), "k\nl\r\nx\r\ny\n");
}

TEST(ContentMatchTest, TheByteOrderMarkStays) {
  EXPECT_EQ(Replaced("\xEF\xBB\xBF"
                     "abc",
                     {.needle = "abc", .replacement = "d"}),
            "\xEF\xBB\xBF"
            "d");
}

TEST(ContentMatchTest, GroupsAreFilledInAndDoubledMarksStay) {
  EXPECT_EQ(Replaced("f(1, 2)", {.needle = R"(f\((\d), (\d)\))",
                                 .replacement = R"(g(\2, $1, ${2}, $$1, \\2))",
                                 .is_regex = true}),
            R"(g(2, 1, 2, $1, \2))");
  EXPECT_EQ(
      Replaced("a",
               {.needle = "a", .replacement = "$x \\n ${", .is_regex = true}),
      "$x \\n ${");
}

TEST(ContentMatchTest, AGroupThatIsNotThereIsRefused) {
  EXPECT_THAT(FindReplacements(
                  "a", {.needle = "a", .replacement = "$1", .is_regex = true}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST(ContentMatchTest, ExpressionsSeeLinesAndCrossThem) {
  EXPECT_EQ(Replaced("a\r\nb\r\n",
                     {.needle = "^b$", .replacement = "c", .is_regex = true}),
            "a\r\nc\r\n");
  EXPECT_EQ(Replaced("{\r\n 1\r\n}\r\n",
                     {.needle = "{.*}", .replacement = "{}", .is_regex = true}),
            "{}\r\n");
}

TEST(ContentMatchTest, WhatMatchesNothingOrIsNoExpressionIsRefused) {
  for (const char* pattern : {"x*", "(", "^"}) {
    EXPECT_THAT(
        FindReplacements(
            "ab", {.needle = pattern, .replacement = "", .is_regex = true}),
        HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID))
        << pattern;
  }
  EXPECT_THAT(FindReplacements("ab", {.needle = "", .replacement = ""}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST(ContentMatchTest, AnHostileExpressionEndsInLinearTime) {
  const std::string text(20'000, 'a');
  ASSERT_OK_AND_ASSIGN(
      const std::vector<TextChange> changes,
      FindReplacements(
          text, {.needle = "(a*)*b", .replacement = "", .is_regex = true}));
  EXPECT_TRUE(changes.empty());
}

TEST(ContentMatchTest, ANearMissIsPointedOut) {
  EXPECT_THAT(NearMiss("a\n  if (x) {\n", "if (x) {\n y"),
              testing::HasSubstr("line 2"));
  EXPECT_EQ(NearMiss("a\n", "nothing alike"), "");
}

}  // namespace
}  // namespace banyan::lspd
