// SPDX-License-Identifier: Apache-2.0
#include "lspd/protocol/text_position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace banyan::lspd {
namespace {

constexpr PositionEncoding kEncodings[] = {PositionEncoding::kUtf8,
                                           PositionEncoding::kUtf16,
                                           PositionEncoding::kUtf32};

// Brute force: the text as a list of code points with their offsets, decoded
// bit by bit and without any table.
struct Point {
  uint32_t value;
  size_t offset;
};

bool IsTail(const std::string& text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) >> 6) == 2;
}

// The sequence that begins at `at`, if it is well formed.
bool DecodeWellFormed(const std::string& text, size_t at, uint32_t* value,
                      size_t* size) {
  const auto first = static_cast<unsigned char>(text[at]);
  const size_t tails = first < 0x80         ? 0
                       : (first >> 5) == 6  ? 1
                       : (first >> 4) == 14 ? 2
                       : (first >> 3) == 30 ? 3
                                            : 9;
  if (tails == 9) return false;
  uint32_t code = tails == 0 ? first : first & (0x3Fu >> tails);
  for (size_t i = 1; i <= tails; ++i) {
    if (!IsTail(text, at + i)) return false;
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  }
  const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (code < least[tails] || code > 0x10FFFF ||
      (code >= 0xD800 && code <= 0xDFFF)) {
    return false;
  }
  *value = code;
  *size = tails + 1;
  return true;
}

// Could these bytes be the beginning of a well-formed sequence? Tried with all
// completions there are.
bool IsPrefixOfWellFormed(const std::string& bytes) {
  uint32_t value = 0;
  size_t size = 0;
  for (const char filler : {'\x80', '\x90', '\xA0', '\xBF'}) {
    for (size_t missing = 1; missing <= 3; ++missing) {
      const std::string full = bytes + std::string(missing, filler);
      if (DecodeWellFormed(full, 0, &value, &size) && size == full.size()) {
        return true;
      }
    }
  }
  return false;
}

std::vector<Point> PointsOf(const std::string& text) {
  std::vector<Point> points;
  for (size_t at = 0; at < text.size();) {
    uint32_t value = 0xFFFD;
    size_t size = 1;
    if (!DecodeWellFormed(text, at, &value, &size)) {
      value = 0xFFFD;
      size = 1;
      while (at + size < text.size() &&
             IsPrefixOfWellFormed(text.substr(at, size + 1))) {
        ++size;
      }
    }
    points.push_back({value, at});
    at += size;
  }
  return points;
}

int UnitsOf(uint32_t value, PositionEncoding encoding) {
  if (encoding == PositionEncoding::kUtf32) return 1;
  if (encoding == PositionEncoding::kUtf16) return value > 0xFFFF ? 2 : 1;
  return value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
}

// Every place in a text, in all systems at once, by walking over it.
struct Place {
  size_t offset;
  TextPosition text;
  int line;
  int units[3];
};

std::vector<Place> PlacesOf(const std::string& text) {
  std::vector<Place> places;
  const std::vector<Point> points = PointsOf(text);
  Place place = {0, {1, 1}, 0, {0, 0, 0}};
  for (size_t i = 0; i < points.size(); ++i) {
    const uint32_t value = points[i].value;
    place.offset = points[i].offset;
    if (i == 0 && value == 0xFEFF) continue;
    const bool follows_cr = i > 0 && points[i - 1].value == '\r';
    if (!(value == '\n' && follows_cr)) places.push_back(place);
    const bool ends_line =
        value == '\n' || (value == '\r' && !(i + 1 < points.size() &&
                                             points[i + 1].value == '\n'));
    if (ends_line) {
      ++place.line;
      place.text = {place.text.line + 1, 1};
      place.units[0] = place.units[1] = place.units[2] = 0;
    } else if (value != '\r') {
      ++place.text.column;
      for (int e = 0; e < 3; ++e) {
        place.units[e] += UnitsOf(value, kEncodings[e]);
      }
    }
  }
  place.offset = text.size();
  places.push_back(place);
  return places;
}

void CheckAgainstBruteForce(const std::string& text) {
  SCOPED_TRACE(absl::CHexEscape(text));
  const LineIndex index(text);
  const std::vector<Place> places = PlacesOf(text);
  ASSERT_EQ(index.line_count(), places.back().text.line);
  for (const Place& place : places) {
    ASSERT_EQ(index.PositionOf(place.offset), place.text);
    ASSERT_EQ(index.OffsetOf(place.text), place.offset);
    for (int e = 0; e < 3; ++e) {
      const LspPosition lsp = {place.line, place.units[e]};
      ASSERT_EQ(index.ToText(lsp, kEncodings[e]), place.text);
      ASSERT_EQ(index.ToLsp(place.text, kEncodings[e]), lsp);
      ASSERT_EQ(index.OffsetOf(lsp, kEncodings[e]), place.offset);
    }
  }
}

TEST(LineIndexTest, AgreesWithBruteForceOnChosenTexts) {
  for (const char* text : {"",
                           "a",
                           "\n",
                           "\r",
                           "\r\n",
                           "\n\r",
                           "a\nb",
                           "a\r\nb\r\n",
                           "a\rb\r",
                           "one\n\n\nfour",
                           "\r\r\n\n\r",
                           "\xEF\xBB\xBF",
                           "\xEF\xBB\xBF"
                           "a\nb",
                           "a\xEF\xBB\xBF"
                           "b",
                           "x = \"\xF0\x9F\x98\x80\"; y",
                           "e\xCC\x81"
                           "a\n",
                           "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB z",
                           "\xE4\xBD\xA0\xE5\xA5\xBD\n\xD0\x9F",
                           "tab\there",
                           "no\xC2\x85line\xE2\x80\xA8"
                           "end\x0B\x0C"}) {
    CheckAgainstBruteForce(text);
  }
}

TEST(LineIndexTest, AgreesWithBruteForceOnBadUtf8) {
  for (const char* text : {"\x80",
                           "\xBF\xBF",
                           "a\xC0\x80"
                           "b",
                           "\xC1\xBF",
                           "\xE0\x80\x80",
                           "\xE0\x9F\xBF",
                           "\xED\xA0\x80",
                           "\xED\xBF\xBF",
                           "\xF0\x80\x80\x80",
                           "\xF0\x8F\xBF\xBF",
                           "\xF4\x90\x80\x80",
                           "\xF5\x80\x80\x80",
                           "\xFE\xFF",
                           "\xE2\x82",
                           "\xE2\x82\n",
                           "\xF0\x9F\x98",
                           "\xF0\x9F\x98"
                           "a",
                           "caf\xE9 ol\xE9\n",
                           "\xC3",
                           "\xC3\xC3\xA9",
                           "\xF0\x9F\xF0\x9F\x98\x80"}) {
    CheckAgainstBruteForce(text);
  }
}

TEST(LineIndexTest, AgreesWithBruteForceOnRandomTexts) {
  const std::vector<std::string> pieces = {"a",
                                           "b",
                                           " ",
                                           "\n",
                                           "\r",
                                           "\r\n",
                                           "\xC3\xA9",
                                           "\xE2\x82\xAC",
                                           "\xF0\x9F\x98\x80",
                                           "\xCC\x81",
                                           "\x80",
                                           "\xE2",
                                           "\xF0\x9F",
                                           "\xEF\xBB\xBF",
                                           "\xED\xA0\x80"};
  std::mt19937 random(20261130);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t left = random() % 12; left > 0; --left) {
      text += pieces[random() % pieces.size()];
    }
    CheckAgainstBruteForce(text);
    if (HasFatalFailure()) return;
  }
}

TEST(LineIndexTest, ACharacterPastTheEndOfItsLineIsTheEndOfTheLine) {
  const LineIndex index("abc\r\nde\n");
  EXPECT_EQ(index.ToText(LspPosition{0, 99}, PositionEncoding::kUtf16),
            (TextPosition{1, 4}));
  EXPECT_EQ(index.ToText(LspPosition{1, 2147483647}, PositionEncoding::kUtf8),
            (TextPosition{2, 3}));
  EXPECT_EQ(index.ToLsp(TextPosition{1, 99}, PositionEncoding::kUtf16),
            (LspPosition{0, 3}));
}

TEST(LineIndexTest, ALinePastTheEndIsTheEndOfTheText) {
  const LineIndex without("abc\nde");
  EXPECT_EQ(without.ToText(LspPosition{2, 0}, PositionEncoding::kUtf16),
            (TextPosition{2, 3}));
  EXPECT_EQ(without.ToLsp(TextPosition{9, 9}, PositionEncoding::kUtf16),
            (LspPosition{1, 2}));
}

TEST(LineIndexTest, NumbersBeforeTheStartAreTheStart) {
  const LineIndex index(
      "\xEF\xBB\xBF"
      "abc");
  EXPECT_EQ(index.ToText(LspPosition{-1, -1}, PositionEncoding::kUtf16),
            (TextPosition{1, 1}));
  EXPECT_EQ(index.OffsetOf(TextPosition{0, 0}), 3u);
  EXPECT_EQ(index.OffsetOf(TextPosition{-2147483647 - 1, -2147483647 - 1}), 3u);
  EXPECT_EQ(index.OffsetOf(TextPosition{1, -2147483647 - 1}), 3u);
}

TEST(LineIndexTest, TheMiddleOfASurrogatePairIsTheStartOfItsCharacter) {
  const LineIndex index(
      "a\xF0\x9F\x98\x80"
      "b");
  EXPECT_EQ(index.ToText(LspPosition{0, 2}, PositionEncoding::kUtf16),
            (TextPosition{1, 2}));
  for (int unit = 2; unit < 5; ++unit) {
    EXPECT_EQ(index.ToText(LspPosition{0, unit}, PositionEncoding::kUtf8),
              (TextPosition{1, 2}));
  }
  EXPECT_EQ(index.PositionOf(3), (TextPosition{1, 2}));
}

TEST(LineIndexTest, AnEndAtTheStartOfTheNextLineIsTheWholeLastLine) {
  const LspRange whole = {{1, 0}, {2, 0}};
  const LineIndex with_line_end("abc\nde\n");
  EXPECT_EQ(with_line_end.ToText(whole, PositionEncoding::kUtf16),
            (TextRange{{2, 1}, {3, 1}}));
  const LineIndex without_line_end("abc\nde");
  EXPECT_EQ(without_line_end.ToText(whole, PositionEncoding::kUtf16),
            (TextRange{{2, 1}, {2, 3}}));
}

TEST(LineIndexTest, LinesComeWithoutTheirEndsAndWithoutTheByteOrderMark) {
  const LineIndex index("\xEF\xBB\xBFone\r\ntwo\rthree\n");
  EXPECT_EQ(index.line_count(), 4);
  EXPECT_EQ(index.Line(1), "one");
  EXPECT_EQ(index.Line(2), "two");
  EXPECT_EQ(index.Line(3), "three");
  EXPECT_EQ(index.Line(4), "");
  EXPECT_EQ(index.Line(0), "");
  EXPECT_EQ(index.Line(5), "");
}

TEST(LineIndexTest, ASliceIsTheBytesOnDisk) {
  const LineIndex index(
      "a\xF0\x9F\x98\x80"
      "b\r\nc\xE9"
      "d");
  EXPECT_EQ(index.Slice({{1, 2}, {2, 2}}),
            "\xF0\x9F\x98\x80"
            "b\r\nc");
  EXPECT_EQ(index.Slice({{2, 2}, {2, 3}}), "\xE9");
  EXPECT_EQ(index.Slice({{2, 3}, {1, 1}}), "") << "backwards";
}

TEST(Utf8TextTest, EachBadSequenceBecomesOneReplacement) {
  EXPECT_EQ(Utf8Text("caf\xE9"), "caf\xEF\xBF\xBD");
  EXPECT_EQ(Utf8Text("\xF0\x9F\x98"
                     "x"),
            "\xEF\xBF\xBDx");
  EXPECT_EQ(Utf8Text("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Utf8Text("good \xE2\x82\xAC"), "good \xE2\x82\xAC");
}

TEST(Utf8TextTest, ColumnsAreTheSameInTheTextAndInItsRepair) {
  const std::string bytes =
      "a\xE9\xF0\x9F\x98 b\x80\xED\xA0\x80"
      "c";
  const std::string repaired = Utf8Text(bytes);
  EXPECT_FALSE(IsValidUtf8(bytes));
  EXPECT_TRUE(IsValidUtf8(repaired));
  const LineIndex disk(bytes);
  const LineIndex server(repaired);
  for (const PositionEncoding encoding : kEncodings) {
    for (int column = 1; column <= 12; ++column) {
      EXPECT_EQ(disk.ToLsp(TextPosition{1, column}, encoding),
                server.ToLsp(TextPosition{1, column}, encoding));
    }
  }
}

TEST(PositionEncodingTest, NamesComeBackAndUnknownOnesAreUtf16) {
  for (const PositionEncoding encoding : kEncodings) {
    EXPECT_EQ(PositionEncodingFromString(ToString(encoding)), encoding);
  }
  EXPECT_EQ(PositionEncodingFromString("utf-7"), PositionEncoding::kUtf16);
}

}  // namespace
}  // namespace banyan::lspd
