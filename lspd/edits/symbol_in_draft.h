// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_SYMBOL_IN_DRAFT_H_
#define LSPD_EDITS_SYMBOL_IN_DRAFT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/symbol_layout.h"

namespace banyan::lspd {

// A symbol and where it stands in the text that the draft has.
struct SymbolInDraft {
  std::string relative_path;
  std::string name;
  Definition definition;
};

// The one symbol that `name_path` means beneath `path` (file or folder).
//   those of FindOneSymbol
//   ARGUMENT_INVALID  an earlier step changed its file, which servers know only
//                     as it is on disk
//   CONFLICT          the file changed while it was looked at
absl::StatusOr<SymbolInDraft> FindSymbolInDraft(EditStep& step,
                                                const std::string& path,
                                                absl::string_view name_path);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_SYMBOL_IN_DRAFT_H_
