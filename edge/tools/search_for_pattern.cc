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

constexpr size_t kShortLine = 200;

json InputProperties() {
  return {
      {"substring_pattern",
       TextSchema("Regular expression of ripgrep's default engine (no "
                  "look-around, no back-references); it may match anywhere in "
                  "a line.")},
      {"relative_path",
       TextSchema("File or folder to search, relative to the root.", ".")},
      {"context_lines_before",
       NumberSchema("Lines shown before each match.", 0, 0)},
      {"context_lines_after",
       NumberSchema("Lines shown after each match.", 0, 0)},
      {"paths_include_glob",
       TextSchema("Only files whose path matches: *.py, src/**.")},
      {"paths_exclude_glob", TextSchema("No files whose path matches.")},
      {"multiline", FlagSchema("True: a match may span lines.", false)},
      {"case_sensitive", FlagSchema("False: case does not matter.", true)},
      {"skip_ignored_files",
       FlagSchema("False: search what git ignores, too.", true)}};
}

json FileSchema() {
  return ObjectSchema(
      "The matches of one file.",
      {{"relative_path", TextSchema("The file.")},
       {"count", NumberSchema("Matching blocks in it.", 0)},
       {"matches",
        ListSchema(
            "Blocks of lines.",
            ObjectSchema(
                "A match with its context; close matches share a block.",
                {{"start_line", NumberSchema("First line shown.", 0)},
                 {"end_line", NumberSchema("Last line shown.", 0)},
                 {"text", TextSchema("The lines.")},
                 {"match_lines", ListSchema("Which lines match; absent: all.",
                                            NumberSchema("A line.", 0))}},
                {"start_line", "end_line", "text"}))},
       {"lines", ListSchema("Shortened: numbers of the matching lines only.",
                            NumberSchema("A line.", 0))}},
      {"relative_path", "count"});
}

ToolSpec Spec() {
  return {.name = "search_for_pattern",
          .title = "Search for a pattern",
          .description =
              "Searches the text of files with a regular expression. For "
              "symbols find_symbol is more exact.",
          .input_schema =
              PagedInputSchema(InputProperties(), {"substring_pattern"}),
          .output_schema = WorkspaceOutputSchema(
              {{"files", ListSchema("By path.", FileSchema())},
               {"match_count", NumberSchema("Matches in all files.", 0)}},
              {"files", "match_count"})};
}

// From the first to the last of these lines; with `matches_only`, runs of
// matching lines become blocks of their own.
json BlocksOf(const lsp::v1::SearchTextResponse::Match& match) {
  json block = json::object();
  std::string text;
  json match_lines = json::array();
  for (const auto& line : match.lines()) {
    if (block.empty()) {
      block["start_line"] = line.number();
    } else {
      text += '\n';
    }
    text += line.text();
    block["end_line"] = line.number();
    if (line.is_match()) match_lines.push_back(line.number());
  }
  block["text"] = std::move(text);
  if (static_cast<int>(match_lines.size()) < match.lines_size()) {
    block["match_lines"] = std::move(match_lines);
  }
  return block;
}

// Calls `apply` on each file.
template <typename Apply>
Shortening EachFile(std::string left_out, Apply apply) {
  return {.left_out = std::move(left_out), .apply = [apply](json& content) {
            for (json& file : content["files"]) apply(file);
          }};
}

// The lines of a block that match, each a block of its own.
void DropContext(json& file) {
  json kept = json::array();
  for (json& block : file["matches"]) {
    if (!block.contains("match_lines")) {
      kept.push_back(std::move(block));
      continue;
    }
    const int start = block["start_line"].get<int>();
    const auto& text = block["text"].get_ref<const std::string&>();
    int number = start;
    size_t begin = 0;
    for (const json& wanted : block["match_lines"]) {
      while (number < wanted.get<int>()) {
        begin = text.find('\n', begin) + 1;
        ++number;
      }
      const size_t end = std::min(text.find('\n', begin), text.size());
      kept.push_back({{"start_line", number},
                      {"end_line", number},
                      {"text", text.substr(begin, end - begin)}});
    }
  }
  file["matches"] = std::move(kept);
}

void CutLines(json& file) {
  for (json& block : file["matches"]) {
    std::string text = block["text"].get<std::string>();
    if (text.size() <= kShortLine) continue;
    size_t end = kShortLine;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    block["text"] = text + "…";
  }
}

void KeepLineNumbers(json& file) {
  json lines = json::array();
  for (const json& block : file["matches"]) {
    for (int line = block["start_line"].get<int>();
         line <= block["end_line"].get<int>(); ++line) {
      lines.push_back(line);
    }
  }
  file["lines"] = std::move(lines);
  file.erase("matches");
}

class SearchForPattern final : public Tool {
 public:
  explicit SearchForPattern(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    const auto response = clients_.lsp.SearchText(
        read.root(), ToProto(call.arguments, read), call.context);
    RETURN_IF_ERROR(response.status());

    json content = {{"workspace", read.label},
                    {"files", json::array()},
                    {"match_count", response->match_count()}};
    for (const auto& file : response->files()) {
      json entry = {{"relative_path", file.relative_path()},
                    {"count", file.matches_size()},
                    {"matches", json::array()}};
      for (const auto& match : file.matches()) {
        entry["matches"].push_back(BlocksOf(match));
      }
      content["files"].push_back(std::move(entry));
    }
    AddCompleteness(content, response->incomplete());
    return ToolResult{
        .content = std::move(content),
        .shortenings = {EachFile("context lines", DropContext),
                        EachFile("the ends of long lines", CutLines),
                        EachFile("the text of the lines", KeepLineNumbers),
                        EachFile("line numbers",
                                 [](json& file) { file.erase("lines"); })},
        .paging = PagesOf("files")};
  }

 private:
  static lsp::v1::SearchTextRequest ToProto(const json& arguments,
                                            const WorkspaceRead& read) {
    lsp::v1::SearchTextRequest request;
    *request.mutable_grant() = read.grant;
    request.set_pattern(arguments.at("substring_pattern").get<std::string>());
    request.set_relative_path(read.path);
    request.set_context_lines_before(
        arguments.value("context_lines_before", 0));
    request.set_context_lines_after(arguments.value("context_lines_after", 0));
    const std::string include = arguments.value("paths_include_glob", "");
    if (!include.empty()) request.add_include_globs(include);
    const std::string exclude = arguments.value("paths_exclude_glob", "");
    if (!exclude.empty()) request.add_exclude_globs(exclude);
    request.set_is_multiline(arguments.value("multiline", false));
    request.set_is_case_insensitive(!arguments.value("case_sensitive", true));
    request.set_include_ignored_files(
        !arguments.value("skip_ignored_files", true));
    return request;
  }

  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewSearchForPatternTool(ToolClients clients) {
  return std::make_unique<SearchForPattern>(clients);
}

}  // namespace banyan::edge
