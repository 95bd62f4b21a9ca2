// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "edge/tools/all_tools.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/symbol_json.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

ToolSpec Spec() {
  return {
      .name = "list_code_actions",
      .title = "List code actions",
      .description =
          "Quick fixes, refactorings and clean-ups that the language server "
          "offers for a file, lines of it, or a symbol.",
      .input_schema = PagedInputSchema(
          {{"relative_path", TextSchema("The file, relative to the root.")},
           {"name_path", TextSchema("Instead of lines: a symbol.", "")},
           {"start_line", NumberSchema("First line. Default: whole file.", 1)},
           {"end_line", NumberSchema("Last line, inclusive.", 1)},
           {"kind", TextSchema("Only this kind and what is beneath it: "
                               "quickfix, refactor, source.organizeImports.",
                               "")}},
          {"relative_path"}),
      .output_schema = WorkspaceOutputSchema(
          {{"actions",
            ListSchema(
                "In the order of the server.",
                ObjectSchema(
                    "One action.",
                    {{"id", TextSchema("For apply_code_action.")},
                     {"title", TextSchema("What it does.")},
                     {"kind", TextSchema("LSP kind.")},
                     {"preferred",
                      FlagSchema("True: the server's first choice.")},
                     {"disabled", TextSchema("Why it cannot be applied.")}},
                    {"id", "title"}))},
           {"hash", TextSchema("Of the file it was offered for.")}},
          {"actions", "hash"})};
}

class ListCodeActions final : public Tool {
 public:
  explicit ListCodeActions(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    const json& arguments = call.arguments;
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    lsp::v1::ListCodeActionsRequest request;
    *request.mutable_grant() = read.grant;
    request.set_relative_path(read.path);
    request.set_name_path(arguments.value("name_path", ""));
    request.set_start_line(arguments.value("start_line", 0));
    request.set_end_line(arguments.value("end_line", 0));
    request.set_kind(arguments.value("kind", ""));
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.ListCodeActions(read.root(), request, call.context));
    json content = {{"workspace", read.label},
                    {"actions", json::array()},
                    {"hash", response.hash()}};
    for (const lsp::v1::CodeAction& action : response.actions()) {
      json entry = {{"id", action.id()}, {"title", action.title()}};
      if (!action.kind().empty()) entry["kind"] = action.kind();
      if (action.is_preferred()) entry["preferred"] = true;
      if (!action.disabled_reason().empty()) {
        entry["disabled"] = action.disabled_reason();
      }
      content["actions"].push_back(std::move(entry));
    }
    AddCompleteness(content, response.incomplete());
    return ToolResult{.content = std::move(content),
                      .paging = PagesOf("actions")};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewListCodeActionsTool(ToolClients clients) {
  return std::make_unique<ListCodeActions>(clients);
}

}  // namespace banyan::edge
