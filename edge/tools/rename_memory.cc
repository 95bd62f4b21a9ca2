// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"
#include "edge/tools/memory_call.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

std::unique_ptr<Tool> NewRenameMemoryTool(ToolClients clients) {
  return NewMemoryEditTool(
      clients,
      {.spec = EditSpec("rename_memory", "Rename a memory",
                        "Gives a memory another name.",
                        {{"name", MemoryNameSchema()},
                         {"new_name", TextSchema("The new one.")}},
                        {"name", "new_name"}),
       .to_operation =
           [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
         lsp::v1::EditOperation operation;
         operation.mutable_move_file()->set_new_path(
             arguments.at("new_path").get<std::string>());
         return operation;
       }});
}

}  // namespace banyan::edge
