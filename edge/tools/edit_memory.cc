// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"
#include "edge/tools/memory_call.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

std::unique_ptr<Tool> NewEditMemoryTool(ToolClients clients) {
  return NewMemoryEditTool(
      clients,
      {.spec =
           EditSpec("edit_memory", "Change a memory",
                    "Replaces a text in a memory; see replace_content.",
                    {{"name", MemoryNameSchema()},
                     {"needle", TextSchema("What is replaced.")},
                     {"repl", AnyTextSchema("What comes instead.")},
                     {"mode", WithDefault(ChoiceSchema("literal or regex.",
                                                       {"literal", "regex"}),
                                          "literal")}},
                    {"name", "needle", "repl"}),
       .to_operation =
           [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
         lsp::v1::EditOperation operation;
         auto& replace = *operation.mutable_replace_content();
         replace.set_needle(arguments.at("needle").get<std::string>());
         replace.set_replacement(arguments.at("repl").get<std::string>());
         replace.set_is_regex(arguments.value("mode", "literal") == "regex");
         return operation;
       }});
}

}  // namespace banyan::edge
