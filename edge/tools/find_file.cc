// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/symbol_json.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

ToolSpec Spec() {
  return {.name = "find_file",
          .title = "Find files by name",
          .description =
              "Finds files whose name matches a glob. Files that git ignores "
              "are left out.",
          .input_schema = PagedInputSchema(
              {{"file_mask",
                TextSchema("Glob such as *.py; on the path if it has a "
                           "slash: src/**/*.h.")},
               {"relative_path",
                TextSchema("Where to look, relative to the root.", ".")}},
              {"file_mask"}),
          .output_schema = WorkspaceOutputSchema(
              {{"files", ListSchema("Paths relative to the root, sorted.",
                                    TextSchema("A file."))}},
              {"files"})};
}

class FindFile final : public Tool {
 public:
  explicit FindFile(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    lsp::v1::FindFilesRequest request;
    *request.mutable_grant() = read.grant;
    request.set_file_mask(call.arguments.at("file_mask").get<std::string>());
    request.set_relative_path(read.path);
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.FindFiles(read.root(), request, call.context));

    json content = {{"workspace", read.label}, {"files", json::array()}};
    for (const std::string& path : response.files()) {
      content["files"].push_back(path);
    }
    AddCompleteness(content, response.incomplete());
    return ToolResult{.content = std::move(content),
                      .paging = PagesOf("files")};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewFindFileTool(ToolClients clients) {
  return std::make_unique<FindFile>(clients);
}

}  // namespace banyan::edge
