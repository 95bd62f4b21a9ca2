// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_cat.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/symbol_in_draft.h"
#include "lspd/edits/symbol_layout.h"
#include "lspd/edits/text_change.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

absl::StatusOr<TextChange> ChangeOf(const LineIndex& text,
                                    const Definition& symbol,
                                    const lsp::v1::EditSymbol& operation) {
  switch (operation.kind()) {
    case lsp::v1::SYMBOL_EDIT_KIND_REPLACE_BODY:
      return ReplaceDefinition(text, symbol, operation.body());
    case lsp::v1::SYMBOL_EDIT_KIND_INSERT_BEFORE:
      return InsertBeforeDefinition(text, symbol, operation.body());
    case lsp::v1::SYMBOL_EDIT_KIND_INSERT_AFTER:
      return InsertAfterDefinition(text, symbol, operation.body());
    default:
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        "the edit says not what to do with the symbol");
  }
}

}  // namespace

absl::Status EditSymbol(EditStep& step, const std::string& path,
                        const lsp::v1::EditSymbol& operation) {
  ASSIGN_OR_RETURN(const SymbolInDraft symbol,
                   FindSymbolInDraft(step, path, operation.name_path()));
  // It may have been found in a folder, or behind a link.
  RETURN_IF_ERROR(
      CheckSeen(step, symbol.relative_path, "",
                operation.kind() == lsp::v1::SYMBOL_EDIT_KIND_REPLACE_BODY));
  ASSIGN_OR_RETURN(const absl::string_view text,
                   step.draft.ReadText(symbol.relative_path));
  const LineIndex lines(text);
  ASSIGN_OR_RETURN(TextChange change,
                   ChangeOf(lines, symbol.definition, operation));
  ASSIGN_OR_RETURN(std::string edited, ApplyChanges(text, {std::move(change)}));
  return step.draft.Write(symbol.relative_path, std::move(edited));
}

}  // namespace banyan::lspd
