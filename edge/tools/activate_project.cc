// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "edge/tools/all_tools.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/symbol_json.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr absl::Duration kGiveBackLimit = absl::Seconds(3);

json InputProperties() {
  json access = ChoiceSchema(
      "read-only if you will not edit. Default: what the endpoint says, else "
      "read-write.",
      {"read-write", "read-only"});
  json prewarm = ListSchema(
      "Languages whose servers should start now, or true for all that were "
      "found. Default: false, they start at the first question.",
      TextSchema("A language, such as cpp."));
  prewarm["type"] = {"array", "boolean"};
  return {
      {"project", TextSchema("Name from list_projects, or absolute path.")},
      {"access", std::move(access)},
      {"modes",
       ListSchema("Tool filters, such as planning.", TextSchema("A mode."))},
      {"prewarm", std::move(prewarm)},
      {"reuse", FlagSchema("True: give back your own handle on the same root, "
                           "access and modes instead of a new one.",
                           false)},
      {"client_head",
       TextSchema("The git commit that you see in your own checkout; a "
                  "different one here is a warning.")}};
}

json OutputProperties() {
  return {
      {"workspace", TextSchema("The handle: pass it as `workspace`.")},
      {"project_name", TextSchema("Name of the project.")},
      {"root", TextSchema("Absolute path of the root on the server.")},
      {"access", TextSchema("read-write or read-only.")},
      {"modes", ListSchema("Modes in force.", TextSchema("A mode."))},
      {"reused", FlagSchema("True: the handle existed before.")},
      {"languages", ListSchema("Languages of the project.", LanguageSchema())},
      {"other_sessions",
       ListSchema("Who else has this root open.",
                  ObjectSchema("A workspace of this root.",
                               {{"session", TextSchema("Its public id.")},
                                {"client", TextSchema("Client and version.")},
                                {"access", TextSchema("Its access.")},
                                {"last_used_at", TextSchema("RFC 3339.")}},
                               {"session", "access"}))},
      {"limits", LimitsSchema()},
      {"git",
       ObjectSchema("State of the checkout that is served.",
                    {{"branch", TextSchema("Absent when detached.")},
                     {"head", TextSchema("Commit.")},
                     {"uncommitted_files",
                      NumberSchema("Changed and untracked files.", 0)}})},
      {"warnings", ListSchema("What you should know before you go on.",
                              TextSchema("A warning."))}};
}

ToolSpec Spec() {
  return {.name = "activate_project",
          .title = "Activate a project",
          .description =
              "Opens a project and binds this session to it. Answers a "
              "workspace handle; pass it as `workspace` to the other tools, "
              "or leave it out where one session works in one project. A "
              "handle lives 24 hours after its last use, 7 days at most; when "
              "it is gone call this again.",
          .input_schema = InputSchema(InputProperties(), {"project"}),
          .output_schema = OutputSchema(
              OutputProperties(),
              {"workspace", "project_name", "root", "access", "languages",
               "other_sessions", "limits", "warnings"}),
          .group = ToolGroup::kWorkspace,
          .is_read_only = false};
}

session::v1::Access AccessOf(const ToolCall& call) {
  const std::string access = call.arguments.value("access", "");
  if (access == "read-only") return session::v1::ACCESS_READ_ONLY;
  if (access == "read-write") return session::v1::ACCESS_READ_WRITE;
  return call.caller.default_access;
}

// One commit may be given short.
bool IsSameCommit(absl::string_view a, absl::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  return a.substr(0, size) == b.substr(0, size);
}

// A handle with what lspd found at its root.
struct Opened {
  session::v1::Workspace workspace;
  bool was_reused = false;
  lsp::v1::OpenRootResponse found;
};

class ActivateProject final : public Tool {
 public:
  explicit ActivateProject(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    const auto project = call.arguments.at("project").get<std::string>();
    absl::StatusOr<Opened> opened = BindAndOpen(call, project);
    LogDispatch(call,
                call.caller.session_public_id.empty() && opened.ok()
                    ? opened->workspace.public_id()
                    : call.caller.session_public_id,
                opened.ok() ? opened->workspace.project_name() : "",
                spec_.name);
    RETURN_IF_ERROR(opened.status());
    return ToolResult{.content = Describe(call, *opened)};
  }

 private:
  // Bind, look, and bind once more where the path led to another root.
  absl::StatusOr<Opened> BindAndOpen(const ToolCall& call,
                                     const std::string& project) const {
    ASSIGN_OR_RETURN(auto bound, Bind(call, project));
    auto found = Open(call, bound);
    if (found.ok() && found->canonical_root() != bound.workspace().root()) {
      GiveBack(call, bound);
      ASSIGN_OR_RETURN(bound, Bind(call, found->canonical_root()));
      found = Open(call, bound);
      if (found.ok() && found->canonical_root() != bound.workspace().root()) {
        found = rpc::Error(rpc::v1::ERROR_REASON_ROOT_REPLACED,
                           "The folder moved while it was opened. Call "
                           "activate_project again.");
      }
    }
    if (!found.ok()) {
      GiveBack(call, bound);
      return found.status();
    }

    session::v1::RecordRootRequest request;
    *request.mutable_principal() = call.caller.principal;
    request.set_handle(bound.workspace().handle());
    request.set_canonical_root(found->canonical_root());
    *request.mutable_identity() = found->identity();
    for (const auto& language : found->languages()) {
      request.add_languages(language.language());
    }
    auto recorded = clients_.sessions.RecordRoot(request, call.context);
    if (!recorded.ok()) {
      GiveBack(call, bound);
      return recorded.status();
    }
    return Opened{.workspace = std::move(*recorded->mutable_workspace()),
                  .was_reused = bound.was_reused(),
                  .found = *std::move(found)};
  }

  absl::StatusOr<session::v1::BindWorkspaceResponse> Bind(
      const ToolCall& call, const std::string& project) const {
    session::v1::BindWorkspaceRequest request;
    *request.mutable_principal() = call.caller.principal;
    request.set_session_id(call.caller.session_id);
    request.set_project(project);
    request.set_access(AccessOf(call));
    for (const json& mode : call.arguments.value("modes", json::array())) {
      request.add_modes(mode.get<std::string>());
    }
    request.set_reuse(call.arguments.value("reuse", false));
    request.set_client_name(call.caller.client_name);
    request.set_client_version(call.caller.client_version);
    return clients_.sessions.BindWorkspace(request, call.context);
  }

  absl::StatusOr<lsp::v1::OpenRootResponse> Open(
      const ToolCall& call,
      const session::v1::BindWorkspaceResponse& bound) const {
    lsp::v1::OpenRootRequest request;
    *request.mutable_grant() = bound.grant();
    const json prewarm = call.arguments.value("prewarm", json(false));
    if (prewarm.is_array()) {
      for (const json& language : prewarm) {
        request.add_prewarm(language.get<std::string>());
      }
    }
    const std::string& root = bound.workspace().root();
    auto found = clients_.lsp.OpenRoot(root, request, call.context);
    if (!found.ok() || prewarm != json(true)) return found;
    // Which languages there are is known only now.
    for (const auto& language : found->languages()) {
      request.add_prewarm(language.language());
    }
    return clients_.lsp.OpenRoot(root, request, call.context);
  }

  // A handle that its caller never sees would only count against the limits, and
  // be where the session works: it goes back to the workspace it had.
  void GiveBack(const ToolCall& call,
                const session::v1::BindWorkspaceResponse& bound) const {
    if (bound.was_reused()) return;
    session::v1::ReleaseWorkspaceRequest request;
    *request.mutable_principal() = call.caller.principal;
    request.set_handle(bound.workspace().handle());
    request.set_session_id(call.caller.session_id);
    // The call's own time may be what is over.
    rpc::CallContext context = call.context;
    context.deadline = absl::Now() + kGiveBackLimit;
    context.is_cancelled = [] { return false; };
    // A failure leaves it to the idle limit.
    (void)clients_.sessions.ReleaseWorkspace(request, context);
  }

  json Describe(const ToolCall& call, const Opened& opened) const {
    const session::v1::Workspace& workspace = opened.workspace;
    const lsp::v1::OpenRootResponse& found = opened.found;
    json content = {{"workspace", workspace.handle()},
                    {"project_name", workspace.project_name()},
                    {"root", workspace.root()},
                    {"access", AccessName(workspace.access())},
                    {"modes", json::array()},
                    {"reused", opened.was_reused},
                    {"languages", json::array()},
                    {"other_sessions", json::array()},
                    {"limits", LimitsToJson(workspace)},
                    {"warnings", json::array()}};
    for (const std::string& mode : workspace.modes()) {
      content["modes"].push_back(mode);
    }
    for (const auto& language : found.languages()) {
      content["languages"].push_back(ToJson(language));
    }
    if (!found.git_head().empty()) {
      json& git = content["git"] = {{"head", found.git_head()}};
      if (!found.git_branch().empty()) git["branch"] = found.git_branch();
      if (found.uncommitted_files() >= 0) {
        git["uncommitted_files"] = found.uncommitted_files();
      }
    }
    for (const std::string& warning : found.warnings()) {
      content["warnings"].push_back(warning);
    }
    WarnOfOtherHead(call, found, content["warnings"]);
    WarnOfAbsentLanguages(call, found, content["warnings"]);
    AddOtherSessions(call, workspace, content);
    return content;
  }

  static void WarnOfOtherHead(const ToolCall& call,
                              const lsp::v1::OpenRootResponse& found,
                              json& warnings) {
    const std::string head = call.arguments.value("client_head", "");
    if (head.empty() || IsSameCommit(head, found.git_head())) return;
    warnings.push_back(absl::StrCat(
        "You see commit ", head, ", the server serves ",
        found.git_head().empty() ? "no git checkout" : found.git_head(),
        ". Answers are about the server's files."));
  }

  static void WarnOfAbsentLanguages(const ToolCall& call,
                                    const lsp::v1::OpenRootResponse& found,
                                    json& warnings) {
    const json prewarm = call.arguments.value("prewarm", json(false));
    if (!prewarm.is_array()) return;
    for (const json& wanted : prewarm) {
      const auto& languages = found.languages();
      const bool is_there = std::any_of(
          languages.begin(), languages.end(),
          [&wanted](const auto& one) { return one.language() == wanted; });
      if (is_there) continue;
      warnings.push_back(
          absl::StrCat("No server was started for ",
                       rpc::EscapeForLog(wanted.get<std::string>(), 40),
                       ": no such language was found here; `languages` lists "
                       "those there are."));
    }
  }

  void AddOtherSessions(const ToolCall& call, const session::v1::Workspace& own,
                        json& content) const {
    session::v1::ListWorkspacesRequest request;
    *request.mutable_principal() = call.caller.principal;
    request.set_root(own.root());
    const auto others = clients_.sessions.ListWorkspaces(request, call.context);
    if (!others.ok()) {
      content["warnings"].push_back(
          "Who else works here could not be found out.");
      return;
    }
    for (const auto& other : others->workspaces()) {
      const bool is_own_session =
          !call.caller.session_public_id.empty() &&
          other.session_public_id() == call.caller.session_public_id;
      if (is_own_session || other.public_id() == own.public_id()) continue;
      json entry = {{"session", other.session_public_id().empty()
                                    ? other.public_id()
                                    : other.session_public_id()},
                    {"access", AccessName(other.access())},
                    {"last_used_at", TimeToText(other.last_used_unix_ms())}};
      if (!other.client_name().empty()) {
        entry["client"] =
            absl::StrCat(other.client_name(), " ", other.client_version());
      }
      content["other_sessions"].push_back(std::move(entry));
    }
  }

  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewActivateProjectTool(ToolClients clients) {
  return std::make_unique<ActivateProject>(clients);
}

}  // namespace banyan::edge
