// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_CANDIDATE_FILES_H_
#define LSPD_QUERIES_CANDIDATE_FILES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/queries/name_path.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// Which files a server has to be asked about, by language.
struct CandidateFiles {
  std::map<std::string, std::vector<std::string>> code;  // Sorted by path.
  std::map<std::string, std::vector<std::string>> data;  // Rows with is_data.
  // Languages whose every file is here, since text cannot narrow them.
  std::vector<std::string> unnarrowed;
};

// The files beneath `relative_path` that may hold a symbol of the pattern's
// last name: by text where the language spells names literally and the name is
// an identifier, else all of the language (up to a bound; what is left out is
// reported as files_not_searched). A search is repeated only after a change.
absl::StatusOr<CandidateFiles> FindCandidates(Question& question,
                                              const NamePathPattern& pattern,
                                              const std::string& relative_path);

// The files, of any language or none, where the word stands.
absl::StatusOr<std::vector<std::string>> FilesWithWord(Question& question,
                                                       const std::string& word);

// Languages of code that have files beneath `relative_path`. When not all files
// could be listed the question is told.
absl::StatusOr<std::vector<std::string>> CodeLanguagesOf(
    Question& question, const std::string& relative_path);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_CANDIDATE_FILES_H_
