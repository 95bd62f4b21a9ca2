// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/text_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lspd/protocol/text_position.h"

namespace banyan::lspd {
namespace {

using Spans = std::vector<std::pair<size_t, size_t>>;

TEST(TextBlocksTest, BelievesOnlyWhatStandsInTheText) {
  int64_t dropped = 0;
  const std::string text = "one\ntwo\n";
  EXPECT_EQ(TrueSpans(text, {{4, "two\n", {{0, 3}}}}, &dropped),
            (Spans{{4, 7}}));
  EXPECT_EQ(dropped, 0);
  EXPECT_TRUE(TrueSpans(text, {{4, "other\n", {{0, 3}}}}, &dropped).empty());
  EXPECT_TRUE(TrueSpans(text, {{0, "two\n", {{0, 3}}}}, &dropped).empty());
  EXPECT_TRUE(TrueSpans(text, {{4, "two\nmore", {{0, 3}}}}, &dropped).empty());
  EXPECT_TRUE(TrueSpans(text, {{400, "", {{0, 0}}}}, &dropped).empty());
  EXPECT_EQ(dropped, 4);
}

TEST(TextBlocksTest, CountsFromBehindAByteOrderMark) {
  int64_t dropped = 0;
  EXPECT_EQ(TrueSpans("\xef\xbb\xbfone\n", {{0, "one\n", {{0, 3}}}}, &dropped),
            (Spans{{3, 6}}));
}

TEST(TextBlocksTest, AMatchThatEndsWithALineEndStaysOnItsLine) {
  const std::vector<TextBlock> blocks =
      BlocksOf("one\ntwo\n", {{0, 4}}, 0, 0, 100);
  ASSERT_EQ(blocks.size(), 1u);
  ASSERT_EQ(blocks[0].lines.size(), 1u);
  EXPECT_EQ(blocks[0].lines[0].text, "one");
}

TEST(TextBlocksTest, AnEmptyMatchHasALine) {
  const std::vector<TextBlock> blocks =
      BlocksOf("one\n\nthree\n", {{4, 4}}, 0, 0, 100);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].lines[0].number, 2);
}

TEST(TextBlocksTest, ContextEndsAtTheLastLine) {
  const std::vector<TextBlock> blocks = BlocksOf("1\n2\n", {{0, 1}}, 5, 5, 100);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].lines.size(), 2u);
}

TEST(TextBlocksTest, CutsBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "é";
  for (size_t limit = 10; limit < 20; ++limit) {
    for (size_t at = 0; at < line.size(); at += 7) {
      EXPECT_TRUE(IsValidUtf8(CutLine(line, at, limit)));
      EXPECT_EQ(CutLine(line, at, limit).find("\xef\xbf\xbd"),
                std::string::npos);
    }
  }
  EXPECT_EQ(CutLine("short", 3, 10), "short");
}

TEST(TextBlocksTest, AskingForTwoThousandMillionLinesIsTheWholeFile) {
  constexpr int kMost = std::numeric_limits<int>::max();
  const std::vector<TextBlock> blocks =
      BlocksOf("1\n2 x\n3\n", {{4, 5}}, kMost, kMost, 100);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].lines.size(), 3u);
}

}  // namespace
}  // namespace banyan::lspd
