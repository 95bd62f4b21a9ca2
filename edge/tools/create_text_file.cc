// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition CreateTextFileEdit() {
  return {
      .spec = EditSpec(
          "create_text_file", "Create a file",
          "Creates a text file, with the folders it needs. An existing one is "
          "replaced only with `overwrite`, and only if it is still as you saw "
          "it.",
          {{"relative_path", TextSchema("The file, relative to the root.")},
           {"content", AnyTextSchema("Its whole text, written as it is.")},
           {"overwrite",
            FlagSchema("True: replace the file if it is there.", false)}},
          {"relative_path", "content"}),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        auto& create = *operation.mutable_create_file();
        create.set_content(arguments.at("content").get<std::string>());
        create.set_may_overwrite(arguments.value("overwrite", false));
        return operation;
      }};
}

}  // namespace banyan::edge
