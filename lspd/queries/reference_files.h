// SPDX-License-Identifier: Apache-2.0
//
// What a server must have seen of the files that may name a symbol before its
// answer about references is whole.
#ifndef LSPD_QUERIES_REFERENCE_FILES_H_
#define LSPD_QUERIES_REFERENCE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// Opens those of `word_files` (files in which `name` stands as a word) that the
// server finds nothing in otherwise, as its row says, and has them checked
// where that is needed. What cannot be is counted as incomplete. The files stay
// open while the pins live.
//   SERVER_DOWN, CANCELLED
absl::StatusOr<std::vector<DocumentPin>> OpenForReferences(
    Question& question, LanguageServer& server, const std::string& language,
    const std::string& name, const std::vector<std::string>& word_files);

// The word stands behind a quotation mark of its line.
bool HasQuotedWord(absl::string_view text, absl::string_view word);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_REFERENCE_FILES_H_
