// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "edge/tools/all_tools.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/symbol_json.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

ToolSpec Spec() {
  return {
      .name = "get_current_config",
      .title = "Show the current configuration",
      .description =
          "Shows this session, its workspace and access, the languages with "
          "the state of their servers, and the server's version.",
      .input_schema = WorkspaceInputSchema(json::object()),
      .output_schema = OutputSchema(
          {{"version", TextSchema("Version of the server.")},
           {"session",
            TextSchema("Public id of the session, if there is one.")},
           {"bound", FlagSchema("False: call activate_project first.")},
           {"next_step", TextSchema("What to do when nothing is bound.")},
           {"workspace", TextSchema("Handle, or the project's name.")},
           {"project_name", TextSchema("Name of the project.")},
           {"root", TextSchema("Absolute path of the root on the server.")},
           {"access", TextSchema("read-write or read-only.")},
           {"modes", ListSchema("Modes in force.", TextSchema("A mode."))},
           {"languages",
            ListSchema("Languages of the project.", LanguageSchema())},
           {"limits", LimitsSchema()}},
          {"version", "bound"}),
      .group = ToolGroup::kWorkspace};
}

class GetCurrentConfig final : public Tool {
 public:
  GetCurrentConfig(ToolClients clients, std::string version)
      : clients_(clients), version_(std::move(version)) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    json content = {{"version", version_}, {"bound", false}};
    if (!call.caller.session_public_id.empty()) {
      content["session"] = call.caller.session_public_id;
    }
    const auto read = AuthorizeRead(clients_.sessions, call, spec_.name);
    if (!read.ok() &&
        rpc::ReasonOf(read.status()) == rpc::v1::ERROR_REASON_NOT_BOUND) {
      content["next_step"] = std::string(read.status().message());
      return ToolResult{.content = std::move(content)};
    }
    RETURN_IF_ERROR(read.status());

    lsp::v1::OpenRootRequest request;
    *request.mutable_grant() = read->grant;
    ASSIGN_OR_RETURN(
        const auto found,
        clients_.lsp.OpenRoot(read->root(), request, call.context));
    content["bound"] = true;
    content["workspace"] = read->label;
    content["project_name"] = read->workspace.project_name();
    content["root"] = read->workspace.root();
    content["access"] = AccessName(read->workspace.access());
    content["modes"] = json::array();
    for (const std::string& mode : read->workspace.modes()) {
      content["modes"].push_back(mode);
    }
    content["languages"] = json::array();
    for (const auto& language : found.languages()) {
      content["languages"].push_back(ToJson(language));
    }
    content["limits"] = LimitsToJson(read->workspace);
    return ToolResult{.content = std::move(content)};
  }

 private:
  const ToolClients clients_;
  const std::string version_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewGetCurrentConfigTool(ToolClients clients,
                                              std::string version) {
  return std::make_unique<GetCurrentConfig>(clients, std::move(version));
}

}  // namespace banyan::edge
