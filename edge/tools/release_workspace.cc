// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

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
              "Naming one that is gone does no harm. A session that has others "
              "goes on in the one before, which the answer names.",
          .input_schema = std::move(input),
          .output_schema = OutputSchema(
              {{"released", FlagSchema("False: it was gone before.")},
               {"workspace",
                TextSchema("The handle that was given back; absent when this "
                           "session had none.")},
               {"now_active",
                ObjectSchema(
                    "Where this session works now, if it still has a handle.",
                    {{"workspace", TextSchema("Its handle.")},
                     {"project_name", TextSchema("Name of the project.")}},
                    {"workspace", "project_name"})}},
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
    std::string handle = call.arguments.value("workspace", "");
    if (handle.empty()) {
      ASSIGN_OR_RETURN(const auto current, CurrentOf(call));
      if (current.has_value()) handle = current->handle();
    }
    session::v1::ReleaseWorkspaceRequest request;
    *request.mutable_principal() = call.caller.principal;
    request.set_handle(handle);
    request.set_session_id(call.caller.session_id);
    ASSIGN_OR_RETURN(const auto response,
                     clients_.sessions.ReleaseWorkspace(request, call.context));
    ToolResult result{.content = {{"released", response.was_live()}}};
    if (!handle.empty()) result.content["workspace"] = handle;
    ASSIGN_OR_RETURN(const auto now, CurrentOf(call));
    if (now.has_value()) {
      result.content["now_active"] = {{"workspace", now->handle()},
                                      {"project_name", now->project_name()}};
    }
    return result;
  }

 private:
  // The newest of the session's handles, which is where it works.
  absl::StatusOr<std::optional<session::v1::Workspace>> CurrentOf(
      const ToolCall& call) const {
    if (call.caller.session_id.empty()) {
      return std::optional<session::v1::Workspace>();
    }
    session::v1::ListWorkspacesRequest request;
    *request.mutable_principal() = call.caller.principal;
    request.set_session_id(call.caller.session_id);
    ASSIGN_OR_RETURN(auto listed,
                     clients_.sessions.ListWorkspaces(request, call.context));
    if (listed.workspaces().empty()) {
      return std::optional<session::v1::Workspace>();
    }
    return std::optional(
        std::move(*listed.mutable_workspaces(listed.workspaces_size() - 1)));
  }

  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewReleaseWorkspaceTool(ToolClients clients) {
  return std::make_unique<ReleaseWorkspace>(clients);
}

}  // namespace banyan::edge
