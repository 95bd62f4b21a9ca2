// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "edge/tools/all_tools.h"
#include "edge/tools/memory_call.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/symbol_json.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

ToolSpec Spec() {
  return {.name = "read_memory",
          .title = "Read a memory",
          .description = "Reads a memory of the project.",
          .input_schema =
              PagedInputSchema({{"name", MemoryNameSchema()}}, {"name"}),
          .output_schema = WorkspaceOutputSchema(
              {{"name", TextSchema("The memory.")},
               {"text", TextSchema("Its Markdown.")},
               {"hash", TextSchema("What write_memory takes as "
                                   "expected_hash.")}},
              {"name", "text", "hash"})};
}

class ReadMemory final : public Tool {
 public:
  explicit ReadMemory(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    const std::string name = call.arguments.at("name").get<std::string>();
    ASSIGN_OR_RETURN(const std::string path, MemoryPath(name));
    std::vector<std::string> clean;
    ASSIGN_OR_RETURN(
        const WorkspaceRead read,
        AuthorizePaths(clients_.sessions, call, spec_.name,
                       session::v1::ACCESS_READ_ONLY, {path}, &clean));
    lsp::v1::ReadFileRequest request;
    *request.mutable_grant() = read.grant;
    request.set_relative_path(clean.front());
    ASSIGN_OR_RETURN(auto response,
                     clients_.lsp.ReadFile(read.root(), request, call.context));
    json content = {{"workspace", read.label},
                    {"name", MemoryName(clean.front())},
                    {"text", std::move(*response.mutable_text())},
                    {"hash", response.hash()}};
    AddCompleteness(content, {});
    return ToolResult{.content = std::move(content)};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewReadMemoryTool(ToolClients clients) {
  return std::make_unique<ReadMemory>(clients);
}

}  // namespace banyan::edge
