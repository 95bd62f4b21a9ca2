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
  return {.name = "find_implementations",
          .title = "Find implementations of a symbol",
          .description =
              "Finds what implements an interface or overrides a method. A "
              "server that cannot do this says so.",
          .input_schema = PagedInputSchema(
              {{"name_path",
                TextSchema("Name path of the symbol, such as Class/method. It "
                           "must fit one symbol.")},
               {"relative_path",
                TextSchema("File or folder of the symbol. Default: "
                           "everywhere.",
                           "")}},
              {"name_path"}),
          .output_schema = WorkspaceOutputSchema(
              {{"symbols",
                ListSchema("By path, then by position.", SymbolSchema())}},
              {"symbols"})};
}

class FindImplementations final : public Tool {
 public:
  explicit FindImplementations(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    lsp::v1::FindImplementationsRequest request;
    *request.mutable_grant() = read.grant;
    request.set_name_path(call.arguments.at("name_path").get<std::string>());
    request.set_relative_path(read.path);
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.FindImplementations(read.root(), request, call.context));

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

std::unique_ptr<Tool> NewFindImplementationsTool(ToolClients clients) {
  return std::make_unique<FindImplementations>(clients);
}

}  // namespace banyan::edge
