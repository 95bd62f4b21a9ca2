// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_SYMBOL_SEARCH_H_
#define LSPD_QUERIES_SYMBOL_SEARCH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/queries/name_path.h"
#include "lspd/queries/question.h"
#include "lspd/queries/symbol_tree.h"

namespace banyan::lspd {

// A symbol that was found. Keeps alive what `place` points into.
struct SymbolMatch {
  SymbolsOfFile file;
  SymbolPlace place;
};

// Symbols beneath `relative_path` (file or folder; clean) whose name path
// matches, by path and position.
//
// Text comes first: servers are asked only about files that can hold the name.
// With no result they are asked for the name itself; if that finds nothing
// either while the word stands somewhere, the answer is `name_may_be_generated`.
// A language that cannot be asked makes the answer incomplete; it is an error
// only when nothing else could be asked.
absl::StatusOr<std::vector<SymbolMatch>> SearchSymbols(
    Question& question, const NamePathPattern& pattern,
    const std::string& relative_path);

// For a pattern that matched nothing: NAME_PATH_MALFORMED when it is spelt as
// languages do (`Class.method`, `Class::method`), with the right spelling.
absl::Status CheckSpelling(absl::string_view name_path);

// The one symbol that a tool works on: the only match, the one whose whole path
// is `name_path`, or the definition of what C++ declares elsewhere.
//   NAME_PATH_MALFORMED
//   SYMBOL_NOT_FOUND
//   SYMBOL_AMBIGUOUS  the message lists the candidates
absl::StatusOr<SymbolMatch> FindOneSymbol(Question& question,
                                          absl::string_view name_path,
                                          const std::string& relative_path);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_SYMBOL_SEARCH_H_
