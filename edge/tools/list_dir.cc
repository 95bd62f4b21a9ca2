// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "edge/tools/all_tools.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/symbol_json.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

ToolSpec Spec() {
  return {.name = "list_dir",
          .title = "List a directory",
          .description = "Lists the directories and files of a directory.",
          .input_schema = PagedInputSchema(
              {{"relative_path",
                TextSchema("The directory, relative to the root.", ".")},
               {"recursive", FlagSchema("True: with everything below.", false)},
               {"skip_ignored_files",
                FlagSchema("True: without what git ignores.", false)}}),
          .output_schema = WorkspaceOutputSchema(
              {{"directories", ListSchema("Paths relative to the root, sorted.",
                                          TextSchema("A directory."))},
               {"files", ListSchema("Paths relative to the root, sorted.",
                                    TextSchema("A file."))}},
              {"directories", "files"})};
}

// Both lists are one run of items: directories first, then files.
Paging DirectoriesThenFiles() {
  return {
      .count =
          [](const json& content) {
            return content.at("directories").size() +
                   content.at("files").size();
          },
      .slice =
          [](const json& content, size_t first, size_t count) {
            const size_t directories = content.at("directories").size();
            const size_t of_directories =
                std::min(count, directories - std::min(first, directories));
            json page =
                PagesOf("directories").slice(content, first, of_directories);
            return PagesOf("files").slice(page,
                                          first - std::min(first, directories),
                                          count - of_directories);
          }};
}

class ListDir final : public Tool {
 public:
  explicit ListDir(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    lsp::v1::ListDirectoryRequest request;
    *request.mutable_grant() = read.grant;
    request.set_relative_path(read.path);
    request.set_recursive(call.arguments.value("recursive", false));
    request.set_skip_ignored_files(
        call.arguments.value("skip_ignored_files", false));
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.ListDirectory(read.root(), request, call.context));

    json content = {{"workspace", read.label},
                    {"directories", json::array()},
                    {"files", json::array()}};
    for (const std::string& path : response.directories()) {
      content["directories"].push_back(path);
    }
    for (const std::string& path : response.files()) {
      content["files"].push_back(path);
    }
    AddCompleteness(content, response.incomplete());
    return ToolResult{.content = std::move(content),
                      .paging = DirectoriesThenFiles()};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewListDirTool(ToolClients clients) {
  return std::make_unique<ListDir>(clients);
}

}  // namespace banyan::edge
