// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/workspace_call.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/event_log.h"

namespace banyan::edge {
namespace {

// How much of a public id people see in text.
constexpr size_t kShortIdChars = 4;

// What a refused call meant to work in, as far as its name may be shown: a
// handle is nobody else's business.
std::string AskedProject(const ToolCall& call) {
  const std::string asked = call.arguments.value("workspace", "");
  if (asked.empty()) return call.caller.default_project;
  return absl::StartsWith(asked, "ws_") ? "" : rpc::EscapeForLog(asked, 100);
}

}  // namespace

absl::StatusOr<WorkspaceRead> AuthorizeRead(SessionClient& sessions,
                                            const ToolCall& call,
                                            absl::string_view tool) {
  std::vector<std::string> clean;
  absl::StatusOr<WorkspaceRead> read = AuthorizePaths(
      sessions, call, tool, session::v1::ACCESS_READ_ONLY,
      {call.arguments.value("relative_path", std::string())}, &clean);
  if (read.ok()) read->path = clean.front();
  return read;
}

absl::StatusOr<WorkspaceRead> AuthorizePaths(
    SessionClient& sessions, const ToolCall& call, absl::string_view tool,
    session::v1::Access access, const std::vector<std::string>& paths,
    std::vector<std::string>* clean_paths) {
  session::v1::AuthorizeRequest request;
  *request.mutable_principal() = call.caller.principal;
  request.set_session_id(call.caller.session_id);
  request.set_workspace(call.arguments.value("workspace", ""));
  request.set_default_project(call.caller.default_project);
  request.set_access(access);
  for (const std::string& path : paths) {
    if (!path.empty()) request.add_paths(path);
  }

  auto response = sessions.Authorize(request, call.context);
  if (!response.ok()) {
    LogDispatch(call, call.caller.session_public_id, AskedProject(call), tool);
    return response.status();
  }
  if (response->clean_paths_size() != request.paths_size()) {
    return absl::InternalError("Authorize answered other paths than asked");
  }
  int next = 0;
  for (const std::string& path : paths) {
    clean_paths->push_back(path.empty() ? "" : response->clean_paths(next++));
  }
  WorkspaceRead read;
  read.grant.Swap(response->mutable_grant());
  read.workspace.Swap(response->mutable_workspace());
  read.label = read.workspace.handle().empty() ? read.workspace.project_name()
                                               : read.workspace.handle();
  LogDispatch(call,
              call.caller.session_public_id.empty()
                  ? read.workspace.public_id()
                  : call.caller.session_public_id,
              read.workspace.project_name(), tool);
  return read;
}

void LogDispatch(const ToolCall& call, absl::string_view public_id,
                 absl::string_view project, absl::string_view tool) {
  const absl::string_view shown =
      public_id.empty() ? "-" : public_id.substr(0, kShortIdChars);
  rpc::Log({.level = rpc::LogLevel::kInfo,
            .event = "tool_dispatch",
            .message = absl::StrCat("[Session: ", shown, " | ",
                                    project.empty() ? "-" : project,
                                    "] Tool dispatch: ", tool),
            .fields = {{"session", std::string(public_id)},
                       {"workspace", std::string(project)},
                       {"tool", std::string(tool)},
                       {"trace_id", call.context.trace.TraceId()}}});
}

}  // namespace banyan::edge
