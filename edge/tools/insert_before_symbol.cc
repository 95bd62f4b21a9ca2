// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition InsertBeforeSymbolEdit() {
  return {
      .spec =
          EditSpec("insert_before_symbol", "Insert before a symbol",
                   "Inserts lines before the definition of a symbol, above its "
                   "doc comment and decorators, with blank lines as its "
                   "neighbours have them.",
                   {{"name_path",
                     TextSchema("Name path of the symbol; see find_symbol.")},
                    {"relative_path", TextSchema("The file it stands in.")},
                    {"body", TextSchema("What is inserted.")}},
                   {"name_path", "relative_path", "body"}),
      .to_operation = [](const json& arguments) {
        return SymbolEdit(lsp::v1::SYMBOL_EDIT_KIND_INSERT_BEFORE, arguments);
      }};
}

}  // namespace banyan::edge
