// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_WORKSPACE_RESOURCES_H_
#define EDGE_MCP_WORKSPACE_RESOURCES_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "edge/mcp/resources.h"
#include "edge/tools/tool.h"

namespace banyan::edge {

// The caller's workspaces as resources, by public id, since a URI goes where a
// handle should not:
//   banyan://projects                          what may be opened
//   banyan://workspace/{id}                    one workspace and its limits
//   banyan://workspace/{id}/file/{+path}       a file's text
//   banyan://workspace/{id}/symbols/{+path}    what a file defines
//   banyan://workspace/{id}/diagnostics/{+path}
// Each is read as the tool of that purpose reads it, with its checks. The
// clients outlive the source.
//   kInternal  a tool's schema is broken
absl::StatusOr<std::unique_ptr<ResourceSource>> NewWorkspaceResources(
    ToolClients clients, const std::string& version);

// One address, taken apart.
struct WorkspaceUri {
  std::string workspace;  // Public id; empty: banyan://projects.
  std::string view;       // "", "file", "symbols" or "diagnostics".
  std::string path;       // Percent-decoded.
};

// nullopt for what is none of the forms above.
std::optional<WorkspaceUri> ParseWorkspaceUri(absl::string_view uri);

// What stands in a URI for `path`: '/' stays.
std::string EncodePath(absl::string_view path);

}  // namespace banyan::edge

#endif  // EDGE_MCP_WORKSPACE_RESOURCES_H_
