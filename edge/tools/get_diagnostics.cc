// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <utility>

#include "edge/tools/all_tools.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/symbol_json.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

json FileSchema() {
  return ObjectSchema(
      "The diagnostics of one file.",
      {{"relative_path", TextSchema("The file.")},
       {"diagnostics",
        ListSchema(
            "By line.",
            ObjectSchema(
                "One diagnostic.",
                {{"severity",
                  TextSchema("error, warning, information or hint.")},
                 {"start_line", NumberSchema("First line.", 0)},
                 {"column",
                  NumberSchema("1-based column in Unicode code points.", 0)},
                 {"end_line", NumberSchema("Last line.", 0)},
                 {"end_column", NumberSchema("Column behind its end.", 0)},
                 {"message", TextSchema("What the server says.")},
                 {"code", TextSchema("The server's code for it.")},
                 {"source", TextSchema("Which checker says it.")},
                 {"containing_symbol",
                  TextSchema("Name path of the symbol it stands in.")}},
                {"severity", "message"}))}},
      {"relative_path", "diagnostics"});
}

ToolSpec Spec() {
  json severity = ChoiceSchema("The least severity shown.",
                               {"error", "warning", "information", "hint"});
  severity["default"] = "warning";
  return {.name = "get_diagnostics",
          .title = "Errors and warnings",
          .description =
              "Shows what the language servers complain about in a file, a "
              "folder or the whole workspace. Of very many files the first are "
              "checked, and result_cap counts the others: ask for their "
              "folders one by one.",
          .input_schema = PagedInputSchema(
              {{"relative_path",
                TextSchema("File or folder. Default: everywhere.", "")},
               {"min_severity", std::move(severity)}}),
          .output_schema = WorkspaceOutputSchema(
              {{"files",
                ListSchema("Files with diagnostics, by path.", FileSchema())},
               {"diagnostic_count", NumberSchema("In all files.", 0)},
               {"files_checked", NumberSchema("How many were looked at.", 0)}},
              {"files", "diagnostic_count", "files_checked"})};
}

lsp::v1::DiagnosticSeverity SeverityOf(const std::string& name) {
  if (name == "error") return lsp::v1::DIAGNOSTIC_SEVERITY_ERROR;
  if (name == "information") return lsp::v1::DIAGNOSTIC_SEVERITY_INFORMATION;
  if (name == "hint") return lsp::v1::DIAGNOSTIC_SEVERITY_HINT;
  return lsp::v1::DIAGNOSTIC_SEVERITY_WARNING;
}

// Items are diagnostics, so that one bad file can be cut too.
Paging PagesOfDiagnostics() {
  return {
      .count =
          [](const json& content) {
            size_t count = 0;
            for (const json& file : content.at("files")) {
              count += file.at("diagnostics").size();
            }
            return count;
          },
      .slice =
          [](const json& content, size_t first, size_t count) {
            json page = PagesOf("files").slice(content, 0, 0);
            size_t number = 0;
            for (const json& file : content.at("files")) {
              json kept = json::array();
              for (const json& diagnostic : file.at("diagnostics")) {
                if (number >= first && number - first < count) {
                  kept.push_back(diagnostic);
                }
                ++number;
              }
              if (kept.empty()) continue;
              page["files"].push_back({{"relative_path", file["relative_path"]},
                                       {"diagnostics", std::move(kept)}});
            }
            return page;
          }};
}

class GetDiagnostics final : public Tool {
 public:
  explicit GetDiagnostics(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    lsp::v1::GetDiagnosticsRequest request;
    *request.mutable_grant() = read.grant;
    request.set_relative_path(read.path);
    request.set_min_severity(
        SeverityOf(call.arguments.value("min_severity", "warning")));
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.GetDiagnostics(read.root(), request, call.context));

    std::map<std::string, json> files;
    for (const lsp::v1::Diagnostic& diagnostic : response.diagnostics()) {
      json& list = files[diagnostic.relative_path()];
      if (list.is_null()) list = json::array();
      list.push_back(ToJson(diagnostic));
    }
    json content = {{"workspace", read.label},
                    {"files", json::array()},
                    {"diagnostic_count", response.diagnostics_size()},
                    {"files_checked", response.files_checked()}};
    for (auto& [path, list] : files) {
      content["files"].push_back(
          {{"relative_path", path}, {"diagnostics", std::move(list)}});
    }
    AddCompleteness(content, response.incomplete());
    return ToolResult{.content = std::move(content),
                      .paging = PagesOfDiagnostics()};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewGetDiagnosticsTool(ToolClients clients) {
  return std::make_unique<GetDiagnostics>(clients);
}

}  // namespace banyan::edge
