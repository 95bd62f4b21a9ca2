// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/candidate_files.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lspd/queries/word_search.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMostUnnarrowedFiles = 2'000;

// "*.[cC][cC]": extensions are known in any case.
std::string GlobOf(absl::string_view extension) {
  std::string glob = "*";
  for (const char c : extension) {
    if (absl::ascii_isalpha(c)) {
      glob += {'[', absl::ascii_tolower(c), absl::ascii_toupper(c), ']'};
    } else {
      glob += c;
    }
  }
  return glob;
}

std::vector<std::string> GlobsOfKnownFiles(const ServerCatalog& catalog) {
  std::set<std::string> globs;
  for (const std::string& language : catalog.Languages()) {
    for (const ServerEntry* entry : catalog.ServersOf(language)) {
      for (const lsp::v1::DocumentLanguage& document : entry->documents()) {
        for (const std::string& extension : document.extensions()) {
          globs.insert(GlobOf(extension));
        }
        globs.insert(document.file_names().begin(),
                     document.file_names().end());
      }
    }
  }
  return {globs.begin(), globs.end()};
}

const ServerEntry* FirstServerOf(const ServerCatalog& catalog,
                                 const std::string& language) {
  const std::vector<const ServerEntry*> servers = catalog.ServersOf(language);
  return servers.empty() ? nullptr : servers.front();
}

bool IsData(const ServerCatalog& catalog, const std::string& language) {
  const ServerEntry* const entry = FirstServerOf(catalog, language);
  return entry == nullptr || entry->is_data();
}

bool IsLiteral(const ServerCatalog& catalog, const std::string& language) {
  const ServerEntry* const entry = FirstServerOf(catalog, language);
  return entry != nullptr && entry->names_literal();
}

void Sort(const ServerCatalog& catalog, const std::string& language,
          const std::string& path, CandidateFiles* out) {
  auto& by_language = IsData(catalog, language) ? out->data : out->code;
  by_language[language].push_back(path);
}

// All files of the languages that text cannot narrow.
absl::Status AddUnnarrowed(Question& question, bool is_identifier,
                           const std::string& relative_path,
                           CandidateFiles* out) {
  const ServerCatalog& catalog = question.tools().catalog;
  std::set<std::string> languages;
  for (const std::string& language : catalog.Languages()) {
    if (IsData(catalog, language)) continue;
    if (!is_identifier || !IsLiteral(catalog, language)) {
      languages.insert(language);
    }
  }
  if (languages.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Listing all, question.workspace().files().AllFiles(
                                          relative_path, question.call()));
  question.AddIncomplete("", all.incomplete);
  std::map<std::string, int64_t> left_out;
  std::set<std::string> unnarrowed;
  for (const std::string& path : all.files) {
    const std::optional<FileLanguage> language = catalog.LanguageOf(path);
    if (!language || languages.count(language->language) == 0) continue;
    std::vector<std::string>& files = out->code[language->language];
    unnarrowed.insert(language->language);
    if (files.size() < kMostUnnarrowedFiles) {
      files.push_back(path);
    } else {
      ++left_out[language->language];
    }
  }
  for (const auto& [language, count] : left_out) {
    question.AddIncomplete(
        language, lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED, count);
  }
  out->unnarrowed.assign(unnarrowed.begin(), unnarrowed.end());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CandidateFiles> FindCandidates(
    Question& question, const NamePathPattern& pattern,
    const std::string& relative_path) {
  const ServerCatalog& catalog = question.tools().catalog;
  CandidateFiles candidates;
  const bool is_identifier = pattern.IsIdentifier();
  if (is_identifier) {
    ASSIGN_OR_RETURN(
        const WordResult words,
        SearchWord(question, {.word = pattern.last_name(),
                              .is_whole_word = !pattern.is_substring(),
                              .name_globs = GlobsOfKnownFiles(catalog),
                              .relative_path = relative_path}));
    question.AddIncomplete("", words.incomplete);
    for (const std::string& path : words.files) {
      const std::optional<FileLanguage> language = catalog.LanguageOf(path);
      if (!language) continue;
      if (!IsData(catalog, language->language) &&
          !IsLiteral(catalog, language->language)) {
        continue;  // All its files come below.
      }
      Sort(catalog, language->language, path, &candidates);
    }
  }
  RETURN_IF_ERROR(
      AddUnnarrowed(question, is_identifier, relative_path, &candidates));
  return candidates;
}

absl::StatusOr<std::vector<std::string>> FilesWithWord(
    Question& question, const std::string& word) {
  ASSIGN_OR_RETURN(const WordResult words,
                   SearchWord(question, {.word = word,
                                         .is_whole_word = true,
                                         .name_globs = {},
                                         .relative_path = ""}));
  question.AddIncomplete("", words.incomplete);
  return words.files;
}

absl::StatusOr<std::vector<std::string>> CodeLanguagesOf(
    Question& question, const std::string& relative_path) {
  const ServerCatalog& catalog = question.tools().catalog;
  std::set<std::string> languages;
  const auto add = [&](absl::string_view name) {
    const std::optional<FileLanguage> language = catalog.LanguageOf(name);
    if (language && !IsData(catalog, language->language)) {
      languages.insert(language->language);
    }
  };
  if (relative_path.empty()) {
    ASSIGN_OR_RETURN(const auto counts,
                     question.workspace().ExtensionCounts(question.call()));
    question.AddIncomplete("", counts.incomplete);
    for (const auto& [ending, count] : counts.endings) {
      add(ending.front() == '.' ? absl::StrCat("x", ending) : ending);
    }
  } else {
    ASSIGN_OR_RETURN(const Listing all, question.workspace().files().AllFiles(
                                            relative_path, question.call()));
    question.AddIncomplete("", all.incomplete);
    for (const std::string& path : all.files) add(path);
  }
  return std::vector<std::string>(languages.begin(), languages.end());
}

}  // namespace banyan::lspd
