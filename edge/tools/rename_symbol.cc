// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition RenameSymbolEdit() {
  return {
      .spec = EditSpec(
          "rename_symbol", "Rename a symbol",
          "Renames a symbol wherever it is used, every file or none. More than "
          "one file is only shown, unless `confirm` is given, or the client's "
          "user says yes when asked. Refused when not every use may be known.",
          {{"name_path",
            TextSchema("Name path of the symbol; see find_symbol.")},
           {"relative_path", TextSchema("The file it stands in.")},
           {"new_name", TextSchema("Its new name, bare.")},
           {"confirm",
            FlagSchema("True: rename in more than one file.", false)},
           {"force",
            FlagSchema("True: though not every use may be known.", false)},
           {"dry_run", FlagSchema("True: only show it.", false)}},
          {"name_path", "relative_path", "new_name"}),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        auto& rename = *operation.mutable_rename_symbol();
        rename.set_name_path(arguments.at("name_path").get<std::string>());
        rename.set_new_name(arguments.at("new_name").get<std::string>());
        rename.set_is_confirmed(arguments.value("confirm", false));
        rename.set_force(arguments.value("force", false));
        return operation;
      }};
}

}  // namespace banyan::edge
