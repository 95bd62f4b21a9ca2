// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition SafeDeleteSymbolEdit() {
  return {
      .spec = EditSpec(
          "safe_delete_symbol", "Delete an unused symbol",
          "Deletes the definition of a symbol with its doc comment, or says "
          "who uses it.",
          {{"name_path",
            TextSchema("Name path of the symbol; see find_symbol.")},
           {"relative_path", TextSchema("The file it stands in.")},
           {"force", FlagSchema("True: though it is used, or may be.", false)}},
          {"name_path", "relative_path"}),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        auto& remove = *operation.mutable_delete_symbol();
        remove.set_name_path(arguments.at("name_path").get<std::string>());
        remove.set_force(arguments.value("force", false));
        return operation;
      }};
}

}  // namespace banyan::edge
