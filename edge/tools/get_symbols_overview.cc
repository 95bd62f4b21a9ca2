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
      .name = "get_symbols_overview",
      .title = "Overview of a file's symbols",
      .description =
          "Names the symbols of one file by kind: what to look at before "
          "reading it. Locals inside functions are left out.",
      .input_schema = PagedInputSchema(
          {{"relative_path", TextSchema("The file, relative to the root.")},
           {"depth", DepthSchema("How deep to go: 0 is the top level, 1 adds "
                                 "the members of classes.")}},
          {"relative_path"}),
      .output_schema = WorkspaceOutputSchema(
          {{"relative_path", TextSchema("The file.")},
           {"symbols",
            {{"type", "object"},
             {"description",
              "Kind → names. A symbol with others inside is an object: its "
              "name → the same again."}}},
           {"counts",
            {{"type", "object"},
             {"description", "Shortened: kind → how many."}}},
           {"hash", TextSchema("Of the file's bytes.")}},
          {"relative_path"})};
}

// Foo[1] of ns/Foo[1]: names of siblings are told apart.
std::string LastComponent(const lsp::v1::Symbol& symbol) {
  const std::string& path = symbol.name_path();
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

json NamesByKind(
    const google::protobuf::RepeatedPtrField<lsp::v1::Symbol>& symbols,
    int depth) {
  json kinds = json::object();
  for (const lsp::v1::Symbol& symbol : symbols) {
    json& names = kinds[symbol.kind()];
    if (depth == 0 || symbol.children().empty()) {
      names.push_back(LastComponent(symbol));
    } else {
      names.push_back(
          {{LastComponent(symbol), NamesByKind(symbol.children(), depth - 1)}});
    }
  }
  return kinds;
}

void KeepTopLevel(json& content) {
  for (json& names : content["symbols"]) {
    for (json& name : names) {
      if (name.is_object()) name = json(name.begin().key());
    }
  }
}

void KeepCounts(json& content) {
  for (const auto& [kind, names] : content["symbols"].items()) {
    content["counts"][kind] = names.size();
  }
  content.erase("symbols");
}

class GetSymbolsOverview final : public Tool {
 public:
  explicit GetSymbolsOverview(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    const int depth = call.arguments.value("depth", 0);
    lsp::v1::GetSymbolsOverviewRequest request;
    *request.mutable_grant() = read.grant;
    request.set_relative_path(read.path);
    request.set_depth(depth);
    ASSIGN_OR_RETURN(
        const auto response,
        clients_.lsp.GetSymbolsOverview(read.root(), request, call.context));

    json content = {{"workspace", read.label},
                    {"relative_path", read.path},
                    {"symbols", NamesByKind(response.symbols(), depth)}};
    if (!response.hash().empty()) content["hash"] = response.hash();
    AddCompleteness(content, response.incomplete());
    return ToolResult{.content = std::move(content),
                      .shortenings = {{"members (depth 0)", KeepTopLevel},
                                      {"names", KeepCounts}}};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewGetSymbolsOverviewTool(ToolClients clients) {
  return std::make_unique<GetSymbolsOverview>(clients);
}

}  // namespace banyan::edge
