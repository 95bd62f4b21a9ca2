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
      {"name_path",
       TextSchema("Name path of the symbol. It must fit one symbol.")},
      {"relative_path",
       TextSchema("File of the place, or file or folder of the symbol.", "")}};
  AddPositionArguments(input);
  return {.name = "get_symbol_info",
          .title = "Signature and documentation of a symbol",
          .description =
              "Shows what the language server knows about one symbol: its "
              "signature, type and documentation. Name it by name_path, or "
              "name a place where it is used.",
          .input_schema = PagedInputSchema(std::move(input)),
          .output_schema = WorkspaceOutputSchema(
              {{"info", TextSchema("Markdown or plain text; empty: the server "
                                   "has nothing to say.")},
               {"symbol", SymbolSchema()}},
              {"info"})};
}

class GetSymbolInfo final : public Tool {
 public:
  explicit GetSymbolInfo(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    // A bad position needs no workspace to be refused.
    RETURN_IF_ERROR(PositionFromJson(call.arguments, "").status());
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    lsp::v1::GetSymbolInfoRequest request;
    *request.mutable_grant() = read.grant;
    ASSIGN_OR_RETURN(*request.mutable_position(),
                     PositionFromJson(call.arguments, read.path));
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.GetSymbolInfo(read.root(), request, call.context));

    json content = {{"workspace", read.label}, {"info", response.info()}};
    if (response.has_symbol()) content["symbol"] = ToJson(response.symbol());
    AddCompleteness(content, response.incomplete());
    // One text: it has one page, whose end may be trimmed.
    Paging paging{.count = [](const json&) { return size_t{1}; },
                  .slice = [](const json& all, size_t, size_t) { return all; }};
    return ToolResult{.content = std::move(content),
                      .paging = std::move(paging)};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewGetSymbolInfoTool(ToolClients clients) {
  return std::make_unique<GetSymbolInfo>(clients);
}

}  // namespace banyan::edge
