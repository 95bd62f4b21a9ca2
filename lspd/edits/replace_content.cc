// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lspd/edits/content_match.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/text_change.h"
#include "lspd/protocol/text_position.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMostMatchesListed = 20;
constexpr size_t kMostLineBytes = 200;

absl::Status NotThere(absl::string_view text, const std::string& path,
                      const lsp::v1::ReplaceContent& operation) {
  std::string message =
      absl::StrCat("`needle` is not in ", path, "; nothing was changed.");
  const std::string hint =
      operation.is_regex() ? "" : NearMiss(text, operation.needle());
  if (!hint.empty()) absl::StrAppend(&message, " ", hint, ".");
  absl::StrAppend(&message, " read_file shows the file as it is now.");
  return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT, message);
}

absl::Status TooMany(absl::string_view text, const std::string& path,
                     const std::vector<TextChange>& changes) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID);
  const LineIndex lines(text);
  std::string list;
  for (size_t i = 0; i < std::min(changes.size(), kMostMatchesListed); ++i) {
    const int line = lines.PositionOf(changes[i].begin).line;
    const std::string place = absl::StrCat(
        "line ", line, ": ", lines.Line(line).substr(0, kMostLineBytes));
    detail.add_alternatives(Utf8Text(place));
    absl::StrAppend(&list, "\n", Utf8Text(place));
  }
  return rpc::Error(
      std::move(detail),
      absl::StrCat("`needle` matches ", changes.size(), " times in ", path,
                   "; nothing was changed. Give more of the text around the "
                   "one that is meant, or allow_multiple_occurrences:",
                   list));
}

}  // namespace

absl::Status ReplaceContent(EditStep& step, const std::string& path,
                            const lsp::v1::ReplaceContent& operation) {
  ASSIGN_OR_RETURN(const absl::string_view text, step.draft.ReadText(path));
  ASSIGN_OR_RETURN(
      std::vector<TextChange> changes,
      FindReplacements(text, {.needle = operation.needle(),
                              .replacement = operation.replacement(),
                              .is_regex = operation.is_regex()}));
  if (changes.empty()) return NotThere(text, path, operation);
  if (changes.size() > 1 && !operation.may_match_often()) {
    return TooMany(text, path, changes);
  }
  if (changes.size() > 1) {
    step.answer.add_notes(
        absl::StrCat(changes.size(), " occurrences replaced in ", path));
  }
  ASSIGN_OR_RETURN(std::string edited, ApplyChanges(text, std::move(changes)));
  return step.draft.Write(path, std::move(edited));
}

}  // namespace banyan::lspd
