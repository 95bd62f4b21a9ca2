// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/text_change.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

// The line end that begins at `at`, which must be CR or LF.
absl::string_view LineEndFrom(absl::string_view text, size_t at) {
  return text.substr(at, text.substr(at, 2) == "\r\n" ? 2 : 1);
}

}  // namespace

absl::StatusOr<std::string> ApplyChanges(absl::string_view original,
                                         std::vector<TextChange> changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const TextChange& a, const TextChange& b) {
                     return std::make_pair(a.begin, a.end) <
                            std::make_pair(b.begin, b.end);
                   });
  std::string result;
  size_t done = 0;
  for (const TextChange& change : changes) {
    if (change.begin > change.end || change.end > original.size()) {
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        "a change lies outside the text; read the file again");
    }
    if (change.begin < done) {
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        "two changes overlap; make them one after the other");
    }
    absl::StrAppend(&result, original.substr(done, change.begin - done),
                    change.text);
    done = change.end;
  }
  absl::StrAppend(&result, original.substr(done));
  return result;
}

absl::string_view LineEndAt(absl::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  const size_t next = text.find_first_of("\r\n", offset);
  if (next != absl::string_view::npos) {
    // The middle of a CRLF belongs to it.
    if (text[next] == '\n' && next == offset && next > 0 &&
        text[next - 1] == '\r') {
      return text.substr(next - 1, 2);
    }
    return LineEndFrom(text, next);
  }
  const size_t last = text.find_last_of("\r\n", offset);
  if (last == absl::string_view::npos) return "\n";
  const bool is_pair = text[last] == '\n' && last > 0 && text[last - 1] == '\r';
  return is_pair ? text.substr(last - 1, 2) : text.substr(last, 1);
}

std::string WithLineEnds(absl::string_view content,
                         absl::string_view line_end) {
  std::string result;
  size_t begin = 0;
  while (true) {
    const size_t end = content.find('\n', begin);
    if (end == absl::string_view::npos) break;
    const bool is_pair = end > begin && content[end - 1] == '\r';
    absl::StrAppend(&result,
                    content.substr(begin, end - begin - (is_pair ? 1 : 0)),
                    line_end);
    begin = end + 1;
  }
  absl::StrAppend(&result, content.substr(begin));
  return result;
}

}  // namespace banyan::lspd
