// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/memory_call.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

class MemoryEditTool final : public Tool {
 public:
  MemoryEditTool(ToolClients clients, EditDefinition definition)
      : clients_(clients), definition_(std::move(definition)) {}

  const ToolSpec& spec() const override { return definition_.spec; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    json arguments = call.arguments;
    ASSIGN_OR_RETURN(arguments["relative_path"],
                     MemoryPath(arguments.at("name").get<std::string>()));
    if (arguments.contains("new_name")) {
      ASSIGN_OR_RETURN(arguments["new_path"],
                       MemoryPath(arguments.at("new_name").get<std::string>()));
    }
    ASSIGN_OR_RETURN(lsp::v1::EditOperation operation,
                     definition_.to_operation(arguments));
    std::vector<std::string> clean;
    ASSIGN_OR_RETURN(const WorkspaceRead write,
                     AuthorizePaths(clients_.sessions, call, spec().name,
                                    session::v1::ACCESS_READ_WRITE,
                                    PathsOf(arguments), &clean));
    SetPaths(clean, arguments, &operation);
    lsp::v1::ApplyEditRequest request;
    *request.mutable_grant() = write.grant;
    *request.add_operations() = std::move(operation);
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.ApplyEdit(write.root(), request, call.context));
    return EditResult(write.label, response);
  }

 private:
  const ToolClients clients_;
  const EditDefinition definition_;
};

}  // namespace

absl::StatusOr<std::string> MemoryPath(absl::string_view name) {
  absl::string_view bare = absl::StripSuffix(name, ".md");
  if (absl::StartsWith(bare, "global/")) {
    return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                      "memories under `global/` are not offered by this "
                      "server; use a name without it");
  }
  for (const absl::string_view part : absl::StrSplit(bare, '/')) {
    if (part.empty() || part == "." || part == "..") {
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        "the name of a memory is a topic, such as "
                        "`build/sanitizers`: not empty, no `..`");
    }
  }
  return absl::StrCat(kMemoriesFolder, "/", bare, ".md");
}

std::string MemoryName(absl::string_view path) {
  if (!absl::ConsumePrefix(&path, absl::StrCat(kMemoriesFolder, "/")) ||
      !absl::ConsumeSuffix(&path, ".md")) {
    return "";
  }
  return std::string(path);
}

json MemoryNameSchema() {
  return TextSchema("Name of the memory; topics by slash: `build/sanitizers`.");
}

std::unique_ptr<Tool> NewMemoryEditTool(ToolClients clients,
                                        EditDefinition definition) {
  return std::make_unique<MemoryEditTool>(clients, std::move(definition));
}

}  // namespace banyan::edge
