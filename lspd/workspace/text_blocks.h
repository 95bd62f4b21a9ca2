// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_TEXT_BLOCKS_H_
#define LSPD_WORKSPACE_TEXT_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "lspd/workspace/ripgrep_output.h"

namespace banyan::lspd {

struct TextLine {
  int32_t number = 0;  // 1-based.
  std::string text;    // UTF-8; bad bytes as U+FFFD; cut when very long.
  bool is_match = false;
};

// Matches whose context touches are one block.
struct TextBlock {
  std::vector<TextLine> lines;
};

// The byte ranges of `text` in which a claim of ripgrep is true: its lines
// stand there to the letter. Untrue claims are counted in `dropped`.
std::vector<std::pair<size_t, size_t>> TrueSpans(
    absl::string_view text, const std::vector<RipgrepMatch>& claims,
    int64_t* dropped);

// The lines of these ranges (ascending) with so many lines around them.
std::vector<TextBlock> BlocksOf(
    absl::string_view text, const std::vector<std::pair<size_t, size_t>>& spans,
    int lines_before, int lines_after, size_t max_line_bytes);

// At most `limit` bytes of a line around `at`; where something was left out
// stands "…".
std::string CutLine(absl::string_view line, size_t at, size_t limit);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_TEXT_BLOCKS_H_
