// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/unified_diff.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lspd/protocol/text_position.h"

namespace banyan::lspd {
namespace {

using Lines = std::vector<absl::string_view>;

constexpr int kContext = 3;
// Past so many differences the middle counts as replaced altogether.
constexpr int kMostDifferences = 1500;

struct Step {
  char mark;  // ' ', '-' or '+'.
  absl::string_view line;
};

Lines SplitLines(absl::string_view text) {
  Lines lines;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    if (end < text.size()) end += text.substr(end, 2) == "\r\n" ? 2 : 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

// The shortest edit script of two lists of lines (Myers, "An O(ND) Difference
// Algorithm", 1986), or all out and all in when it is long.
std::vector<Step> ScriptOf(const Lines& a, const Lines& b) {
  const int n = static_cast<int>(a.size());
  const int m = static_cast<int>(b.size());
  const int most = std::min(n + m, kMostDifferences);
  std::vector<int> furthest(static_cast<size_t>(2 * most + 3), 0);
  const auto at = [&](int k) -> int& {
    return furthest[static_cast<size_t>(k + most + 1)];
  };
  std::vector<std::vector<int>> history;
  int found = -1;
  for (int d = 0; d <= most && found < 0; ++d) {
    history.push_back(furthest);
    for (int k = -d; k <= d; k += 2) {
      const bool goes_down = k == -d || (k != d && at(k - 1) < at(k + 1));
      int x = goes_down ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 &&
             a[static_cast<size_t>(x)] == b[static_cast<size_t>(x - k)]) {
        ++x;
      }
      at(k) = x;
      if (x >= n && x - k >= m) {
        found = d;
        break;
      }
    }
  }
  std::vector<Step> script;
  if (found < 0) {
    for (const absl::string_view line : a) script.push_back({'-', line});
    for (const absl::string_view line : b) script.push_back({'+', line});
    return script;
  }
  int x = n;
  int y = m;
  for (int d = found; d > 0; --d) {
    furthest = history[static_cast<size_t>(d)];
    const int k = x - y;
    const bool went_down = k == -d || (k != d && at(k - 1) < at(k + 1));
    const int from_k = went_down ? k + 1 : k - 1;
    const int from_x = at(from_k);
    const int from_y = from_x - from_k;
    while (x > from_x && y > from_y) {
      script.push_back({' ', a[static_cast<size_t>(--x)]});
      --y;
    }
    if (went_down) {
      script.push_back({'+', b[static_cast<size_t>(--y)]});
    } else {
      script.push_back({'-', a[static_cast<size_t>(--x)]});
    }
  }
  while (x > 0) script.push_back({' ', a[static_cast<size_t>(--x)]});
  std::reverse(script.begin(), script.end());
  return script;
}

void AppendLine(const Step& step, bool shows_ends, std::string* out) {
  absl::string_view line = step.line;
  const size_t end = line.find_last_not_of("\r\n");
  const absl::string_view body =
      line.substr(0, end == absl::string_view::npos ? 0 : end + 1);
  const absl::string_view line_end = line.substr(body.size());
  out->push_back(step.mark);
  absl::StrAppend(out, Utf8Text(body));
  if (shows_ends && step.mark != ' ' && absl::StrContains(line_end, '\r')) {
    absl::StrAppend(out, "\\r");
  }
  out->push_back('\n');
  if (line_end.empty()) absl::StrAppend(out, "\\ No newline at end of file\n");
}

// Nothing but line ends differs somewhere.
bool DiffersInEnds(absl::string_view before, absl::string_view after) {
  return absl::StrContains(before, '\r') != absl::StrContains(after, '\r') ||
         absl::StrReplaceAll(before, {{"\r", ""}}) ==
             absl::StrReplaceAll(after, {{"\r", ""}});
}

}  // namespace

std::string UnifiedDiff(absl::string_view before, absl::string_view after,
                        absl::string_view path) {
  if (before == after) return "";
  Lines a = SplitLines(before);
  Lines b = SplitLines(after);
  size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  std::vector<Step> steps;
  for (size_t i = 0; i < head; ++i) steps.push_back({' ', a[i]});
  const auto cut = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head),
                 lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  const std::vector<Step> middle = ScriptOf(cut(a), cut(b));
  steps.insert(steps.end(), middle.begin(), middle.end());
  for (size_t i = a.size() - tail; i < a.size(); ++i) {
    steps.push_back({' ', a[i]});
  }

  const bool shows_ends = DiffersInEnds(before, after);
  std::string out = absl::StrCat("--- a/", path, "\n+++ b/", path, "\n");
  int line_a = 1;
  int line_b = 1;
  for (size_t i = 0; i < steps.size();) {
    if (steps[i].mark == ' ') {
      ++i, ++line_a, ++line_b;
      continue;
    }
    const int lead = std::min<int>(kContext, static_cast<int>(i));
    int context = 0;
    for (int back = 1; back <= lead; ++back) {
      if (steps[i - static_cast<size_t>(back)].mark != ' ') break;
      ++context;
    }
    const size_t begin = i - static_cast<size_t>(context);
    size_t last = i;  // Behind the last change of the block.
    for (size_t j = i; j < steps.size() && j < last + 2 * kContext + 1; ++j) {
      if (steps[j].mark != ' ') last = j + 1;
    }
    const size_t end = std::min(last + kContext, steps.size());
    int count_a = 0;
    int count_b = 0;
    std::string body;
    for (size_t j = begin; j < end; ++j) {
      count_a += steps[j].mark != '+' ? 1 : 0;
      count_b += steps[j].mark != '-' ? 1 : 0;
      AppendLine(steps[j], shows_ends, &body);
    }
    const int first_a = line_a - context;
    const int first_b = line_b - context;
    absl::StrAppend(&out, "@@ -", count_a == 0 ? first_a - 1 : first_a, ",",
                    count_a, " +", count_b == 0 ? first_b - 1 : first_b, ",",
                    count_b, " @@\n", body);
    line_a = first_a + count_a;
    line_b = first_b + count_b;
    i = end;
  }
  return out;
}

std::string ShortDiff(absl::string_view before, absl::string_view after,
                      absl::string_view path, size_t most) {
  std::string diff = UnifiedDiff(before, after, path);
  if (diff.size() <= most) return diff;
  const size_t end = diff.rfind('\n', most);
  diff.resize(end == std::string::npos ? most : end + 1);
  absl::StrAppend(&diff, "… (cut; read_file shows the whole file)\n");
  return Utf8Text(diff);
}

}  // namespace banyan::lspd
