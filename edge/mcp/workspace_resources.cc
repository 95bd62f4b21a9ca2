// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/workspace_resources.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "edge/tools/all_tools.h"
#include "edge/tools/result_format.h"
#include "edge/tools/tool_registry.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kProjects[] = "banyan://projects";
constexpr char kWorkspace[] = "banyan://workspace/";
constexpr size_t kMaxListed = 200;
constexpr size_t kMaxUriBytes = 8192;

// How each view is read: by which tool, and what of its answer is the content.
struct View {
  const char* name;
  const char* tool;
  const char* title;
  const char* type;
};
constexpr View kViews[] = {
    {"", "get_current_config", "Workspace", "application/json"},
    {"file", "read_file", "File", "text/plain"},
    {"symbols", "get_symbols_overview", "Symbols of a file",
     "application/json"},
    {"diagnostics", "get_diagnostics", "Errors and warnings",
     "application/json"}};

const View* FindView(absl::string_view name) {
  for (const View& view : kViews) {
    if (name == view.name) return &view;
  }
  return nullptr;
}

std::optional<std::string> Decode(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size() || !absl::ascii_isxdigit(text[i + 1]) ||
        !absl::ascii_isxdigit(text[i + 2])) {
      return std::nullopt;
    }
    decoded += absl::HexStringToBytes(text.substr(i + 1, 2));
    i += 2;
  }
  return decoded;
}

class WorkspaceResources final : public ResourceSource {
 public:
  WorkspaceResources(ToolClients clients, ToolRegistry tools)
      : clients_(clients), tools_(std::move(tools)) {}

  bool Owns(const std::string& uri) const override {
    return ParseWorkspaceUri(uri).has_value();
  }

  absl::StatusOr<json> List(const ToolCall& call) const override {
    json list = json::array({{{"uri", kProjects},
                              {"name", "projects"},
                              {"description", "The projects you may open."},
                              {"mimeType", "application/json"}}});
    ASSIGN_OR_RETURN(const auto owned, Owned(call));
    for (const auto& workspace : owned.workspaces()) {
      if (list.size() >= kMaxListed) break;
      list.push_back(
          {{"uri", absl::StrCat(kWorkspace, workspace.public_id())},
           {"name", workspace.project_name()},
           {"description", absl::StrCat("A workspace of yours on ",
                                        workspace.project_name(), ".")},
           {"mimeType", "application/json"}});
    }
    return list;
  }

  json Templates() const override {
    json templates = json::array();
    for (const View& view : kViews) {
      if (*view.name == '\0') continue;
      templates.push_back(
          {{"uriTemplate",
            absl::StrCat(kWorkspace, "{id}/", view.name, "/{+path}")},
           {"name", view.name},
           {"description", absl::StrCat(view.title,
                                        "; id is a workspace's public one, as "
                                        "resources/list shows it.")},
           {"mimeType", view.type}});
    }
    return templates;
  }

  absl::StatusOr<json> Read(const std::string& uri,
                            const ToolCall& call) const override {
    const WorkspaceUri parts = *ParseWorkspaceUri(uri);
    json arguments = json::object();
    const View* view = FindView(parts.view);
    const bool is_list = parts.workspace.empty();
    if (!is_list) {
      ASSIGN_OR_RETURN(arguments["workspace"], HandleOf(parts.workspace, call));
    }
    if (!parts.path.empty()) arguments["relative_path"] = parts.path;
    if (parts.view == "file") arguments["max_answer_chars"] = -1;
    ASSIGN_OR_RETURN(const ToolResult result,
                     Run(is_list ? "list_projects" : view->tool,
                         std::move(arguments), call));
    json content = {{"uri", uri},
                    {"mimeType", is_list ? "application/json" : view->type}};
    content["text"] = parts.view == "file" ? result.content.value("text", "")
                                           : Compact(result.content);
    return json::array({std::move(content)});
  }

  absl::StatusOr<std::vector<std::string>> Complete(
      const std::string& /*uri_template*/, const std::string& variable,
      const std::string& value, const json& /*known*/,
      const ToolCall& call) const override {
    std::vector<std::string> ids;
    if (variable != "id") return ids;
    ASSIGN_OR_RETURN(const auto owned, Owned(call));
    for (const auto& workspace : owned.workspaces()) {
      if (absl::StartsWith(workspace.public_id(), value)) {
        ids.push_back(workspace.public_id());
      }
    }
    return ids;
  }

 private:
  absl::StatusOr<session::v1::ListWorkspacesResponse> Owned(
      const ToolCall& call) const {
    session::v1::ListWorkspacesRequest request;
    *request.mutable_principal() = call.caller.principal;
    return clients_.sessions.ListWorkspaces(request, call.context);
  }

  // Only among the caller's own: another's id is as good as none.
  absl::StatusOr<std::string> HandleOf(const std::string& public_id,
                                       const ToolCall& call) const {
    ASSIGN_OR_RETURN(const auto owned, Owned(call));
    for (const auto& workspace : owned.workspaces()) {
      if (workspace.public_id() == public_id && !workspace.handle().empty()) {
        return workspace.handle();
      }
    }
    return rpc::Error(rpc::v1::ERROR_REASON_HANDLE_GONE, "no such workspace");
  }

  absl::StatusOr<ToolResult> Run(const char* tool, json arguments,
                                 ToolCall call) const {
    const ToolRegistry::Entry* entry = tools_.Find(tool);
    ASSIGN_OR_RETURN(call.arguments,
                     entry->input.Prepare(std::move(arguments)));
    return entry->tool->Run(call);
  }

  const ToolClients clients_;
  const ToolRegistry tools_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ResourceSource>> NewWorkspaceResources(
    ToolClients clients, const std::string& version) {
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(NewListProjectsTool(clients));
  tools.push_back(NewGetCurrentConfigTool(clients, version));
  tools.push_back(NewReadFileTool(clients));
  tools.push_back(NewGetSymbolsOverviewTool(clients));
  tools.push_back(NewGetDiagnosticsTool(clients));
  ASSIGN_OR_RETURN(ToolRegistry registry,
                   ToolRegistry::Create(std::move(tools)));
  return std::make_unique<WorkspaceResources>(clients, std::move(registry));
}

std::optional<WorkspaceUri> ParseWorkspaceUri(absl::string_view uri) {
  if (uri == kProjects) return WorkspaceUri();
  if (uri.size() > kMaxUriBytes || !absl::ConsumePrefix(&uri, kWorkspace)) {
    return std::nullopt;
  }
  WorkspaceUri parts;
  const size_t end = uri.find('/');
  parts.workspace = std::string(uri.substr(0, end));
  if (parts.workspace.empty()) return std::nullopt;
  if (end == absl::string_view::npos) return parts;
  uri.remove_prefix(end + 1);
  const size_t slash = uri.find('/');
  parts.view = std::string(uri.substr(0, slash));
  if (parts.view.empty() || FindView(parts.view) == nullptr ||
      slash == absl::string_view::npos) {
    return std::nullopt;
  }
  auto path = Decode(uri.substr(slash + 1));
  // Diagnostics of the whole workspace have no path; the others need one.
  if (!path.has_value() || (path->empty() && parts.view != "diagnostics")) {
    return std::nullopt;
  }
  parts.path = *std::move(path);
  return parts;
}

std::string EncodePath(absl::string_view path) {
  std::string encoded;
  for (const char byte : path) {
    if (absl::ascii_isalnum(byte) || absl::StrContains("/-._~", byte)) {
      encoded.push_back(byte);
    } else {
      absl::StrAppend(&encoded, "%",
                      absl::AsciiStrToUpper(
                          absl::BytesToHexString(absl::string_view(&byte, 1))));
    }
  }
  return encoded;
}

}  // namespace banyan::edge
