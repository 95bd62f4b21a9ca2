// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/text_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

TEST(TextChangeTest, ChangesReferToTheOriginalInAnyOrder) {
  ASSERT_OK_AND_ASSIGN(
      const std::string edited,
      ApplyChanges("one two three", {{8, 13, "3"}, {0, 3, "1"}}));
  EXPECT_EQ(edited, "1 two 3");
}

TEST(TextChangeTest, InsertionsAtOnePlaceKeepTheirOrder) {
  ASSERT_OK_AND_ASSIGN(
      const std::string edited,
      ApplyChanges("ab", {{1, 1, "x"}, {1, 1, "y"}, {1, 2, "B"}}));
  EXPECT_EQ(edited, "axyB");
}

TEST(TextChangeTest, OverlapsAndPlacesOutsideAreRefused) {
  EXPECT_THAT(ApplyChanges("abc", {{0, 2, ""}, {1, 3, ""}}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_THAT(ApplyChanges("abc", {{2, 4, ""}}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_THAT(ApplyChanges("abc", {{2, 1, ""}}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

// One change after the other, from the last to the first, is what all of them
// at once must come to.
std::string OneByOne(std::string text, const std::vector<TextChange>& sorted) {
  for (auto change = sorted.rbegin(); change != sorted.rend(); ++change) {
    text =
        text.substr(0, change->begin) + change->text + text.substr(change->end);
  }
  return text;
}

// A million with BANYAN_TEST_FULL.
TEST(TextChangeTest, RandomChangesLeaveAllOtherBytesAlone) {
  const int64_t wanted =
      std::getenv("BANYAN_TEST_FULL") != nullptr ? 1'000'000 : 100'000;
  std::mt19937 random(7);  // NOLINT: the same texts each time.
  const auto below = [&random](size_t limit) {
    return limit == 0 ? 0 : random() % limit;
  };
  const std::string alphabet = "ab\r\n\xC3\xA9\t\xFF";
  int64_t changes_made = 0;
  while (changes_made < wanted) {
    std::string text;
    for (size_t i = below(120); i > 0; --i) {
      text.push_back(alphabet[below(alphabet.size())]);
    }
    std::vector<TextChange> changes;
    size_t at = 0;
    while (changes.size() < 40) {
      at += below(6);
      if (at > text.size()) break;
      const size_t end = std::min(text.size(), at + below(5));
      changes.push_back({at, end, std::string(below(4), 'X')});
      at = end;
    }
    changes_made += static_cast<int64_t>(changes.size()) + 1;
    const std::string expected = OneByOne(text, changes);
    ASSERT_OK_AND_ASSIGN(const std::string edited, ApplyChanges(text, changes));
    ASSERT_EQ(edited, expected);
  }
}

TEST(TextChangeTest, TheLineEndIsThatOfThePlace) {
  const absl::string_view mixed = "a\nb\r\nc\rd";
  EXPECT_EQ(LineEndAt(mixed, 0), "\n");
  EXPECT_EQ(LineEndAt(mixed, 2), "\r\n");
  EXPECT_EQ(LineEndAt(mixed, 4), "\r\n");  // In the middle of the pair.
  EXPECT_EQ(LineEndAt(mixed, 5), "\r");
  EXPECT_EQ(LineEndAt(mixed, 7), "\r");  // Of the line before the last one.
  EXPECT_EQ(LineEndAt("", 0), "\n");
  EXPECT_EQ(LineEndAt("x\r\ny", 99), "\r\n");
}

TEST(TextChangeTest, ContentTakesTheLineEndOfThePlace) {
  EXPECT_EQ(WithLineEnds("a\nb\r\nc", "\r\n"), "a\r\nb\r\nc");
  EXPECT_EQ(WithLineEnds("a\r\nb\n", "\n"), "a\nb\n");
  EXPECT_EQ(WithLineEnds("\n\n", "\r"), "\r\r");
}

}  // namespace
}  // namespace banyan::lspd
