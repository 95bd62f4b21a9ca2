// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "edge/tools/all_tools.h"
#include "edge/tools/schema_parts.h"
#include "edge/tools/workspace_call.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

ToolSpec Spec() {
  return {
      .name = "read_file",
      .title = "Read a file",
      .description =
          "Reads a file or some of its lines. The text block is the file's "
          "text; `hash` names what you saw, for a later edit.",
      .input_schema = PagedInputSchema(
          {{"relative_path", TextSchema("The file, relative to the root.")},
           {"start_line", NumberSchema("First line, 1-based.", 1)},
           {"end_line", NumberSchema("Last line, inclusive.", 1)}},
          {"relative_path"}),
      .output_schema = WorkspaceOutputSchema(
          {{"relative_path", TextSchema("The file.")},
           {"text",
            TextSchema("Its text; bytes that are not UTF-8 are U+FFFD.")},
           {"start_line", NumberSchema("First line given.", 0)},
           {"end_line", NumberSchema("Last line given.", 0)},
           {"total_lines", NumberSchema("Lines of the file.", 0)},
           {"hash", TextSchema("Of the whole file's bytes: sha256:…")},
           {"line_ending", TextSchema("lf, crlf, cr, mixed or none.")},
           {"byte_order_mark", FlagSchema("True: the file begins with one.")},
           {"encoding_errors",
            FlagSchema("True: not UTF-8, so not editable by these tools.")},
           {"binary", FlagSchema("True: it holds NUL bytes; no text is "
                                 "given.")}},
          {"relative_path", "text", "start_line", "end_line", "total_lines",
           "hash", "line_ending", "encoding_errors"})};
}

const char* NameOf(lsp::v1::LineEnding ending) {
  switch (ending) {
    case lsp::v1::LINE_ENDING_LF:
      return "lf";
    case lsp::v1::LINE_ENDING_CRLF:
      return "crlf";
    case lsp::v1::LINE_ENDING_CR:
      return "cr";
    case lsp::v1::LINE_ENDING_MIXED:
      return "mixed";
    default:
      return "none";
  }
}

// With their ends; a line ends at LF, CRLF or a lone CR.
std::vector<absl::string_view> LinesOf(absl::string_view text) {
  std::vector<absl::string_view> lines;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    if (end < text.size()) end += text.substr(end, 2) == "\r\n" ? 2 : 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

Paging Lines() {
  return {.count =
              [](const json& content) {
                return LinesOf(content.at("text").get_ref<const std::string&>())
                    .size();
              },
          .slice =
              [](const json& content, size_t first, size_t count) {
                const auto lines =
                    LinesOf(content.at("text").get_ref<const std::string&>());
                json page = json::object();
                for (const auto& [key, value] : content.items()) {
                  if (key != "text") page[key] = value;
                }
                const size_t begin = std::min(first, lines.size());
                const size_t end = std::min(begin + count, lines.size());
                std::string text;
                for (size_t i = begin; i < end; ++i) {
                  text.append(lines[i].data(), lines[i].size());
                }
                page["text"] = std::move(text);
                const int start = content.at("start_line").get<int>();
                page["start_line"] = start + static_cast<int>(begin);
                page["end_line"] = start + static_cast<int>(end) - 1;
                return page;
              }};
}

class ReadFile final : public Tool {
 public:
  explicit ReadFile(ToolClients clients) : clients_(clients) {}

  const ToolSpec& spec() const override { return spec_; }

  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    const int start = call.arguments.value("start_line", 0);
    const int end = call.arguments.value("end_line", 0);
    if (end != 0 && end < start) {
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        "`end_line` lies before `start_line`. Give a range "
                        "that holds a line.");
    }
    ASSIGN_OR_RETURN(const WorkspaceRead read,
                     AuthorizeRead(clients_.sessions, call, spec_.name));
    lsp::v1::ReadFileRequest request;
    *request.mutable_grant() = read.grant;
    request.set_relative_path(read.path);
    request.set_start_line(start);
    request.set_end_line(end);
    ASSIGN_OR_RETURN(auto response,
                     clients_.lsp.ReadFile(read.root(), request, call.context));

    json content = {{"workspace", read.label},
                    {"relative_path", read.path},
                    {"text", std::move(*response.mutable_text())},
                    {"start_line", response.start_line()},
                    {"end_line", response.end_line()},
                    {"total_lines", response.total_lines()},
                    {"hash", response.hash()},
                    {"line_ending", NameOf(response.line_ending())},
                    {"encoding_errors", response.has_encoding_errors()},
                    {"complete", true},
                    {"incomplete", json::array()}};
    if (response.has_bom()) content["byte_order_mark"] = true;
    if (response.is_binary()) content["binary"] = true;
    return ToolResult{.content = std::move(content),
                      .text_member = "text",
                      .paging = Lines()};
  }

 private:
  const ToolClients clients_;
  const ToolSpec spec_ = Spec();
};

}  // namespace

std::unique_ptr<Tool> NewReadFileTool(ToolClients clients) {
  return std::make_unique<ReadFile>(clients);
}

}  // namespace banyan::edge
