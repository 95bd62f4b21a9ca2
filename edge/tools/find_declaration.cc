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
  json input = {
      {"relative_path",
       TextSchema("The file in which the place is, relative to the root.")},
      {"include_body",
       FlagSchema("True: with the source text of the definition.", false)},
      {"include_info",
       FlagSchema("True: with signature and documentation.", false)}};
  AddPositionArguments(input);
  return {.name = "find_declaration",
          .title = "Find the definition of what stands at a place",
          .description =
              "Finds the definition of a name that is used at a place in a "
              "file. Name the place by a regex with exactly one group around "
              "the name, for example `conn\\.(flush)\\(`, or by line and "
              "column. A definition outside the workspace is `external`.",
          .input_schema = PagedInputSchema(std::move(input), {"relative_path"}),
          .output_schema = WorkspaceOutputSchema(
              {{"symbols",
                ListSchema("The definitions; mostly one.", SymbolSchema())}},
              {"symbols"})};
}

class FindDeclaration final : public Tool {
 public:
  explicit FindDeclaration(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    // A bad position needs no workspace to be refused.
    RETURN_IF_ERROR(PositionFromJson(call.arguments, "").status());
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    lsp::v1::FindDeclarationRequest request;
    *request.mutable_grant() = read.grant;
    ASSIGN_OR_RETURN(*request.mutable_position(),
                     PositionFromJson(call.arguments, read.path));
    request.set_include_body(call.arguments.value("include_body", false));
    request.set_include_info(call.arguments.value("include_info", false));
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.FindDeclaration(read.root(), request, call.context));

    json content = {{"workspace", read.label},
                    {"symbols", ToJson(response.symbols())}};
    AddCompleteness(content, response.incomplete());
    return ToolResult{.content = std::move(content),
                      .paging = PagesOf("symbols")};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewFindDeclarationTool(ToolClients clients) {
  return std::make_unique<FindDeclaration>(clients);
}

}  // namespace banyan::edge
