// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/text_blocks.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/protocol/text_position.h"

namespace banyan::lspd {
namespace {

constexpr absl::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsContinuation(char c) { return (c & '\xc0') == '\x80'; }

// Where a line that matches is worth looking at: number → offset of its first
// match, seen from the line's start.
std::map<int, size_t> MatchingLines(
    const LineIndex& lines,
    const std::vector<std::pair<size_t, size_t>>& spans) {
  std::map<int, size_t> matching;
  for (const auto& [begin, end] : spans) {
    const int first = lines.PositionOf(begin).line;
    // A match that ends with a line end does not reach into the next line.
    const int last = end > begin ? lines.PositionOf(end - 1).line : first;
    const size_t line_start =
        lines.OffsetOf(TextPosition{.line = first, .column = 1});
    matching.emplace(first, begin - std::min(begin, line_start));
    for (int line = first + 1; line <= last; ++line) matching.emplace(line, 0);
  }
  return matching;
}

// A text that ends with a line end has no line after it.
int LastLineOf(const LineIndex& lines) {
  const int count = lines.line_count();
  return count > 1 && lines.Line(count).empty() ? count - 1 : count;
}

}  // namespace

std::vector<std::pair<size_t, size_t>> TrueSpans(
    absl::string_view text, const std::vector<RipgrepMatch>& claims,
    int64_t* dropped) {
  const size_t mark = absl::StartsWith(text, kByteOrderMark) ? 3 : 0;
  std::vector<std::pair<size_t, size_t>> spans;
  for (const RipgrepMatch& claim : claims) {
    const size_t start = mark + claim.offset;
    if (start > text.size() ||
        text.substr(start, claim.lines.size()) != claim.lines) {
      ++*dropped;
      continue;
    }
    for (const auto& [begin, end] : claim.spans) {
      spans.emplace_back(start + begin, start + end);
    }
  }
  std::sort(spans.begin(), spans.end());
  return spans;
}

std::vector<TextBlock> BlocksOf(
    absl::string_view text, const std::vector<std::pair<size_t, size_t>>& spans,
    int lines_before, int lines_after, size_t max_line_bytes) {
  const LineIndex lines(text);
  const int last = LastLineOf(lines);
  const std::map<int, size_t> matching = MatchingLines(lines, spans);

  std::vector<TextBlock> blocks;
  int shown = 0;  // The last line that stands in a block.
  for (const auto& [number, unused] : matching) {
    const int first =
        std::max({1, number - std::max(0, lines_before), shown + 1});
    if (blocks.empty() || first > shown + 1) blocks.emplace_back();
    // Never a sum: a caller may ask for any number of lines.
    const int end = lines_after < last - number ? number + lines_after : last;
    for (int line = first; line <= std::max(end, number); ++line) {
      const auto match = matching.find(line);
      const bool is_match = match != matching.end();
      blocks.back().lines.push_back(
          {.number = line,
           .text = CutLine(lines.Line(line), is_match ? match->second : 0,
                           max_line_bytes),
           .is_match = is_match});
      shown = line;
    }
  }
  return blocks;
}

std::string CutLine(absl::string_view line, size_t at, size_t limit) {
  if (line.size() <= limit) return Utf8Text(line);
  // A quarter of what is shown stands before the match.
  size_t begin = at > limit / 4 ? at - limit / 4 : 0;
  begin = std::min(begin, line.size() - limit);
  size_t end = begin + limit;
  while (begin > 0 && begin < end && IsContinuation(line[begin])) ++begin;
  while (end < line.size() && end > begin && IsContinuation(line[end])) --end;
  return absl::StrCat(begin > 0 ? "…" : "",
                      Utf8Text(line.substr(begin, end - begin)),
                      end < line.size() ? "…" : "");
}

}  // namespace banyan::lspd
