// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/known_uses.h"
#include "lspd/edits/symbol_in_draft.h"
#include "lspd/edits/symbol_layout.h"
#include "lspd/edits/text_change.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMostUsesListed = 20;

// A use within the definition itself goes with it.
bool IsWithin(const lsp::v1::Reference& use, const SymbolInDraft& symbol) {
  const TextPosition at{.line = use.range().start_line(),
                        .column = use.range().start_column()};
  return use.relative_path() == symbol.relative_path &&
         symbol.definition.range.start <= at &&
         at < symbol.definition.range.end;
}

absl::Status StillUsed(const std::string& name_path,
                       const std::vector<std::string>& reasons) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_CONFLICT);
  for (const std::string& reason : reasons) detail.add_alternatives(reason);
  return rpc::Error(
      std::move(detail),
      absl::StrCat(name_path,
                   " is still used, or may be, so it was not "
                   "deleted:\n",
                   absl::StrJoin(reasons, "\n"),
                   "\nChange these first, or delete it with `force`."));
}

}  // namespace

absl::Status DeleteSymbol(EditStep& step, const std::string& path,
                          const lsp::v1::DeleteSymbol& operation) {
  ASSIGN_OR_RETURN(const SymbolInDraft symbol,
                   FindSymbolInDraft(step, path, operation.name_path()));
  RETURN_IF_ERROR(CheckSeen(step, symbol.relative_path, "", true));
  if (!operation.force()) {
    ASSIGN_OR_RETURN(const auto uses,
                     UsesOf(step, path, operation.name_path()));
    std::vector<std::string> reasons;
    for (const lsp::v1::Reference& use : uses.references()) {
      if (IsWithin(use, symbol)) continue;
      reasons.push_back(absl::StrCat(use.relative_path(), ":",
                                     use.range().start_line(), ": ",
                                     use.line_text()));
      if (reasons.size() == kMostUsesListed) break;
    }
    for (const std::string& file : uses.text_only()) {
      reasons.push_back(absl::StrCat(
          file, ": the word stands there, though no use is known"));
      if (reasons.size() >= 2 * kMostUsesListed) break;
    }
    for (std::string& doubt : DoubtsOf(uses.incomplete())) {
      reasons.push_back(std::move(doubt));
    }
    if (!reasons.empty()) return StillUsed(operation.name_path(), reasons);
  }
  ASSIGN_OR_RETURN(const absl::string_view text,
                   step.draft.ReadText(symbol.relative_path));
  const LineIndex lines(text);
  ASSIGN_OR_RETURN(
      std::string edited,
      ApplyChanges(text, {RemoveDefinition(lines, symbol.definition)}));
  return step.draft.Write(symbol.relative_path, std::move(edited));
}

}  // namespace banyan::lspd
