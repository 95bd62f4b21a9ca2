// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition ReplaceSymbolBodyEdit() {
  return {
      .spec = EditSpec(
          "replace_symbol_body", "Replace a symbol",
          "Replaces the whole definition of a symbol, as find_symbol shows it "
          "with include_body: keyword, signature and decorators included. A "
          "doc comment above stays unless body brings its own.",
          {{"name_path",
            TextSchema("Name path of the symbol; see find_symbol.")},
           {"relative_path", TextSchema("The file it stands in.")},
           {"body", TextSchema("The new definition.")}},
          {"name_path", "relative_path", "body"}),
      .to_operation = [](const json& arguments) {
        return SymbolEdit(lsp::v1::SYMBOL_EDIT_KIND_REPLACE_BODY, arguments);
      }};
}

}  // namespace banyan::edge
