// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
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
      .name = "workspace_activity",
      .title = "Who works here",
      .description =
          "Which files were changed lately and by whom: this workspace, other "
          "sessions, or people and programs outside these tools.",
      .input_schema = PagedInputSchema(
          {{"since", TextSchema("Only what happened after (RFC 3339).", "")}}),
      .output_schema = WorkspaceOutputSchema(
          {{"changes",
            ListSchema(
                "Newest first.",
                ObjectSchema(
                    "One change of a file.",
                    {{"relative_path", TextSchema("The file.")},
                     {"change", TextSchema("changed, created or deleted.")},
                     {"by", TextSchema("you, the public id of another session, "
                                       "or outside.")},
                     {"at", TextSchema("When (RFC 3339).")},
                     {"hash", TextSchema("Of the file then.")},
                     {"transaction", TextSchema("Id of the edit.")}},
                    {"relative_path", "change", "by", "at"}))},
           {"sessions",
            ListSchema(
                "Who else is bound to this workspace.",
                ObjectSchema("One session.",
                             {{"id", TextSchema("Its public id.")},
                              {"client", TextSchema("Name and version.")},
                              {"access", TextSchema("read-write, read-only.")}},
                             {"id"}))},
           {"writing",
            FlagSchema("True: an edit is being made at this moment.")},
           {"unsettled",
            ListSchema("Files that were changed by somebody while an edit was "
                       "cut off by a crash, and left as they are.",
                       TextSchema("A file."))}},
          {"changes", "writing"})};
}

const char* NameOf(lsp::v1::FileChangeKind kind) {
  switch (kind) {
    case lsp::v1::FILE_CHANGE_KIND_CREATED:
      return "created";
    case lsp::v1::FILE_CHANGE_KIND_DELETED:
      return "deleted";
    default:
      return "changed";
  }
}

absl::StatusOr<int64_t> SinceOf(const json& arguments) {
  const std::string text = arguments.value("since", "");
  if (text.empty()) return 0;
  absl::Time since;
  std::string why;
  if (absl::ParseTime(absl::RFC3339_full, text, &since, &why)) {
    return absl::ToUnixMillis(since);
  }
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                    "`since` is a time such as 2026-01-31T12:00:00Z");
}

class WorkspaceActivity final : public Tool {
 public:
  explicit WorkspaceActivity(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    lsp::v1::GetActivityRequest request;
    ASSIGN_OR_RETURN(const int64_t since, SinceOf(call.arguments));
    request.set_since_unix_ms(since);
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    *request.mutable_grant() = read.grant;
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.GetActivity(read.root(), request, call.context));
    json content = {{"workspace", read.label},
                    {"changes", json::array()},
                    {"writing", response.is_writing()}};
    for (const auto& file : response.files()) {
      const std::string by = file.is_own() ? "you"
                             : file.session_public_id().empty()
                                 ? "outside"
                                 : file.session_public_id();
      json entry = {{"relative_path", file.relative_path()},
                    {"change", NameOf(file.kind())},
                    {"by", by},
                    {"at", TimeToText(file.at_unix_ms())}};
      if (!file.hash().empty()) entry["hash"] = file.hash();
      if (!file.transaction().empty()) {
        entry["transaction"] = file.transaction();
      }
      content["changes"].push_back(std::move(entry));
    }
    for (const std::string& path : response.unfinished()) {
      content["unsettled"].push_back(path);
    }
    AddSessions(call, read, content);
    AddCompleteness(content, {});
    return ToolResult{.content = std::move(content),
                      .paging = PagesOf("changes")};
  }

 private:
  // Who else is bound; left out when sessiond does not say.
  void AddSessions(const ToolCall& call, const WorkspaceRead& read,
                   json& content) const {
    session::v1::ListWorkspacesRequest request;
    *request.mutable_principal() = call.caller.principal;
    request.set_root(read.root());
    const auto others = clients_.sessions.ListWorkspaces(request, call.context);
    if (!others.ok()) return;
    for (const auto& other : others->workspaces()) {
      if (other.public_id() == read.workspace.public_id()) continue;
      json entry = {
          {"id", other.session_public_id().empty() ? other.public_id()
                                                   : other.session_public_id()},
          {"access", AccessName(other.access())}};
      if (!other.client_name().empty()) {
        entry["client"] =
            absl::StrCat(other.client_name(), " ", other.client_version());
      }
      content["sessions"].push_back(std::move(entry));
    }
  }

  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewWorkspaceActivityTool(ToolClients clients) {
  return std::make_unique<WorkspaceActivity>(clients);
}

}  // namespace banyan::edge
