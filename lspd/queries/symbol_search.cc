// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/symbol_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/candidate_files.h"
#include "lspd/queries/failures.h"
#include "lspd/queries/locations.h"
#include "lspd/queries/parallel.h"
#include "lspd/queries/symbol_details.h"
#include "lspd/queries/word_search.h"
#include "lspd/workspace/relative_path.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kFilesAtOnce = 8;
constexpr size_t kMostCandidatesShown = 20;
// Of what may be places of one symbol.
constexpr size_t kMostDeclarations = 4;
// Servers cut the answer to `workspace/symbol` at such a size, without a sign.
constexpr size_t kSuspiciouslyMany = 100;

// Asks about files side by side and keeps what matches.
class Search {
 public:
  Search(Question& question, const NamePathPattern& pattern)
      : question_(question), pattern_(pattern) {}

  void AskAbout(const std::vector<std::string>& files) {
    std::vector<absl::StatusOr<SymbolsOfFile>> answers(
        files.size(), absl::UnknownError("not asked"));
    InParallel(files.size(), kFilesAtOnce,
               [&](size_t i) { answers[i] = question_.SymbolsOf(files[i]); });
    for (size_t i = 0; i < files.size(); ++i) {
      asked_.insert(files[i]);
      if (answers[i].ok()) {
        ++answered_;
        Keep(*answers[i]);
      } else {
        failures_.Add(question_, files[i], answers[i].status());
      }
    }
  }

  bool WasAsked(const std::string& file) const {
    return asked_.count(file) > 0;
  }
  void NoteAnswer() { ++answered_; }
  Failures& failures() { return failures_; }
  bool has_matches() const { return !matches_.empty(); }

  absl::StatusOr<std::vector<SymbolMatch>> Finish() {
    RETURN_IF_ERROR(failures_.Verdict(question_, answered_ > 0));
    std::sort(matches_.begin(), matches_.end(),
              [](const SymbolMatch& a, const SymbolMatch& b) {
                return std::tie(a.file.relative_path, a.place.node->range.start,
                                a.place.node->selection.start) <
                       std::tie(b.file.relative_path, b.place.node->range.start,
                                b.place.node->selection.start);
              });
    return std::move(matches_);
  }

 private:
  void Keep(const SymbolsOfFile& file) {
    ForEachSymbol(*file.symbols, [&](const SymbolPlace& place) {
      if (Matches(pattern_, place)) matches_.push_back({file, place});
      return true;
    });
  }

  Question& question_;
  const NamePathPattern& pattern_;
  std::set<std::string> asked_;
  Failures failures_;
  int answered_ = 0;
  std::vector<SymbolMatch> matches_;
};

// Files where the language's server says that a symbol of the name is.
absl::StatusOr<std::vector<std::string>> FilesByWorkspaceSymbol(
    Question& question, const std::string& language, const std::string& name,
    const std::string& scope) {
  ASSIGN_OR_RETURN(LanguageServer* const server,
                   question.ReadyServerOf(language));
  if (!server->Supports("workspace/symbol")) return std::vector<std::string>();
  ASSIGN_OR_RETURN(
      const nlohmann::json answer,
      server->Request("workspace/symbol", {{"query", name}}, question.call()));
  ASSIGN_OR_RETURN(const std::vector<WorkspaceSymbol> symbols,
                   WorkspaceSymbolsFromJson(answer));
  std::set<std::string> files;
  const std::string root =
      absl::StrCat(question.workspace().root().path(), "/");
  for (const WorkspaceSymbol& symbol : symbols) {
    const std::optional<std::string> path = PathOfFileUri(symbol.uri);
    if (!path) continue;
    absl::string_view relative = *path;
    // Other roots of a shared server answer here too: not ours to count.
    if (!absl::ConsumePrefix(&relative, root)) continue;
    if (!IsBeneath(relative, scope)) continue;
    const absl::StatusOr<std::string> clean = CleanRelativePath(relative);
    if (clean.ok() && question.LanguageOf(*clean).ok()) files.insert(*clean);
  }
  if (symbols.size() >= kSuspiciouslyMany && files.empty()) {
    question.AddIncomplete(language, lsp::v1::INCOMPLETE_REASON_RESULT_CAP);
  }
  return std::vector<std::string>(files.begin(), files.end());
}

absl::StatusOr<std::vector<SymbolMatch>> SearchFile(
    Question& question, const NamePathPattern& pattern,
    const std::string& path) {
  RETURN_IF_ERROR(question.LanguageOf(path).status());
  Search search(question, pattern);
  search.AskAbout({path});
  ASSIGN_OR_RETURN(std::vector<SymbolMatch> matches, search.Finish());
  if (matches.empty() && pattern.IsIdentifier()) {
    ASSIGN_OR_RETURN(const auto file, question.File(path));
    if (HasWord(file->lines().text(), pattern.last_name(),
                !pattern.is_substring())) {
      question.AddIncomplete(*question.LanguageOf(path),
                             lsp::v1::INCOMPLETE_REASON_NAME_MAY_BE_GENERATED,
                             1);
    }
  }
  return matches;
}

// The servers' own index, for names that text does not show.
absl::Status AskByName(Question& question, const NamePathPattern& pattern,
                       const std::string& scope,
                       const CandidateFiles& candidates, Search* search) {
  std::vector<std::string> languages;
  for (const auto& [language, files] : candidates.code) {
    languages.push_back(language);
  }
  if (languages.empty()) {
    ASSIGN_OR_RETURN(languages, CodeLanguagesOf(question, scope));
  }
  for (const std::string& language : languages) {
    const auto files =
        FilesByWorkspaceSymbol(question, language, pattern.last_name(), scope);
    if (!files.ok()) {
      search->failures().Add(question, language, "", files.status());
      continue;
    }
    search->NoteAnswer();
    std::vector<std::string> unasked;
    for (const std::string& file : *files) {
      if (!search->WasAsked(file)) unasked.push_back(file);
    }
    search->AskAbout(unasked);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SymbolMatch>> SearchFolder(
    Question& question, const NamePathPattern& pattern,
    const std::string& scope) {
  ASSIGN_OR_RETURN(const CandidateFiles candidates,
                   FindCandidates(question, pattern, scope));
  Search search(question, pattern);
  for (const auto& [language, files] : candidates.code) search.AskAbout(files);
  if (!search.has_matches()) {
    RETURN_IF_ERROR(AskByName(question, pattern, scope, candidates, &search));
  }
  if (!search.has_matches()) {
    for (const auto& [language, files] : candidates.data) {
      search.AskAbout(files);
    }
  }
  const bool is_found = search.has_matches();
  for (const auto& [language, files] : candidates.code) {
    const bool stands_in_text =
        std::find(candidates.unnarrowed.begin(), candidates.unnarrowed.end(),
                  language) == candidates.unnarrowed.end();
    if (!is_found && stands_in_text) {
      question.AddIncomplete(language,
                             lsp::v1::INCOMPLETE_REASON_NAME_MAY_BE_GENERATED,
                             static_cast<int64_t>(files.size()));
    }
  }
  return search.Finish();
}

std::string DescribeCandidates(const std::vector<SymbolMatch>& matches) {
  std::vector<std::string> lines;
  for (const SymbolMatch& match : matches) {
    if (lines.size() == kMostCandidatesShown) {
      lines.push_back(
          absl::StrCat("and ", matches.size() - lines.size(), " more"));
      break;
    }
    lines.push_back(absl::StrCat(ToString(match.place.path), " (",
                                 match.place.node->kind, ", ",
                                 match.file.relative_path, ":",
                                 match.place.node->selection.start.line, ")"));
  }
  return absl::StrJoin(lines, "; ");
}

// Which of `matches` the server goes to from `match`, if to one place.
std::optional<size_t> DefinitionAmong(Question& question,
                                      const SymbolMatch& match,
                                      const std::vector<SymbolMatch>& matches) {
  const auto server = question.ReadyServerOf(match.file.language);
  const auto file = question.File(match.file.relative_path);
  if (!server.ok() || !file.ok()) return std::nullopt;
  const auto answer =
      AskAt(question, **server, **file, match.place.node->selection.start,
            "textDocument/definition", nlohmann::json::object());
  if (!answer.ok()) return std::nullopt;
  const auto locations = LocationsFromJson(*answer);
  if (!locations.ok()) return std::nullopt;
  const Places places = ResolveLocations(question, **server, *locations);
  if (places.inside.size() != 1) return std::nullopt;
  for (size_t i = 0; i < matches.size(); ++i) {
    if (matches[i].file.relative_path == places.inside[0].relative_path &&
        matches[i].place.node->selection.start ==
            places.inside[0].range.start) {
      return i;
    }
  }
  return std::nullopt;
}

// C++ declares a symbol in one place and defines it in another, and clangd goes
// from each to another. When all matches are such places of one symbol: the
// longest, which has the body.
std::optional<SymbolMatch> OneSymbolOf(
    Question& question, const std::vector<SymbolMatch>& matches) {
  if (matches.size() > kMostDeclarations) return std::nullopt;
  std::vector<size_t> group(matches.size());
  std::iota(group.begin(), group.end(), size_t{0});
  for (size_t i = 0; i < matches.size(); ++i) {
    if (matches[i].file.language != "cpp") return std::nullopt;
    const auto there = DefinitionAmong(question, matches[i], matches);
    if (!there) return std::nullopt;
    const size_t from = group[i];
    std::replace(group.begin(), group.end(), from, size_t{group[*there]});
  }
  if (std::count(group.begin(), group.end(), group[0]) !=
      static_cast<int64_t>(group.size())) {
    return std::nullopt;
  }
  return *std::max_element(matches.begin(), matches.end(),
                           [](const SymbolMatch& a, const SymbolMatch& b) {
                             const TextRange& one = a.place.node->range;
                             const TextRange& other = b.place.node->range;
                             return one.end.line - one.start.line <
                                    other.end.line - other.start.line;
                           });
}

// "Class.method" or "Class::method", as languages write it: name paths use a
// slash. What the pattern would be then; nothing if it is not written so.
std::optional<std::string> SlashedName(absl::string_view text) {
  std::string slashed = absl::StrReplaceAll(text, {{"::", "/"},
                                                   {"->", "/"},
                                                   {".", "/"},
                                                   {"#", "/"},
                                                   {"(*", ""},
                                                   {"(", ""},
                                                   {")", ""},
                                                   {"*", ""}});
  if (absl::EndsWith(slashed, "[")) slashed.pop_back();
  const bool is_plain = std::all_of(slashed.begin(), slashed.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '/' || c == '$';
  });
  if (slashed == text || !is_plain || !NamePathPattern::Parse(slashed).ok()) {
    return std::nullopt;
  }
  return slashed;
}

}  // namespace

absl::Status CheckSpelling(absl::string_view name_path) {
  const std::optional<std::string> slashed = SlashedName(name_path);
  if (!slashed) return absl::OkStatus();
  return rpc::Error(rpc::v1::ERROR_REASON_NAME_PATH_MALFORMED,
                    absl::StrCat("No symbol is called ", name_path,
                                 ". Name paths are written with a slash, as ",
                                 *slashed, "."));
}

absl::StatusOr<std::vector<SymbolMatch>> SearchSymbols(
    Question& question, const NamePathPattern& pattern,
    const std::string& relative_path) {
  if (!relative_path.empty()) {
    ASSIGN_OR_RETURN(const FileState state,
                     question.workspace().root().Stat(relative_path));
    if (state.kind == FileKind::kFile) {
      return SearchFile(question, pattern, relative_path);
    }
  }
  return SearchFolder(question, pattern, relative_path);
}

absl::StatusOr<SymbolMatch> FindOneSymbol(Question& question,
                                          absl::string_view name_path,
                                          const std::string& relative_path) {
  ASSIGN_OR_RETURN(const NamePathPattern pattern,
                   NamePathPattern::Parse(name_path));
  ASSIGN_OR_RETURN(const std::vector<SymbolMatch> matches,
                   SearchSymbols(question, pattern, relative_path));
  if (matches.size() == 1) return matches.front();
  const std::string where =
      relative_path.empty() ? "the workspace" : relative_path;
  if (matches.empty()) {
    RETURN_IF_ERROR(CheckSpelling(name_path));
    return rpc::Error(
        rpc::v1::ERROR_REASON_SYMBOL_NOT_FOUND,
        absl::StrCat("No symbol ", name_path, " in ", where, DoubtOf(question),
                     " Look with get_symbols_overview, or with find_symbol "
                     "and substring_matching."));
  }
  std::vector<SymbolMatch> whole;
  for (const SymbolMatch& match : matches) {
    if (IsWholePath(pattern, match.place)) whole.push_back(match);
  }
  if (whole.size() == 1) return whole.front();
  if (const auto one = OneSymbolOf(question, matches)) return *one;
  return rpc::Error(
      rpc::v1::ERROR_REASON_SYMBOL_AMBIGUOUS,
      absl::StrCat(name_path, " names ", matches.size(), " symbols in ", where,
                   "; give the file and the whole name path of one: ",
                   DescribeCandidates(matches)));
}

}  // namespace banyan::lspd
