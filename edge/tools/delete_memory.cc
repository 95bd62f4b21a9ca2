// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"
#include "edge/tools/memory_call.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

std::unique_ptr<Tool> NewDeleteMemoryTool(ToolClients clients) {
  return NewMemoryEditTool(
      clients, {.spec = EditSpec(
                    "delete_memory", "Delete a memory",
                    "Deletes a memory. Refused when it is not as you read it.",
                    {{"name", MemoryNameSchema()}}, {"name"}),
                .to_operation =
                    [](const json&) -> absl::StatusOr<lsp::v1::EditOperation> {
                  lsp::v1::EditOperation operation;
                  operation.mutable_delete_file();
                  return operation;
                }});
}

}  // namespace banyan::edge
