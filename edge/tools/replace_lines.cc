// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition ReplaceLinesEdit() {
  return {
      .spec = EditSpec(
          "replace_lines", "Replace lines",
          "Replaces lines of a file. Refused when the file is not as you saw "
          "it.",
          {{"relative_path", TextSchema("The file, relative to the root.")},
           {"start_line", NumberSchema("First line, 1-based.", 1)},
           {"end_line",
            NumberSchema("Last line, inclusive; past the end is the last line. "
                         "Default: start_line.",
                         1)},
           {"content", AnyTextSchema("The lines that come instead.")}},
          {"relative_path", "start_line", "content"}),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        auto& lines = *operation.mutable_edit_lines();
        lines.set_kind(lsp::v1::LINE_EDIT_KIND_REPLACE);
        lines.set_start_line(arguments.at("start_line").get<int>());
        lines.set_end_line(arguments.value("end_line", 0));
        lines.set_content(arguments.at("content").get<std::string>());
        return operation;
      }};
}

}  // namespace banyan::edge
