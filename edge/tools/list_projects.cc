// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

ToolSpec Spec() {
  return {
      .name = "list_projects",
      .title = "List projects",
      .description =
          "Lists the projects that you may work in. Pass a name to "
          "activate_project, or as `workspace` to a reading tool.",
      .input_schema = InputSchema(json::object()),
      .output_schema = OutputSchema(
          {{"projects",
            ListSchema(
                "By name.",
                ObjectSchema(
                    "A project.",
                    {{"name", TextSchema("What activate_project takes.")},
                     {"sessions",
                      NumberSchema("Workspaces open on it, anybody's.", 0)},
                     {"registered",
                      FlagSchema("False: found below a workspaces root.")},
                     {"languages", ListSchema("Languages seen in it so far.",
                                              TextSchema("A language."))}},
                    {"name", "sessions"}))}},
          {"projects"}),
      .group = ToolGroup::kWorkspace};
}

class ListProjects final : public Tool {
 public:
  explicit ListProjects(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    LogDispatch(call, call.caller.session_public_id, "", spec_.name);
    session::v1::ListProjectsRequest request;
    *request.mutable_principal() = call.caller.principal;
    ASSIGN_OR_RETURN(const auto response,
                     clients_.sessions.ListProjects(request, call.context));
    json projects = json::array();
    for (const auto& project : response.projects()) {
      json entry = {{"name", project.name()},
                    {"sessions", project.sessions()},
                    {"registered", project.is_registered()}};
      for (const std::string& language : project.languages()) {
        entry["languages"].push_back(language);
      }
      projects.push_back(std::move(entry));
    }
    return ToolResult{.content = {{"projects", std::move(projects)}}};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewListProjectsTool(ToolClients clients) {
  return std::make_unique<ListProjects>(clients);
}

}  // namespace banyan::edge
