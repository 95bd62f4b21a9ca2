// SPDX-License-Identifier: Apache-2.0
//
// What stands around a definition in its text: pure questions about lines.
#ifndef LSPD_EDITS_SYMBOL_SURROUNDINGS_H_
#define LSPD_EDITS_SYMBOL_SURROUNDINGS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lspd/protocol/text_position.h"

namespace banyan::lspd {

bool IsBlankLine(absl::string_view line);
// The blanks that a line begins with.
absl::string_view IndentOf(absl::string_view line);

// The line begins with a comment, or an attribute, decorator or template head,
// as the language has them.
bool BeginsWithComment(absl::string_view line, absl::string_view language);
bool BeginsWithHead(absl::string_view line, absl::string_view language);

// The first line of the attributes and template heads right above `line`, then
// of the comment right above those; `line` itself where there is none.
int FirstHeadLine(const LineIndex& text, int line, absl::string_view language);
int FirstCommentLine(const LineIndex& text, int line,
                     absl::string_view language);

// Behind the comments and blanks that stand at `begin`; `begin` itself where
// nothing but those comes before `end`.
size_t BehindComments(absl::string_view text, size_t begin, size_t end,
                      absl::string_view language);

// Scans from `from` to the end of the statement: over brackets, strings and
// comments to the first line end outside of them. Nothing when a bracket closes
// that was not opened: what surrounds the place ends on this line.
std::optional<int> LastLineOfStatement(const LineIndex& text,
                                       const TextPosition& from,
                                       absl::string_view language);

// The lines of a body without blank ones at either end, and without line ends.
std::vector<std::string> BodyLines(absl::string_view body);

// Moves a body to `indent` where it was written for another place.
void FitIndent(absl::string_view indent, absl::string_view language,
               std::vector<std::string>* lines);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_SYMBOL_SURROUNDINGS_H_
