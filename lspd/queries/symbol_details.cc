// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/symbol_details.h"

#include "absl/strings/str_cat.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/workspace/shown_texts.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {

absl::StatusOr<nlohmann::json> AskAt(Question& question, LanguageServer& server,
                                     const SourceFile& file,
                                     const TextPosition& position,
                                     const std::string& method,
                                     const nlohmann::json& extra) {
  if (!server.Supports(method)) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_UNSUPPORTED,
        absl::StrCat(server.name(), " does not offer ", method,
                     ". Use find_referencing_symbols or search_for_pattern "
                     "instead."));
  }
  ASSIGN_OR_RETURN(const DocumentPin pin, question.Open(server, file));
  RETURN_IF_ERROR(question.EnsureProven(server, file));
  nlohmann::json params = {
      {"textDocument", {{"uri", FileUri(question.AbsolutePathOf(file))}}},
      {"position", ToJson(file.lines().ToLsp(position, server.encoding()))}};
  params.update(extra);
  return server.Request(method, params, question.call());
}

absl::StatusOr<std::string> HoverText(Question& question,
                                      const SourceFile& file,
                                      const std::string& language,
                                      const TextPosition& position) {
  ASSIGN_OR_RETURN(LanguageServer* const server,
                   question.ReadyServerOf(language));
  ASSIGN_OR_RETURN(const nlohmann::json answer,
                   AskAt(question, *server, file, position,
                         "textDocument/hover", nlohmann::json::object()));
  ASSIGN_OR_RETURN(Hover hover, HoverFromJson(answer));
  return std::move(hover.text);
}

absl::Status AddBody(Question& question, const SymbolMatch& match,
                     lsp::v1::Symbol* out) {
  ASSIGN_OR_RETURN(const auto file, question.File(match.file.relative_path));
  if (file->hash() != match.file.hash) question.NoteChanged();
  out->set_body(Utf8Text(file->lines().Slice(match.place.node->range)));
  out->set_hash(file->hash());
  ShownTexts::Of(question.workspace())
      ->Note(question.handle_hash(), file->real_path(), file->hash(),
             file->lines().text());
  return absl::OkStatus();
}

absl::Status AddInfo(Question& question, const SymbolMatch& match,
                     lsp::v1::Symbol* out) {
  ASSIGN_OR_RETURN(const auto file, question.File(match.file.relative_path));
  const absl::StatusOr<std::string> text = HoverText(
      question, *file, match.file.language, match.place.node->selection.start);
  if (text.ok()) {
    out->set_info(*text);
    return absl::OkStatus();
  }
  const bool is_unsupported =
      rpc::ReasonOf(text.status()) == rpc::v1::ERROR_REASON_UNSUPPORTED;
  return is_unsupported ? absl::OkStatus() : text.status();
}

}  // namespace banyan::lspd
