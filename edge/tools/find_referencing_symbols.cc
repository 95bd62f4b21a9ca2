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
      "The references of one file.",
      {{"relative_path", TextSchema("The file.")},
       {"count", NumberSchema("References in it.", 0)},
       {"references",
        ListSchema(
            "By line.",
            ObjectSchema(
                "One reference.",
                {{"line", NumberSchema("1-based line.", 0)},
                 {"column",
                  NumberSchema("1-based column in Unicode code points.", 0)},
                 {"end_column", NumberSchema("Column behind it.", 0)},
                 {"containing_symbol",
                  TextSchema("Name path of the symbol it stands in; absent at "
                             "the top level.")},
                 {"containing_kind", TextSchema("Kind of that symbol.")},
                 {"text", TextSchema("The line.")},
                 {"before", TextSchema("The line before.")},
                 {"after", TextSchema("The line after.")},
                 {"import", FlagSchema("True: it is an import.")}},
                {"line", "column", "text"}))}},
      {"relative_path", "count"});
}

ToolSpec Spec() {
  return {
      .name = "find_referencing_symbols",
      .title = "Find references to a symbol",
      .description =
          "Finds where one symbol is used: per file the symbols that refer to "
          "it, with the line. `text_only` names files in which the word "
          "stands although the server names no reference there.",
      .input_schema = PagedInputSchema(
          {{"name_path",
            TextSchema("Name path of the symbol, such as Class/method. It "
                       "must fit one symbol.")},
           {"relative_path",
            TextSchema("File or folder of the symbol. Default: everywhere.",
                       "")},
           {"include_kinds",
            KindsSchema("Only references from symbols of these kinds.")},
           {"exclude_kinds",
            KindsSchema("No references from symbols of these kinds.")},
           {"include_imports", FlagSchema("True: imports count.", false)}},
          {"name_path"}),
      .output_schema = WorkspaceOutputSchema(
          {{"symbol", SymbolSchema()},
           {"reference_count", NumberSchema("References in all files.", 0)},
           {"files", ListSchema("By path.", FileSchema())},
           {"text_only", ListSchema("Files with the word and no reference.",
                                    TextSchema("A file."))}},
          {"reference_count", "files", "text_only"})};
}

json ToJson(const lsp::v1::Reference& reference) {
  json entry = {{"line", reference.range().start_line()},
                {"column", reference.range().start_column()},
                {"text", reference.line_text()}};
  if (reference.range().end_line() == reference.range().start_line()) {
    entry["end_column"] = reference.range().end_column();
  }
  if (!reference.containing_symbol().name_path().empty()) {
    entry["containing_symbol"] = reference.containing_symbol().name_path();
    entry["containing_kind"] = reference.containing_symbol().kind();
  }
  if (!reference.line_before().empty()) {
    entry["before"] = reference.line_before();
  }
  if (!reference.line_after().empty()) entry["after"] = reference.line_after();
  if (reference.is_import()) entry["import"] = true;
  return entry;
}

json ByFile(
    const google::protobuf::RepeatedPtrField<lsp::v1::Reference>& references) {
  std::map<std::string, json> files;
  for (const lsp::v1::Reference& reference : references) {
    json& list = files[reference.relative_path()];
    if (list.is_null()) list = json::array();
    list.push_back(ToJson(reference));
  }
  json result = json::array();
  for (auto& [path, list] : files) {
    result.push_back({{"relative_path", path},
                      {"count", list.size()},
                      {"references", std::move(list)}});
  }
  return result;
}

void DropContext(json& content) {
  for (json& file : content["files"]) {
    for (json& reference : file["references"]) {
      reference.erase("before");
      reference.erase("after");
    }
  }
}

void KeepCounts(json& content) {
  for (json& file : content["files"]) file.erase("references");
}

class FindReferencingSymbols final : public Tool {
 public:
  explicit FindReferencingSymbols(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    const json& arguments = call.arguments;
    ASSIGN_OR_RETURN(const auto include_kinds,
                     KindsFromJson(arguments, "include_kinds"));
    ASSIGN_OR_RETURN(const auto exclude_kinds,
                     KindsFromJson(arguments, "exclude_kinds"));
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));

    lsp::v1::FindReferencingSymbolsRequest request;
    *request.mutable_grant() = read.grant;
    request.set_name_path(arguments.at("name_path").get<std::string>());
    request.set_relative_path(read.path);
    request.mutable_include_kinds()->Add(include_kinds.begin(),
                                         include_kinds.end());
    request.mutable_exclude_kinds()->Add(exclude_kinds.begin(),
                                         exclude_kinds.end());
    request.set_include_imports(arguments.value("include_imports", false));
    ASSIGN_OR_RETURN(const auto response,
                     clients_.lsp.FindReferencingSymbols(read.root(), request,
                                                         call.context));

    json content = {{"workspace", read.label},
                    {"reference_count", response.references_size()},
                    {"files", ByFile(response.references())},
                    {"text_only", json::array()}};
    if (response.has_symbol()) {
      content["symbol"] = edge::ToJson(response.symbol());
    }
    for (const std::string& path : response.text_only()) {
      content["text_only"].push_back(path);
    }
    AddCompleteness(content, response.incomplete());
    return ToolResult{
        .content = std::move(content),
        .shortenings = {{"lines around references", DropContext},
                        {"references (counts per file)", KeepCounts}},
        .paging = PagesOf("files")};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewFindReferencingSymbolsTool(ToolClients clients) {
  return std::make_unique<FindReferencingSymbols>(clients);
}

}  // namespace banyan::edge
