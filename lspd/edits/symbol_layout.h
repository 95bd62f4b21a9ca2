// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_SYMBOL_LAYOUT_H_
#define LSPD_EDITS_SYMBOL_LAYOUT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/edits/text_change.h"
#include "lspd/protocol/text_position.h"

namespace banyan::lspd {

// A symbol as it stands in a text.
struct Definition {
  TextRange range;       // The whole of it, as its server says.
  std::string kind;      // "class", "enum_member"
  std::string language;  // Of the catalogue: "cpp", "python"
};

// Where an edit of a symbol lands. What the server leaves out of the range is
// looked at too: the doc comment above, attributes and template heads above,
// keywords before it on its line (`export`), a semicolon behind it. Line ends
// and indentation are those of the place; a `body` written from column 1 on is
// moved to where it belongs.

// The definition becomes `body`. A doc comment goes only if `body` brings its
// own, and so does an attribute or keyword outside the range.
TextChange ReplaceDefinition(const LineIndex& text, const Definition& named,
                             absl::string_view body);

// `body` gets lines of its own, with blank lines around as its neighbours have
// them, and never within a statement.
//   ARGUMENT_INVALID  there is no place for lines of its own
absl::StatusOr<TextChange> InsertBeforeDefinition(const LineIndex& text,
                                                  const Definition& symbol,
                                                  absl::string_view body);
absl::StatusOr<TextChange> InsertAfterDefinition(const LineIndex& text,
                                                 const Definition& symbol,
                                                 absl::string_view body);

// The definition goes, with its doc comment and one of the gaps around it.
TextChange RemoveDefinition(const LineIndex& text, const Definition& named);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_SYMBOL_LAYOUT_H_
