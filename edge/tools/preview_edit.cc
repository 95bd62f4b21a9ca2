// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "edge/tools/all_tools.h"
#include "edge/tools/argument_schema.h"
#include "edge/tools/edit_tool.h"
#include "edge/tools/result_format.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

absl::Status Invalid(absl::string_view message) {
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID, message);
}

ToolSpec Spec() {
  json step = ObjectSchema(
      "One edit.",
      {{"tool", TextSchema("Name of an edit tool.")},
       {"arguments", ObjectSchema("As that tool takes them.", json::object())}},
      {"tool", "arguments"});
  ToolSpec spec{
      .name = "preview_edit",
      .title = "Show an edit",
      .description =
          "Shows what an edit, or a chain of them, would change. Nothing is "
          "written; later edits of a chain see what earlier ones did.",
      .input_schema = WorkspaceInputSchema(
          {{"tool", TextSchema("Name of an edit tool, for a single edit.", "")},
           {"arguments",
            ObjectSchema("As that tool takes them.", json::object())},
           {"edits", ListSchema("Instead: a chain of edits.", step)},
           {"diagnostics",
            FlagSchema("True: also what it would break and mend in the files "
                       "it changes, as a language server started for it says; "
                       "takes as long as that server's start.",
                       false)},
           {"max_answer_chars",
            NumberSchema("Longest answer, in characters; diffs are shortened "
                         "to fit. -1: as much as the server allows.",
                         -1, kDefaultAnswerChars)}}),
      .output_schema = EditOutputSchema()};
  spec.group = ToolGroup::kEditing;
  return spec;
}

class PreviewEdit final : public Tool {
 public:
  explicit PreviewEdit(ToolClients clients) : clients_(clients) {
    for (EditDefinition& edit : AllEdits()) {
      auto schema = ArgumentSchema::Create(edit.spec.input_schema);
      if (!schema.ok()) continue;  // ToolRegistry reports it.
      const std::string name = edit.spec.name;
      edits_.emplace(name, Edit{.definition = std::move(edit),
                                .schema = *std::move(schema)});
    }
  }

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    json steps = call.arguments.value("edits", json::array());
    const std::string tool = call.arguments.value("tool", "");
    if (tool.empty() == steps.empty()) {
      return Invalid("Give either `tool` with `arguments`, or `edits`.");
    }
    if (!tool.empty()) {
      steps.push_back(
          {{"tool", tool},
           {"arguments", call.arguments.value("arguments", json::object())}});
    }
    lsp::v1::ApplyEditRequest request;
    std::vector<std::string> paths;
    for (json& step : steps) {
      ASSIGN_OR_RETURN(*request.add_operations(), Operation(step));
      for (std::string& path : PathsOf(step["arguments"])) {
        paths.push_back(std::move(path));
      }
    }
    std::vector<std::string> clean;
    ASSIGN_OR_RETURN(
        const WorkspaceRead read,
        AuthorizePaths(clients_.sessions, call, spec_.name,
                       session::v1::ACCESS_READ_ONLY, paths, &clean));
    for (int i = 0; i < request.operations_size(); ++i) {
      const auto at = clean.begin() + 2 * i;
      SetPaths({at, at + 2}, steps[static_cast<size_t>(i)]["arguments"],
               request.mutable_operations(i));
    }
    *request.mutable_grant() = read.grant;
    request.set_is_dry_run(true);
    request.set_with_diagnostics(call.arguments.value("diagnostics", false));
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.ApplyEdit(read.root(), request, call.context));
    return EditResult(read.label, response);
  }

 private:
  struct Edit {
    EditDefinition definition;
    ArgumentSchema schema;
  };

  // Fills in the defaults of the step's arguments.
  absl::StatusOr<lsp::v1::EditOperation> Operation(json& step) const {
    const std::string name = step.value("tool", "");
    const auto edit = edits_.find(name);
    if (edit == edits_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, unused] : edits_) names.push_back(known);
      return Invalid(absl::StrCat(name, " is no edit tool. There are ",
                                  absl::StrJoin(names, ", "), "."));
    }
    ASSIGN_OR_RETURN(step["arguments"], edit->second.schema.Prepare(step.value(
                                            "arguments", json::object())));
    return edit->second.definition.to_operation(step["arguments"]);
  }

  const ToolClients clients_;
  std::map<std::string, Edit> edits_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewPreviewEditTool(ToolClients clients) {
  return std::make_unique<PreviewEdit>(clients);
}

}  // namespace banyan::edge
