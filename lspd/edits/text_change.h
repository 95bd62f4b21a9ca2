// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_TEXT_CHANGE_H_
#define LSPD_EDITS_TEXT_CHANGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::lspd {

// Bytes [begin, end) of a text become `text`.
struct TextChange {
  size_t begin = 0;
  size_t end = 0;
  std::string text;

  bool operator==(const TextChange&) const = default;
};

// All changes refer to the original text, in any order; several insertions at
// one place come in the order of the list (LSP, "TextEdit[]"). Bytes outside
// the changes stay what they are.
//   ARGUMENT_INVALID  two overlap, or one lies outside the text
absl::StatusOr<std::string> ApplyChanges(absl::string_view original,
                                         std::vector<TextChange> changes);

// The line end in use around `offset`: of its line, else of the line before,
// else the first one of the text, else "\n".
absl::string_view LineEndAt(absl::string_view text, size_t offset);

// `content` with each LF and CRLF as `line_end`.
std::string WithLineEnds(absl::string_view content, absl::string_view line_end);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_TEXT_CHANGE_H_
