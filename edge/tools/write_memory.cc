// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"
#include "edge/tools/memory_call.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

std::unique_ptr<Tool> NewWriteMemoryTool(ToolClients clients) {
  return NewMemoryEditTool(
      clients,
      {.spec = EditSpec(
           "write_memory", "Write a memory",
           "Writes a memory of the project, a Markdown text for later "
           "sessions. An existing one is replaced only if it is still as you "
           "read it.",
           {{"name", MemoryNameSchema()},
            {"content", TextSchema("Its whole text.")}},
           {"name", "content"}),
       .to_operation =
           [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
         lsp::v1::EditOperation operation;
         auto& create = *operation.mutable_create_file();
         create.set_content(arguments.at("content").get<std::string>());
         create.set_may_overwrite(true);
         return operation;
       }});
}

}  // namespace banyan::edge
