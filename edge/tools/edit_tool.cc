// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"

#include <utility>

#include "edge/tools/edit_consent.h"
#include "edge/tools/result_format.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/symbol_json.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

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

json DiagnosticsSchema(absl::string_view description) {
  return ListSchema(
      description,
      ObjectSchema(
          "One diagnostic.",
          {{"relative_path", TextSchema("The file.")},
           {"severity", TextSchema("error, warning, information or hint.")},
           {"start_line", NumberSchema("First line.", 0)},
           {"column", NumberSchema("1-based column.", 0)},
           {"end_line", NumberSchema("Last line.", 0)},
           {"end_column", NumberSchema("Column behind its end.", 0)},
           {"message", TextSchema("What is wrong.")},
           {"code", TextSchema("The server's name for it.")},
           {"source", TextSchema("Who says so.")},
           {"containing_symbol", TextSchema("Name path around it.")}},
          {"severity", "message"}));
}

json DiagnosticsJson(
    const google::protobuf::RepeatedPtrField<lsp::v1::Diagnostic>& list) {
  json entries = json::array();
  for (const lsp::v1::Diagnostic& each : list) {
    json entry = ToJson(each);
    entry["relative_path"] = each.relative_path();
    entries.push_back(std::move(entry));
  }
  return entries;
}

class EditTool final : public Tool {
 public:
  EditTool(ToolClients clients, EditDefinition definition)
      : clients_(clients), definition_(std::move(definition)) {}

  const ToolSpec& spec() const override { return definition_.spec; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    const json& arguments = call.arguments;
    ASSIGN_OR_RETURN(lsp::v1::EditOperation operation,
                     definition_.to_operation(arguments));
    lsp::v1::ApplyEditRequest request;
    *request.add_operations() = std::move(operation);
    request.set_is_dry_run(arguments.value("dry_run", false));
    request.set_with_diagnostics(arguments.value("diagnostics", false));
    std::string workspace;
    ASSIGN_OR_RETURN(auto response, Apply(call, &request, &workspace));
    if (AwaitsConsent(request, response)) {
      ASSIGN_OR_RETURN(const bool is_agreed,
                       AskForConsent(*call.client, request, response));
      if (is_agreed) {
        request.mutable_operations(0)
            ->mutable_rename_symbol()
            ->set_is_confirmed(true);
        // People take their time: the right to write may have ended since.
        ASSIGN_OR_RETURN(response, Apply(call, &request, &workspace));
      }
    }
    return EditResult(workspace, response);
  }

 private:
  absl::StatusOr<lsp::v1::ApplyEditResponse> Apply(
      const ToolCall& call, lsp::v1::ApplyEditRequest* request,
      std::string* workspace) const {
    std::vector<std::string> clean;
    ASSIGN_OR_RETURN(const WorkspaceRead write,
                     AuthorizePaths(clients_.sessions, call, spec().name,
                                    session::v1::ACCESS_READ_WRITE,
                                    PathsOf(call.arguments), &clean));
    SetPaths(clean, call.arguments, request->mutable_operations(0));
    *request->mutable_grant() = write.grant;
    *workspace = write.label;
    return clients_.lsp.ApplyEdit(write.root(), *request, call.context);
  }

  const ToolClients clients_;
  const EditDefinition definition_;
};

}  // namespace

ToolSpec EditSpec(std::string name, std::string title, std::string description,
                  json properties, const std::vector<std::string>& required,
                  bool names_one_file) {
  if (names_one_file) {
    properties["expected_hash"] = TextSchema(
        "Hash of the file as you saw it (read_file and edits give it). If the "
        "file is another by now, nothing is changed and the difference is "
        "shown.");
  }
  properties["diagnostics"] = FlagSchema(
      "True: say what the edit broke and mended in the files it changed.",
      false);
  properties["max_answer_chars"] = NumberSchema(
      "Longest answer, in characters; diffs are shortened to fit. -1: as much "
      "as the server allows.",
      -1, kDefaultAnswerChars);
  ToolSpec spec{
      .name = std::move(name),
      .title = std::move(title),
      .description = std::move(description),
      .input_schema = WorkspaceInputSchema(std::move(properties), required),
      .output_schema = EditOutputSchema()};
  spec.group = ToolGroup::kEditing;
  spec.is_read_only = false;
  spec.is_idempotent = false;
  spec.is_destructive = true;
  return spec;
}

lsp::v1::EditOperation SymbolEdit(lsp::v1::SymbolEditKind kind,
                                  const json& arguments) {
  lsp::v1::EditOperation operation;
  auto& symbol = *operation.mutable_edit_symbol();
  symbol.set_kind(kind);
  symbol.set_name_path(arguments.at("name_path").get<std::string>());
  symbol.set_body(arguments.at("body").get<std::string>());
  return operation;
}

json EditOutputSchema() {
  return WorkspaceOutputSchema(
      {{"files",
        ListSchema(
            "What was changed, or with `preview` would be, by path.",
            ObjectSchema(
                "One file.",
                {{"relative_path", TextSchema("The file.")},
                 {"change", TextSchema("changed, created or deleted.")},
                 {"hash",
                  TextSchema("Of the whole file now, for the next edit.")},
                 {"previous_hash", TextSchema("Of the file before.")},
                 {"unified_diff", TextSchema("What changed.")}},
                {"relative_path", "change"}))},
       {"preview", FlagSchema("True: nothing was written.")},
       {"already_applied",
        FlagSchema("True: this very call was made before, and its result "
                   "still stands; nothing was written again.")},
       {"transaction", TextSchema("Id of the edit.")},
       {"notes", ListSchema("What you should know.", TextSchema("A note."))},
       {"occurrences",
        ListSchema("Places of replace_in_files, with dry_run.",
                   ObjectSchema("One place.",
                                {{"id", TextSchema("For occurrence_ids.")},
                                 {"relative_path", TextSchema("The file.")},
                                 {"line", NumberSchema("Its line.", 0)},
                                 {"line_text", TextSchema("The line now.")},
                                 {"new_text", TextSchema("The line then.")}},
                                {"id", "relative_path", "line"}))},
       {"new_diagnostics", DiagnosticsSchema("What the edit broke.")},
       {"fixed_diagnostics", DiagnosticsSchema("What the edit mended.")}},
      {"files", "preview"});
}

ToolResult EditResult(const std::string& workspace,
                      const lsp::v1::ApplyEditResponse& response) {
  json files = json::array();
  for (const auto& result : response.results()) {
    json file = {{"relative_path", result.relative_path()},
                 {"change", NameOf(result.kind())},
                 {"unified_diff", result.unified_diff()}};
    if (!result.hash().empty()) file["hash"] = result.hash();
    if (!result.previous_hash().empty()) {
      file["previous_hash"] = result.previous_hash();
    }
    files.push_back(std::move(file));
  }
  json content = {{"workspace", workspace},
                  {"files", std::move(files)},
                  {"preview", response.is_preview()}};
  if (response.was_already_applied()) content["already_applied"] = true;
  if (!response.transaction().empty()) {
    content["transaction"] = response.transaction();
  }
  for (const std::string& note : response.notes()) {
    content["notes"].push_back(note);
  }
  for (const lsp::v1::Occurrence& each : response.occurrences()) {
    content["occurrences"].push_back({{"id", each.id()},
                                      {"relative_path", each.relative_path()},
                                      {"line", each.line()},
                                      {"line_text", each.line_text()},
                                      {"new_text", each.new_text()}});
  }
  if (response.new_diagnostics_size() > 0) {
    content["new_diagnostics"] = DiagnosticsJson(response.new_diagnostics());
  }
  if (response.fixed_diagnostics_size() > 0) {
    content["fixed_diagnostics"] =
        DiagnosticsJson(response.fixed_diagnostics());
  }
  AddCompleteness(content, response.incomplete());
  return ToolResult{
      .content = std::move(content),
      .shortenings = {{.left_out = "the diffs", .apply = [](json& shortened) {
                         for (json& file : shortened["files"]) {
                           file.erase("unified_diff");
                         }
                       }}}};
}

std::vector<std::string> PathsOf(const json& arguments) {
  return {arguments.value("relative_path", ""),
          arguments.value("new_path", "")};
}

void SetPaths(const std::vector<std::string>& clean, const json& arguments,
              lsp::v1::EditOperation* operation) {
  operation->set_relative_path(clean[0]);
  operation->set_expected_hash(arguments.value("expected_hash", ""));
  if (operation->has_move_file()) {
    operation->mutable_move_file()->set_new_path(clean[1]);
  }
}

std::unique_ptr<Tool> NewEditTool(ToolClients clients,
                                  EditDefinition definition) {
  return std::make_unique<EditTool>(clients, std::move(definition));
}

}  // namespace banyan::edge
