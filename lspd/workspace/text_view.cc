// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/text_view.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/protocol/text_position.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

LineEnds LineEndsOf(absl::string_view bytes) {
  bool has_lf = false;
  bool has_crlf = false;
  bool has_cr = false;
  for (size_t at = bytes.find_first_of("\r\n"); at != absl::string_view::npos;
       at = bytes.find_first_of("\r\n", at)) {
    if (bytes[at] == '\n') {
      has_lf = true;
    } else if (at + 1 < bytes.size() && bytes[at + 1] == '\n') {
      has_crlf = true;
      ++at;
    } else {
      has_cr = true;
    }
    ++at;
  }
  if (has_lf + has_crlf + has_cr > 1) return LineEnds::kMixed;
  if (has_lf) return LineEnds::kLf;
  if (has_crlf) return LineEnds::kCrLf;
  return has_cr ? LineEnds::kCr : LineEnds::kNone;
}

absl::Status Invalid(absl::string_view what) {
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID, what);
}

}  // namespace

absl::StatusOr<TextView> ViewLines(absl::string_view bytes, int32_t start_line,
                                   int32_t end_line) {
  if (start_line < 0 || end_line < 0) {
    return Invalid("lines are counted from 1");
  }
  if (end_line != 0 && end_line < start_line) {
    return Invalid("end_line is before start_line");
  }
  TextView view;
  if (absl::StrContains(bytes, '\0')) {
    view.is_binary = true;
    view.text = absl::StrCat("(binary file, ", bytes.size(), " bytes)");
    return view;
  }
  view.has_byte_order_mark = absl::StartsWith(bytes, "\xef\xbb\xbf");
  if (view.has_byte_order_mark) bytes.remove_prefix(3);
  view.line_ends = LineEndsOf(bytes);
  view.has_encoding_errors = !IsValidUtf8(bytes);

  // What comes after the last line end is a line only if it is something.
  const LineIndex lines(bytes);
  const int count = lines.line_count();
  view.total_lines = lines.Line(count).empty() ? count - 1 : count;
  if (start_line > std::max(view.total_lines, 1)) {
    return Invalid(absl::StrCat("start_line is ", start_line,
                                ", but the file has ", view.total_lines,
                                view.total_lines == 1 ? " line" : " lines"));
  }
  view.start_line = std::max(start_line, 1);
  view.end_line =
      end_line == 0 ? view.total_lines : std::min(end_line, view.total_lines);
  if (view.end_line < view.start_line) return view;

  const size_t begin =
      lines.OffsetOf(TextPosition{.line = view.start_line, .column = 1});
  const size_t end =
      view.end_line < count
          ? lines.OffsetOf(TextPosition{.line = view.end_line + 1, .column = 1})
          : bytes.size();
  view.text = Utf8Text(bytes.substr(begin, end - begin));
  return view;
}

}  // namespace banyan::lspd
