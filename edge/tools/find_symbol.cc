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

json InputProperties() {
  return {{"name_path_pattern",
           TextSchema("`method`: any symbol of that name. `Class/method`: any "
                      "whose name path ends so. `/Class/method`: exactly this "
                      "path from the file's top. `name[1]`: the second of "
                      "same-named siblings. Names are joined by / in every "
                      "language, not by . or ::.")},
          {"relative_path",
           TextSchema("File or folder to look in. Default: everywhere.", "")},
          {"depth", DepthSchema("How many levels of symbols inside a match are "
                                "given with it.")},
          {"include_body", FlagSchema("True: with the source text.", false)},
          {"include_info",
           FlagSchema("True: with signature and documentation.", false)},
          {"include_kinds", KindsSchema("Only these kinds.")},
          {"exclude_kinds", KindsSchema("None of these kinds.")},
          {"substring_matching",
           FlagSchema("True: the last component may match in part.", false)},
          {"max_matches", NumberSchema("Most matches; -1 or 0: all.", -1, -1)}};
}

ToolSpec Spec() {
  return {.name = "find_symbol",
          .title = "Find symbols by name path",
          .description =
              "Finds classes, functions and other symbols by name path, with "
              "their place and, on demand, body and documentation.",
          .input_schema =
              PagedInputSchema(InputProperties(), {"name_path_pattern"}),
          .output_schema = WorkspaceOutputSchema(
              {{"symbols",
                ListSchema("By path, then by position.", SymbolSchema())}},
              {"symbols"})};
}

class FindSymbol final : public Tool {
 public:
  explicit FindSymbol(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    const json& arguments = call.arguments;
    ASSIGN_OR_RETURN(const auto include_kinds,
                     KindsFromJson(arguments, "include_kinds"));
    ASSIGN_OR_RETURN(const auto exclude_kinds,
                     KindsFromJson(arguments, "exclude_kinds"));
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));

    lsp::v1::FindSymbolRequest request;
    *request.mutable_grant() = read.grant;
    request.set_name_path_pattern(
        arguments.at("name_path_pattern").get<std::string>());
    request.set_relative_path(read.path);
    request.set_depth(arguments.value("depth", 0));
    request.set_include_body(arguments.value("include_body", false));
    request.set_include_info(arguments.value("include_info", false));
    request.mutable_include_kinds()->Add(include_kinds.begin(),
                                         include_kinds.end());
    request.mutable_exclude_kinds()->Add(exclude_kinds.begin(),
                                         exclude_kinds.end());
    request.set_substring_matching(
        arguments.value("substring_matching", false));
    request.set_max_matches(arguments.value("max_matches", -1));
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.FindSymbol(read.root(), request, call.context));

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

std::unique_ptr<Tool> NewFindSymbolTool(ToolClients clients) {
  return std::make_unique<FindSymbol>(clients);
}

}  // namespace banyan::edge
