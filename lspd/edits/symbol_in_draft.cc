// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/symbol_in_draft.h"

#include "absl/strings/str_cat.h"
#include "lspd/queries/attempts.h"
#include "lspd/queries/symbol_search.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {

absl::StatusOr<SymbolInDraft> FindSymbolInDraft(EditStep& step,
                                                const std::string& path,
                                                absl::string_view name_path) {
  SymbolInDraft found;
  std::string hash;
  using Answer = lsp::v1::ApplyEditResponse;
  const absl::StatusOr<Answer> asked =
      Ask<Answer>(step.tools, step.asker, step.call,
                  [&](Question& question) -> absl::StatusOr<Answer> {
                    ASSIGN_OR_RETURN(const SymbolMatch match,
                                     FindOneSymbol(question, name_path, path));
                    found = {.relative_path = match.file.relative_path,
                             .name = match.place.node->name,
                             .definition = {.range = match.place.node->range,
                                            .kind = match.place.node->kind,
                                            .language = match.file.language}};
                    hash = match.file.hash;
                    return Answer();
                  });
  RETURN_IF_ERROR(asked.status());
  if (step.draft.IsChanged(found.relative_path)) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
        absl::StrCat("an earlier step changed ", found.relative_path,
                     ", so its symbols are not known now; edit its symbols "
                     "first, or in a call of their own"));
  }
  ASSIGN_OR_RETURN(const auto disk, step.draft.DiskHash(found.relative_path));
  if (!disk || *disk != hash) {
    return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT,
                      absl::StrCat(found.relative_path,
                                   " changed while it was looked at; nothing "
                                   "was changed by this call. Try again."));
  }
  return found;
}

}  // namespace banyan::lspd
