// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_CONTENT_MATCH_H_
#define LSPD_EDITS_CONTENT_MATCH_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/edits/text_change.h"

namespace banyan::lspd {

// A text as patterns see it: every line end is LF, a byte order mark is gone.
// Keeps where each byte stood.
class PlainText {
 public:
  // `original` must outlive this.
  explicit PlainText(absl::string_view original);

  const std::string& text() const { return text_; }

  // Of a place in text(); the end of a line maps before its line end, the start
  // of the next line behind it.
  size_t ToOriginal(size_t offset) const;

 private:
  std::string text_;
  size_t skipped_ = 0;         // Bytes of the byte order mark.
  std::vector<size_t> pairs_;  // Offsets in text_ of the LFs that were CRLF.
};

struct ContentQuery {
  std::string needle;       // Its line ends match any.
  std::string replacement;  // Its line ends become those of the place.
  bool is_regex = false;    // RE2; `.` matches line ends, ^ and $ at each line.
};

// What replaces each match, from the first to the last. In a regular expression
// $1, ${1} and \1 stand for groups; $$1 and \\1 for themselves.
//   PATTERN_INVALID   no expression, or it matches the empty text
//   ARGUMENT_INVALID  the needle is empty, or a group is not there
absl::StatusOr<std::vector<TextChange>> FindReplacements(
    absl::string_view text, const ContentQuery& query);

// Where a reader should look when the needle is not there: "line 12 holds its
// first line with other blanks". Empty when nothing is alike.
std::string NearMiss(absl::string_view text, absl::string_view needle);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_CONTENT_MATCH_H_
