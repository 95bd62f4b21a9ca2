// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

ToolSpec Spec() {
  json input = WorkspaceInputSchema(json::object());
  input["properties"]["workspace"]["description"] =
      "The handle to give back. Default: the workspace of this session.";
  return {.name = "release_workspace",
          .title = "Release a workspace",
          .description =
              "Gives a workspace handle back when you are done with it. "
              "Calling it again does no harm.",
          .input_schema = std::move(input),
          .output_schema = OutputSchema(
              {{"released", FlagSchema("False: it was gone before.")},
               {"workspace", TextSchema("The handle, if one was named.")}},
              {"released"}),
          .group = ToolGroup::kWorkspace,
          .is_read_only = false};
}

class ReleaseWorkspace final : public Tool {
 public:
  explicit ReleaseWorkspace(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    LogDispatch(call, call.caller.session_public_id, "", spec_.name);
    const std::string handle = call.arguments.value("workspace", "");
    session::v1::ReleaseWorkspaceRequest request;
    *request.mutable_principal() = call.caller.principal;
    request.set_handle(handle);
    request.set_session_id(call.caller.session_id);
    ASSIGN_OR_RETURN(const auto response,
                     clients_.sessions.ReleaseWorkspace(request, call.context));
    ToolResult result{.content = {{"released", response.was_live()}}};
    if (!handle.empty()) result.content["workspace"] = handle;
    return result;
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewReleaseWorkspaceTool(ToolClients clients) {
  return std::make_unique<ReleaseWorkspace>(clients);
}

}  // namespace banyan::edge
