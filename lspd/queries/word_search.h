// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_WORD_SEARCH_H_
#define LSPD_QUERIES_WORD_SEARCH_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/queries/question.h"
#include "lspd/workspace/text_search.h"

namespace banyan::lspd {

// TextSearch::FilesContaining, remembered: a search is run anew only when what
// changed since cannot be told file by file. `query.name_globs` must be none
// or those of all files that the catalogue knows.
absl::StatusOr<WordResult> SearchWord(Question& question,
                                      const WordQuery& query);

// The text holds the word, whole or as a part, as the search would find it.
bool HasWord(absl::string_view text, absl::string_view word,
             bool is_whole_word);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_WORD_SEARCH_H_
