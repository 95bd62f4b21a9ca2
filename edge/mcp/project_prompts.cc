// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/project_prompts.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kOnboard[] =
    "Get to know the project {project}.\n"
    "1. Call activate_project with project \"{project}\" and read-only "
    "access; keep the workspace that it answers and pass it to every call.\n"
    "2. list_dir on the root without recursion, then read_file of the README "
    "and of the build files.\n"
    "3. For each folder that matters get_symbols_overview of its central "
    "files; do not read whole source files yet.\n"
    "4. find_referencing_symbols on the two or three most central symbols, to "
    "see who uses them.\n"
    "5. get_diagnostics for the whole workspace.\n"
    "Then write: what it is for, its parts and who calls whom, how it is built "
    "and tested, where to begin for a change, what is broken now. Name files "
    "and lines. Where an answer had complete: false, say what is uncertain.";

constexpr char kImpact[] =
    "What would a change of {symbol} in project {project} touch?\n"
    "1. find_symbol {symbol}; when several fit, go through each.\n"
    "2. find_referencing_symbols for it, following next_cursor to the end. "
    "Then the same for every public symbol that passes it on.\n"
    "3. find_implementations when it is an interface or virtual.\n"
    "4. search_for_pattern for its plain name: configuration, documents, "
    "generated code and other languages know it by text alone.\n"
    "Then write: direct users, indirect users, tests that cover them, places "
    "known by text only (text_only), and how sure this is. An `incomplete` "
    "with outside_root means that code outside this project may use it too.";

constexpr char kRename[] =
    "Rename {symbol} to {new_name} in project {project} so that nothing is "
    "left behind.\n"
    "1. find_symbol {symbol} and be sure which one is meant; check that "
    "{new_name} is free with find_symbol and search_for_pattern.\n"
    "2. find_referencing_symbols to the end, and search_for_pattern for the "
    "old name: comments, documents, strings, build files.\n"
    "3. Stop and ask when references are incomplete (indexing, outside_root, "
    "text_only): a rename that misses one breaks somebody.\n"
    "4. Rename by the server's own rename tool if you have read-write access, "
    "with a preview first; otherwise hand back the list of edits.\n"
    "5. get_diagnostics before and after: no new error may appear.";

constexpr char kSubAgent[] =
    "You are a read-only sub-agent in project {project}. Your task: {task}\n"
    "Call activate_project with project \"{project}\" and access "
    "\"read-only\" once, and pass the workspace that it answers to every "
    "call; your parent and your siblings have workspaces of their own.\n"
    "You can: list, search and read files, find symbols, references, "
    "implementations and diagnostics of this project.\n"
    "You cannot: change a file, run a command, or look outside this project; "
    "such calls are refused, and no other way around them exists.\n"
    "You will not see: edits that others have not written to disk yet, files "
    "that the project ignores unless you ask for them, code of other "
    "projects, .git.\n"
    "Do not trust an empty answer that says complete: false. Hand back facts "
    "with file and line, what you could not find out and why, and proposed "
    "edits as text for the agent that asked you.";

struct Row {
  PromptSpec spec;
  const char* text;
};

std::vector<Row> Rows() {
  const PromptArgument project = {.name = "project",
                                  .description = "Name of the project.",
                                  .is_required = true};
  const PromptArgument symbol = {
      .name = "symbol",
      .description = "Name path of the symbol: Class/method.",
      .is_required = true};
  return {
      {{.name = "onboard_project",
        .title = "Get to know a project",
        .description = "Explores a project and writes down how it works.",
        .arguments = {project}},
       kOnboard},
      {{.name = "impact_analysis",
        .title = "What would a change touch?",
        .description = "Finds everything that depends on a symbol.",
        .arguments = {project, symbol}},
       kImpact},
      {{.name = "safe_rename",
        .title = "Rename without leftovers",
        .description = "Renames a symbol and checks that nothing was missed.",
        .arguments = {project,
                      symbol,
                      {.name = "new_name",
                       .description = "The new name.",
                       .is_required = true}}},
       kRename},
      {{.name = "read_only_subagent",
        .title = "Brief a read-only sub-agent",
        .description =
            "What a sub-agent that only reads can, cannot and will not see.",
        .arguments = {project,
                      {.name = "task",
                       .description = "What it has to find out.",
                       .is_required = true}}},
       kSubAgent}};
}

class ProjectPrompt final : public Prompt {
 public:
  ProjectPrompt(Row row, SessionClient& sessions)
      : row_(std::move(row)), sessions_(sessions) {}

  const PromptSpec& spec() const override { return row_.spec; }

  absl::StatusOr<json> Messages(const ToolCall& call) const override {
    std::vector<std::pair<std::string, std::string>> values;
    for (const PromptArgument& argument : row_.spec.arguments) {
      values.emplace_back(absl::StrCat("{", argument.name, "}"),
                          call.arguments.value(argument.name, ""));
    }
    return json::array({UserText(absl::StrReplaceAll(row_.text, values))});
  }

  absl::StatusOr<std::vector<std::string>> Complete(
      const std::string& argument, const std::string& value,
      const ToolCall& call) const override {
    std::vector<std::string> names;
    if (argument != "project") return names;
    session::v1::ListProjectsRequest request;
    *request.mutable_principal() = call.caller.principal;
    ASSIGN_OR_RETURN(const auto answer,
                     sessions_.ListProjects(request, call.context));
    for (const auto& project : answer.projects()) {
      if (absl::StartsWith(project.name(), value)) {
        names.push_back(project.name());
      }
    }
    return names;
  }

 private:
  const Row row_;
  SessionClient& sessions_;
};

}  // namespace

std::vector<std::unique_ptr<Prompt>> ProjectPrompts(SessionClient& sessions) {
  std::vector<std::unique_ptr<Prompt>> prompts;
  for (Row& row : Rows()) {
    prompts.push_back(
        std::make_unique<ProjectPrompt>(std::move(row), sessions));
  }
  return prompts;
}

}  // namespace banyan::edge
