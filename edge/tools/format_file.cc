// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition FormatFileEdit() {
  return {
      .spec = EditSpec(
          "format_file", "Format a file",
          "Formats a file, or lines of it, as its language server does.",
          {{"relative_path", TextSchema("The file, relative to the root.")},
           {"start_line", NumberSchema("First line of a part.", 1)},
           {"end_line", NumberSchema("Last line of the part.", 1)}},
          {"relative_path"}),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        auto& format = *operation.mutable_format_file();
        format.set_start_line(arguments.value("start_line", 0));
        format.set_end_line(arguments.value("end_line", 0));
        return operation;
      }};
}

}  // namespace banyan::edge
