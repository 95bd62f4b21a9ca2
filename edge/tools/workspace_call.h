// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_WORKSPACE_CALL_H_
#define EDGE_TOOLS_WORKSPACE_CALL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/session_service.pb.h"
#include "edge/tools/tool.h"

namespace banyan::edge {

// A read in a workspace, as sessiond allowed it.
struct WorkspaceRead {
  session::v1::SignedGrant grant;
  session::v1::Workspace workspace;
  std::string
      label;  // What answers call it: the handle, else the project's name.
  std::string path;  // The call's relative_path made clean; "" is the root.

  const std::string& root() const { return workspace.root(); }
};

// Asks sessiond whether the caller may read there: the argument `workspace`,
// else the session's, else the URL's; with `relative_path` if the call has one.
// Logs the dispatch of `tool`. Errors of Authorize.
absl::StatusOr<WorkspaceRead> AuthorizeRead(SessionClient& sessions,
                                            const ToolCall& call,
                                            absl::string_view tool);

// The same for several paths and another access. `clean_paths` gets each of
// `paths` made clean, an empty one as "".
absl::StatusOr<WorkspaceRead> AuthorizePaths(
    SessionClient& sessions, const ToolCall& call, absl::string_view tool,
    session::v1::Access access, const std::vector<std::string>& paths,
    std::vector<std::string>* clean_paths);

// [Session: a1b2 | backend-api] Tool dispatch: find_symbol
void LogDispatch(const ToolCall& call, absl::string_view public_id,
                 absl::string_view project, absl::string_view tool);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_WORKSPACE_CALL_H_
