// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition MoveFileEdit() {
  return {
      .spec = EditSpec(
          "move_file", "Move or rename a file",
          "Moves a file, with the imports of it where its language server "
          "looks after them.",
          {{"relative_path", TextSchema("The file, relative to the root.")},
           {"new_path", TextSchema("Where it shall be, relative to the root.")},
           {"update_imports", FlagSchema("True: change who imports it.", true)},
           {"dry_run", FlagSchema("True: only show it.", false)}},
          {"relative_path", "new_path"}),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        auto& move = *operation.mutable_move_file();
        move.set_new_path(arguments.at("new_path").get<std::string>());
        move.set_update_imports(arguments.value("update_imports", true));
        return operation;
      }};
}

}  // namespace banyan::edge
