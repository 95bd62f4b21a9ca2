// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_TEXT_VIEW_H_
#define LSPD_WORKSPACE_TEXT_VIEW_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::lspd {

enum class LineEnds { kNone, kLf, kCrLf, kCr, kMixed };

// Lines of a file as a reader sees them.
struct TextView {
  std::string
      text;  // UTF-8 with its line ends; bad bytes as U+FFFD; no byte order mark.
  LineEnds line_ends = LineEnds::kNone;  // Of the whole file.
  bool has_encoding_errors = false;
  bool has_byte_order_mark = false;
  // Holds a NUL byte: the text says so, and has nothing of it.
  bool is_binary = false;
  int32_t total_lines = 0;
  int32_t start_line = 1;
  int32_t end_line = 0;  // Inclusive; before the start when there are no lines.
};

// Lines `start_line` to `end_line`, 1-based and inclusive; 0 is the first and
// the last. An end past the last line is the last line.
//   ARGUMENT_INVALID  negative, in the wrong order, or the file is shorter
absl::StatusOr<TextView> ViewLines(absl::string_view bytes, int32_t start_line,
                                   int32_t end_line);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_TEXT_VIEW_H_
