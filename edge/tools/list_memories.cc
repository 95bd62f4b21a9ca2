// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "edge/tools/all_tools.h"
#include "edge/tools/memory_call.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/symbol_json.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

ToolSpec Spec() {
  return {.name = "list_memories",
          .title = "List memories",
          .description = "Names the memories of the project.",
          .input_schema = PagedInputSchema(json::object()),
          .output_schema = WorkspaceOutputSchema(
              {{"memories",
                ListSchema("Their names, sorted.", TextSchema("A name."))}},
              {"memories"})};
}

class ListMemories final : public Tool {
 public:
  explicit ListMemories(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    lsp::v1::ListDirectoryRequest request;
    *request.mutable_grant() = read.grant;
    request.set_relative_path(kMemoriesFolder);
    request.set_recursive(true);
    auto response =
        clients_.lsp.ListDirectory(read.root(), request, call.context);
    // Without the folder there are no memories yet.
    if (!response.ok() && rpc::ReasonOf(response.status()) ==
                              rpc::v1::ERROR_REASON_FILE_NOT_FOUND) {
      response = lsp::v1::ListDirectoryResponse();
    }
    RETURN_IF_ERROR(response.status());
    json content = {{"workspace", read.label}, {"memories", json::array()}};
    for (const std::string& path : response->files()) {
      std::string name = MemoryName(path);
      if (!name.empty()) content["memories"].push_back(std::move(name));
    }
    AddCompleteness(content, response->incomplete());
    return ToolResult{.content = std::move(content),
                      .paging = PagesOf("memories")};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewListMemoriesTool(ToolClients clients) {
  return std::make_unique<ListMemories>(clients);
}

}  // namespace banyan::edge
