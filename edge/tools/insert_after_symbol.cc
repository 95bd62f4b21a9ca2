// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition InsertAfterSymbolEdit() {
  return {
      .spec =
          EditSpec("insert_after_symbol", "Insert after a symbol",
                   "Inserts lines after the definition of a symbol, with blank "
                   "lines as its neighbours have them.",
                   {{"name_path",
                     TextSchema("Name path of the symbol; see find_symbol.")},
                    {"relative_path", TextSchema("The file it stands in.")},
                    {"body", TextSchema("What is inserted.")}},
                   {"name_path", "relative_path", "body"}),
      .to_operation = [](const json& arguments) {
        return SymbolEdit(lsp::v1::SYMBOL_EDIT_KIND_INSERT_AFTER, arguments);
      }};
}

}  // namespace banyan::edge
