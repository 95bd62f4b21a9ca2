// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/server_edit.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/attempts.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using Answer = lsp::v1::ApplyEditResponse;

constexpr int kDefaultWidth = 4;

// How the file indents: formatters are told, since they cannot know.
nlohmann::json OptionsFor(const LineIndex& lines) {
  bool uses_tabs = false;
  int width = 0;
  for (int line = 1; line <= lines.line_count(); ++line) {
    const absl::string_view text = lines.Line(line);
    if (absl::StartsWith(text, "\t")) uses_tabs = true;
    const size_t blanks = text.find_first_not_of(' ');
    if (blanks == absl::string_view::npos || blanks < 2) continue;
    const int here = static_cast<int>(blanks);
    width = width == 0 ? here : std::min(width, here);
  }
  return {{"tabSize", width == 0 ? kDefaultWidth : width},
          {"insertSpaces", !uses_tabs}};
}

absl::StatusOr<ServerEdit> AskForFormat(Question& question,
                                        const std::string& path,
                                        const lsp::v1::FormatFile& operation) {
  ASSIGN_OR_RETURN(const std::string language, question.LanguageOf(path));
  ASSIGN_OR_RETURN(LanguageServer* const server,
                   question.ReadyServerOf(language));
  ASSIGN_OR_RETURN(const auto file, question.File(path));
  const bool is_whole = operation.start_line() == 0;
  const char* const method =
      is_whole ? "textDocument/formatting" : "textDocument/rangeFormatting";
  if (!server->Supports(method)) {
    return rpc::Error(rpc::v1::ERROR_REASON_UNSUPPORTED,
                      absl::StrCat(server->name(), " does not format ",
                                   is_whole ? "files" : "parts of files",
                                   ". Nothing was changed."));
  }
  ASSIGN_OR_RETURN(const DocumentPin pin, question.Open(*server, *file));
  const LineIndex& lines = file->lines();
  nlohmann::json params = {{"textDocument", {{"uri", pin.uri()}}},
                           {"options", OptionsFor(lines)}};
  if (!is_whole) {
    const int last = std::max(operation.start_line(), operation.end_line());
    params["range"] = ToJson(lines.ToLsp(
        TextRange{.start = {.line = operation.start_line(), .column = 1},
                  .end = {.line = last + 1, .column = 1}},
        server->encoding()));
  }
  ASSIGN_OR_RETURN(const nlohmann::json answer,
                   server->Request(method, params, question.call()));
  absl::StatusOr<std::vector<LspTextEdit>> edits = TextEditsFromJson(answer);
  if (!edits.ok()) {
    return rpc::Error(rpc::v1::ERROR_REASON_INTERNAL, edits.status().message());
  }
  ServerEdit edit{.encoding = server->encoding()};
  edit.edit.changes.push_back(
      {.uri = pin.uri(), .version = std::nullopt, .edits = *std::move(edits)});
  edit.texts.emplace(path, file);
  return edit;
}

}  // namespace

absl::Status FormatFile(EditStep& step, const std::string& path,
                        const lsp::v1::FormatFile& operation) {
  ASSIGN_OR_RETURN(const std::string real, step.draft.RealPath(path));
  RETURN_IF_ERROR(step.draft.ReadText(path).status());
  ServerEdit edit;
  ASSIGN_OR_RETURN(
      const Answer asked,
      Ask<Answer>(step.tools, step.asker, step.call,
                  [&](Question& question) -> absl::StatusOr<Answer> {
                    ASSIGN_OR_RETURN(edit,
                                     AskForFormat(question, real, operation));
                    return Answer();
                  }));
  return ApplyServerEdit(edit, step.asker.workspace->root().path(), step.draft);
}

}  // namespace banyan::lspd
