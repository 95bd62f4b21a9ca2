// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_EDIT_TOOL_H_
#define EDGE_TOOLS_EDIT_TOOL_H_

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/edit_service.pb.h"
#include "edge/tools/tool.h"

namespace banyan::edge {

// One kind of edit: what a client is told, and what lspd is asked. Making the
// edit and showing it (preview_edit) share this.
struct EditDefinition {
  ToolSpec spec;
  // The operation without `relative_path` and `expected_hash`, which are the
  // same for all.
  //   ARGUMENT_INVALID
  std::function<absl::StatusOr<lsp::v1::EditOperation>(
      const nlohmann::json& arguments)>
      to_operation;
};

// What each file of an edit tool's name defines.
EditDefinition CreateTextFileEdit();
EditDefinition ReplaceContentEdit();
EditDefinition ReplaceLinesEdit();
EditDefinition InsertAtLineEdit();
EditDefinition DeleteLinesEdit();
EditDefinition ReplaceSymbolBodyEdit();
EditDefinition InsertBeforeSymbolEdit();
EditDefinition InsertAfterSymbolEdit();
EditDefinition RenameSymbolEdit();
EditDefinition SafeDeleteSymbolEdit();
EditDefinition ReplaceInFilesEdit();
EditDefinition DeleteFileEdit();
EditDefinition MoveFileEdit();
EditDefinition FormatFileEdit();
EditDefinition ApplyCodeActionEdit();

// In the order in which clients see them.
std::vector<EditDefinition> AllEdits();

// Makes an edit and shows what became of it.
std::unique_ptr<Tool> NewEditTool(ToolClients clients,
                                  EditDefinition definition);

// The spec of an edit. `properties` come without what all edits share:
// `expected_hash` (for those of one file), `diagnostics`, `max_answer_chars`.
ToolSpec EditSpec(std::string name, std::string title, std::string description,
                  nlohmann::json properties,
                  const std::vector<std::string>& required,
                  bool names_one_file = true);

// The operation of an edit whose arguments are `name_path` and `body`.
lsp::v1::EditOperation SymbolEdit(lsp::v1::SymbolEditKind kind,
                                  const nlohmann::json& arguments);

// What was changed, or would be.
nlohmann::json EditOutputSchema();
ToolResult EditResult(const std::string& workspace,
                      const lsp::v1::ApplyEditResponse& response);

// The paths that an operation names, for sessiond to judge, and back.
std::vector<std::string> PathsOf(const nlohmann::json& arguments);
void SetPaths(const std::vector<std::string>& clean,
              const nlohmann::json& arguments,
              lsp::v1::EditOperation* operation);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_EDIT_TOOL_H_
