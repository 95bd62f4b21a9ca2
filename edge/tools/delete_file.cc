// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition DeleteFileEdit() {
  return {
      .spec = EditSpec(
          "delete_file", "Delete a file",
          "Deletes a file. Refused when it is not as you saw it.",
          {{"relative_path", TextSchema("The file, relative to the root.")}},
          {"relative_path"}),
      .to_operation =
          [](const json&) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        operation.mutable_delete_file();
        return operation;
      }};
}

}  // namespace banyan::edge
