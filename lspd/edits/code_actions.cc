// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/code_actions.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/server_edit.h"
#include "lspd/protocol/json_fields.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/attempts.h"
#include "lspd/queries/symbol_search.h"
#include "lspd/workspace/relative_path.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;
using Response = lsp::v1::ListCodeActionsResponse;

constexpr size_t kDigestChars = 16;

// What is asked about: a part of a file, and which kind of action.
struct ActionPlace {
  std::string path;
  int first = 0;  // Lines; 0: the whole file.
  int last = 0;
  std::string kind;
};

json ToJson(const LspDiagnostic& diagnostic) {
  json object = {{"range", lspd::ToJson(diagnostic.range)},
                 {"severity", diagnostic.severity},
                 {"message", diagnostic.message}};
  int number = 0;
  if (absl::SimpleAtoi(diagnostic.code, &number)) {
    object["code"] = number;
  } else if (!diagnostic.code.empty()) {
    object["code"] = diagnostic.code;
  }
  if (!diagnostic.source.empty()) object["source"] = diagnostic.source;
  return object;
}

LspRange RangeOf(const LineIndex& lines, const ActionPlace& place,
                 PositionEncoding encoding) {
  const int first = place.first == 0 ? 1 : place.first;
  const int last =
      place.first == 0 ? lines.line_count() : std::max(place.first, place.last);
  return lines.ToLsp(
      TextRange{
          .start = {.line = first, .column = 1},
          .end = {.line = last, .column = std::numeric_limits<int>::max()}},
      encoding);
}

// The server's own list, with the texts it is about.
struct Offer {
  LanguageServer* server = nullptr;
  std::shared_ptr<const SourceFile> file;
  json actions;
};

absl::StatusOr<Offer> AskFor(Question& question, const ActionPlace& place) {
  ASSIGN_OR_RETURN(const std::string language, question.LanguageOf(place.path));
  Offer offer;
  ASSIGN_OR_RETURN(offer.server, question.ReadyServerOf(language));
  ASSIGN_OR_RETURN(offer.file, question.File(place.path));
  if (!offer.server->Supports("textDocument/codeAction")) {
    return rpc::Error(rpc::v1::ERROR_REASON_UNSUPPORTED,
                      absl::StrCat(offer.server->name(),
                                   " offers no code actions. Use "
                                   "replace_content or replace_symbol_body."));
  }
  ASSIGN_OR_RETURN(const DocumentPin pin,
                   question.Open(*offer.server, *offer.file));
  const LspRange range =
      RangeOf(offer.file->lines(), place, offer.server->encoding());
  json diagnostics = json::array();
  const auto reported = offer.server->Diagnostics(pin, question.call());
  if (reported.ok()) {
    for (const LspDiagnostic& each : *reported) {
      const bool is_apart =
          each.range.end < range.start || range.end < each.range.start;
      if (!is_apart) diagnostics.push_back(ToJson(each));
    }
  }
  json context = {{"diagnostics", std::move(diagnostics)}, {"triggerKind", 1}};
  if (!place.kind.empty()) context["only"] = json::array({place.kind});
  ASSIGN_OR_RETURN(offer.actions, offer.server->Request(
                                      "textDocument/codeAction",
                                      {{"textDocument", {{"uri", pin.uri()}}},
                                       {"range", lspd::ToJson(range)},
                                       {"context", std::move(context)}},
                                      question.call()));
  if (!offer.actions.is_array()) offer.actions = json::array();
  return offer;
}

// Tells where the action was offered, and which one it is in this very text.
std::string IdOf(const ActionPlace& place, const SourceFile& file,
                 const json& action, size_t index) {
  return absl::StrCat(
      place.first, ".", place.last, ".", place.kind, ".",
      HashOf(absl::StrCat(file.hash(), "\n", StringField(action, "kind"), "\n",
                          StringField(action, "title"), "\n", index))
          .substr(7, kDigestChars));
}

absl::StatusOr<ActionPlace> ActionPlaceOf(const std::string& path,
                                          const std::string& id) {
  // The kind may have dots itself.
  const std::vector<std::string> parts = absl::StrSplit(id, '.');
  ActionPlace place{.path = path};
  if (parts.size() < 4 || !absl::SimpleAtoi(parts[0], &place.first) ||
      !absl::SimpleAtoi(parts[1], &place.last)) {
    return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                      "`action_id` is none of list_code_actions");
  }
  for (size_t i = 2; i + 1 < parts.size(); ++i) {
    absl::StrAppend(&place.kind, i > 2 ? "." : "", parts[i]);
  }
  return place;
}

// A bare Command has its command as text, a CodeAction as an object.
bool IsCommand(const json& action) {
  return FieldOrNull(action, "command").is_string();
}

absl::StatusOr<json> EditOf(Question& question, LanguageServer& server,
                            const json& action) {
  json resolved = action;
  if (FindField(action, "edit") == nullptr &&
      server.Supports("codeAction/resolve") && !IsCommand(action)) {
    ASSIGN_OR_RETURN(resolved, server.Request("codeAction/resolve", action,
                                              question.call()));
  }
  if (const json* const edit = FindField(resolved, "edit")) return *edit;
  return rpc::Error(rpc::v1::ERROR_REASON_UNSUPPORTED,
                    absl::StrCat("\"", StringField(action, "title"),
                                 "\" runs a command within ", server.name(),
                                 " instead of naming its changes, so it cannot "
                                 "be made safely here. Edit the text "
                                 "yourself."));
}

}  // namespace

absl::StatusOr<Response> ListCodeActions(
    const QueryTools& tools, const Editor& editor, const rpc::CallContext& call,
    const lsp::v1::ListCodeActionsRequest& request) {
  ActionPlace place{.first = request.start_line(),
                    .last = request.end_line(),
                    .kind = request.kind()};
  ASSIGN_OR_RETURN(place.path, CleanRelativePath(request.relative_path()));
  return Ask<Response>(
      tools, editor.asker, call,
      [&](Question& question) -> absl::StatusOr<Response> {
        if (!request.name_path().empty()) {
          ASSIGN_OR_RETURN(
              const SymbolMatch match,
              FindOneSymbol(question, request.name_path(), place.path));
          place.path = match.file.relative_path;
          place.first = match.place.node->range.start.line;
          place.last = match.place.node->range.end.line;
        }
        ASSIGN_OR_RETURN(const Offer offer, AskFor(question, place));
        Response response;
        response.set_hash(offer.file->hash());
        for (size_t i = 0; i < offer.actions.size(); ++i) {
          const json& action = offer.actions[i];
          lsp::v1::CodeAction& shown = *response.add_actions();
          shown.set_id(IdOf(place, *offer.file, action, i));
          shown.set_title(StringField(action, "title"));
          shown.set_kind(StringField(action, "kind"));
          shown.set_is_preferred(BoolField(action, "isPreferred"));
          shown.set_disabled_reason(
              StringField(FieldOrNull(action, "disabled"), "reason"));
          if (IsCommand(action)) {
            shown.set_disabled_reason(
                "it runs a command within the server; edit the text yourself");
          }
        }
        return response;
      });
}

absl::Status ApplyCodeAction(EditStep& step, const std::string& path,
                             const lsp::v1::ApplyCodeAction& operation) {
  ASSIGN_OR_RETURN(const std::string real, step.draft.RealPath(path));
  ASSIGN_OR_RETURN(const ActionPlace place,
                   ActionPlaceOf(real, operation.action_id()));
  ServerEdit edit;
  using Answer = lsp::v1::ApplyEditResponse;
  ASSIGN_OR_RETURN(
      const Answer asked,
      Ask<Answer>(
          step.tools, step.asker, step.call,
          [&](Question& question) -> absl::StatusOr<Answer> {
            ASSIGN_OR_RETURN(const std::string language,
                             question.LanguageOf(real));
            ASSIGN_OR_RETURN(LanguageServer* const server,
                             question.ReadyServerOf(language));
            ASSIGN_OR_RETURN(
                edit,
                AskUntilStable(
                    question, *server, [&]() -> absl::StatusOr<json> {
                      ASSIGN_OR_RETURN(const Offer offer,
                                       AskFor(question, place));
                      for (size_t i = 0; i < offer.actions.size(); ++i) {
                        if (IdOf(place, *offer.file, offer.actions[i], i) !=
                            operation.action_id()) {
                          continue;
                        }
                        return EditOf(question, *offer.server,
                                      offer.actions[i]);
                      }
                      return rpc::Error(
                          rpc::v1::ERROR_REASON_CONFLICT,
                          "this action is not offered any more: the file "
                          "changed since. list_code_actions says what is.");
                    }));
            return Answer();
          }));
  step.answer.mutable_incomplete()->MergeFrom(asked.incomplete());
  return ApplyServerEdit(edit, step.asker.workspace->root().path(), step.draft);
}

}  // namespace banyan::lspd
