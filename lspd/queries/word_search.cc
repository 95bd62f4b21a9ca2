// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/word_search.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// More changes than this, and one search is cheaper than so many looks.
constexpr size_t kMostLooks = 100;

bool IsCutShort(const WordResult& result) {
  return std::any_of(result.incomplete.begin(), result.incomplete.end(),
                     [](const lsp::v1::Incompleteness& entry) {
                       return entry.reason() ==
                              lsp::v1::INCOMPLETE_REASON_DEADLINE;
                     });
}

// Such a file decides about others.
bool IsIgnoreRule(absl::string_view path) {
  return path == ".gitignore" || absl::EndsWith(path, "/.gitignore");
}

// What a search would find now, from what one found before and what changed
// since; nothing where only a search can tell.
std::optional<WordResult> Adjust(Question& question, const WordQuery& query,
                                 const RootState::KnownWord& known) {
  const FileChanges since =
      question.workspace().changes().ChangesSince(known.count);
  if (since.is_everything_unknown || since.changes.size() > kMostLooks ||
      !known.result.incomplete.empty()) {
    return std::nullopt;
  }
  std::set<std::string> files(known.result.files.begin(),
                              known.result.files.end());
  for (const FileChange& change : since.changes) {
    const std::string& path = change.relative_path;
    if (IsIgnoreRule(path)) return std::nullopt;
    if (!IsBeneath(path, query.relative_path)) continue;
    if (!query.name_globs.empty() && !question.LanguageOf(path).ok()) continue;
    files.erase(path);
    if (change.kind == ChangeKind::kDeleted) continue;
    const auto content = question.workspace().root().ReadBytes(path);
    if (content.ok() &&
        HasWord(content->bytes, query.word, query.is_whole_word)) {
      files.insert(path);
    }
  }
  // None: whether ignored files have it is the search's to say.
  if (files.empty()) return std::nullopt;
  return WordResult{.files = {files.begin(), files.end()}, .incomplete = {}};
}

}  // namespace

absl::StatusOr<WordResult> SearchWord(Question& question,
                                      const WordQuery& query) {
  const bool may_remember = question.workspace().changes().has_notices();
  if (may_remember) {
    const auto known = question.state().FindWord(query);
    if (known && known->count == question.count()) return known->result;
    std::optional<WordResult> adjusted;
    if (known) adjusted = Adjust(question, query, *known);
    if (adjusted) {
      question.state().KeepWord(query, question.count(), *adjusted);
      return *std::move(adjusted);
    }
  }
  ASSIGN_OR_RETURN(
      WordResult result,
      question.workspace().text().FilesContaining(query, question.call()));
  if (may_remember && !IsCutShort(result)) {
    question.state().KeepWord(query, question.count(), result);
  }
  return result;
}

bool HasWord(absl::string_view text, absl::string_view word,
             bool is_whole_word) {
  if (!absl::StrContains(text, word)) return false;
  if (!is_whole_word) return true;
  constexpr char kNoWordByte[] = "[^\\pL\\pN_]";
  const re2::RE2 expression(absl::StrCat(
      "(?:^|", kNoWordByte, ")",
      re2::RE2::QuoteMeta(re2::StringPiece(word.data(), word.size())), "(?:$|",
      kNoWordByte, ")"));
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                                expression);
}

}  // namespace banyan::lspd
