// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/reference_files.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_split.h"
#include "lspd/queries/parallel.h"
#include "lspd/queries/word_search.h"
#include "lspd/server/quirks.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMostOpened = 500;
constexpr size_t kFilesAtOnce = 8;

// The server's index is not the project: it knows what is open.
bool KnowsOnlyOpenFiles(const LanguageServer& server) {
  if (server.entry().opens_for_references()) return true;
  const std::vector<lsp::v1::Incompleteness> caveats = server.Caveats();
  return std::any_of(caveats.begin(), caveats.end(),
                     [](const lsp::v1::Incompleteness& caveat) {
                       return caveat.reason() ==
                              lsp::v1::INCOMPLETE_REASON_NO_COMPILE_DATABASE;
                     });
}

// Waits until the server has checked each, a few at a time.
absl::Status Check(Question& question, LanguageServer& server,
                   const std::string& language,
                   const std::vector<DocumentPin>& pins) {
  std::vector<absl::Status> ends(pins.size());
  InParallel(pins.size(), kFilesAtOnce, [&](size_t i) {
    ends[i] = server.Diagnostics(pins[i], question.call()).status();
  });
  for (const absl::Status& end : ends) {
    if (end.ok()) continue;
    const rpc::ErrorReason reason = rpc::ReasonOf(end);
    if (reason == rpc::v1::ERROR_REASON_SERVER_DOWN ||
        reason == rpc::v1::ERROR_REASON_CANCELLED) {
      return end;
    }
    question.AddIncomplete(language,
                           reason == rpc::v1::ERROR_REASON_DEADLINE
                               ? lsp::v1::INCOMPLETE_REASON_DEADLINE
                               : lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED,
                           1);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<DocumentPin>> OpenForReferences(
    Question& question, LanguageServer& server, const std::string& language,
    const std::string& name, const std::vector<std::string>& word_files) {
  std::vector<DocumentPin> pins;
  const bool opens_all = KnowsOnlyOpenFiles(server);
  const bool checks = HasQuirk(server.entry(), kQuirkChecksForQuotedNames);
  if (!opens_all && !checks) return pins;
  int64_t left_out = 0;
  for (const std::string& path : word_files) {
    const absl::StatusOr<std::string> of_path = question.LanguageOf(path);
    if (!of_path.ok() || *of_path != language) continue;
    const auto file = question.File(path);
    if (!file.ok()) continue;  // Gone meanwhile.
    if (!opens_all && !HasQuotedWord((*file)->lines().text(), name)) continue;
    if (pins.size() == kMostOpened) {
      ++left_out;
      continue;
    }
    ASSIGN_OR_RETURN(DocumentPin pin, question.Open(server, **file));
    pins.push_back(std::move(pin));
  }
  if (left_out > 0) {
    question.AddIncomplete(language, lsp::v1::INCOMPLETE_REASON_RESULT_CAP,
                           left_out);
  }
  if (checks) RETURN_IF_ERROR(Check(question, server, language, pins));
  return pins;
}

bool HasQuotedWord(absl::string_view text, absl::string_view word) {
  if (text.find(word) == absl::string_view::npos) return false;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const size_t quote = line.find_first_of("'\"");
    if (quote != absl::string_view::npos &&
        HasWord(line.substr(quote + 1), word, /*is_whole_word=*/true)) {
      return true;
    }
  }
  return false;
}

}  // namespace banyan::lspd
