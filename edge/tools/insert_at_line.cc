// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition InsertAtLineEdit() {
  return {
      .spec = EditSpec(
          "insert_at_line", "Insert lines",
          "Inserts lines before a line of a file. Refused when the file is not "
          "as you saw it.",
          {{"relative_path", TextSchema("The file, relative to the root.")},
           {"line", NumberSchema("The line, 1-based, that the new ones come "
                                 "before; past the end: they come last.",
                                 1)},
           {"content", AnyTextSchema("The lines.")}},
          {"relative_path", "line", "content"}),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        auto& lines = *operation.mutable_edit_lines();
        lines.set_kind(lsp::v1::LINE_EDIT_KIND_INSERT);
        lines.set_start_line(arguments.at("line").get<int>());
        lines.set_content(arguments.at("content").get<std::string>());
        return operation;
      }};
}

}  // namespace banyan::edge
