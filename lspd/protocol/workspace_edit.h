// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_PROTOCOL_WORKSPACE_EDIT_H_
#define LSPD_PROTOCOL_WORKSPACE_EDIT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lspd/protocol/text_position.h"
#include "nlohmann/json.hpp"

namespace banyan::lspd {

struct LspTextEdit {
  LspRange range;
  std::string new_text;
};

// One entry of a WorkspaceEdit.
struct DocumentChange {
  enum class Kind { kEdit, kCreate, kRename, kDelete };

  Kind kind = Kind::kEdit;
  std::string uri;                 // As the server spelt it.
  std::string new_uri;             // kRename.
  std::optional<int> version;      // kEdit: of the text that is meant.
  std::vector<LspTextEdit> edits;  // kEdit: of one text, in the server's order.
  bool may_overwrite = false;      // kCreate, kRename.
  bool ignore_if_exists = false;   // kCreate, kRename; loses to may_overwrite.
  bool ignore_if_absent = false;   // kDelete.
};

// Changes in the order in which they are to be made. Annotations are dropped:
// whoever asked has said yes.
struct WorkspaceEdit {
  std::vector<DocumentChange> changes;
};

// `documentChanges`, which wins, or `changes`, or null (LSP 3.18,
// "WorkspaceEdit"). UNSUPPORTED for any other shape.
absl::StatusOr<WorkspaceEdit> WorkspaceEditFromJson(const nlohmann::json& json);

// TextEdit[] or null, as formatters answer.
absl::StatusOr<std::vector<LspTextEdit>> TextEditsFromJson(
    const nlohmann::json& json);

}  // namespace banyan::lspd

#endif  // LSPD_PROTOCOL_WORKSPACE_EDIT_H_
