// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_MEMORY_CALL_H_
#define EDGE_TOOLS_MEMORY_CALL_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/lsp/v1/edit_service.pb.h"
#include "edge/tools/edit_tool.h"
#include "edge/tools/tool.h"

namespace banyan::edge {

// Memories are Markdown files of the project, changed as any other file is.
constexpr char kMemoriesFolder[] = ".banyan/memories";

// The file of a memory: "build/asan" is .banyan/memories/build/asan.md.
//   ARGUMENT_INVALID  empty, climbs out, or `global/`, which this server does
//                     not offer
absl::StatusOr<std::string> MemoryPath(absl::string_view name);

// The name of a memory's file; empty when it is none.
std::string MemoryName(absl::string_view path);

nlohmann::json MemoryNameSchema();

// A tool that changes a memory: an edit of the file that `name` names, and
// `new_name` where there is one.
std::unique_ptr<Tool> NewMemoryEditTool(ToolClients clients,
                                        EditDefinition definition);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_MEMORY_CALL_H_
