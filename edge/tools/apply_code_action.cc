// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition ApplyCodeActionEdit() {
  return {
      .spec = EditSpec(
          "apply_code_action", "Apply a code action",
          "Makes a quick fix, refactoring or clean-up that list_code_actions "
          "offered.",
          {{"relative_path", TextSchema("The file it was offered for.")},
           {"action_id", TextSchema("Id of the action.")},
           {"dry_run", FlagSchema("True: only show it.", false)}},
          {"relative_path", "action_id"}),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        operation.mutable_apply_code_action()->set_action_id(
            arguments.at("action_id").get<std::string>());
        return operation;
      }};
}

}  // namespace banyan::edge
