// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/known_uses.h"
#include "lspd/edits/server_edit.h"
#include "lspd/queries/attempts.h"
#include "lspd/queries/symbol_details.h"
#include "lspd/queries/symbol_search.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using Answer = lsp::v1::ApplyEditResponse;

absl::Status CheckName(const std::string& name) {
  const bool has_blanks = name.find_first_of(" \t\r\n/") != std::string::npos;
  if (!name.empty() && !has_blanks) return absl::OkStatus();
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                    "`new_name` is the bare new name: not empty, no path, no "
                    "blanks");
}

absl::StatusOr<ServerEdit> AskForEdit(Question& question,
                                      const std::string& path,
                                      const lsp::v1::RenameSymbol& operation) {
  ASSIGN_OR_RETURN(const SymbolMatch match,
                   FindOneSymbol(question, operation.name_path(), path));
  ASSIGN_OR_RETURN(const auto file, question.File(match.file.relative_path));
  if (file->hash() != match.file.hash) question.NoteChanged();
  ASSIGN_OR_RETURN(LanguageServer* const server,
                   question.ReadyServerOf(match.file.language));
  const TextPosition& at = match.place.node->selection.start;
  if (server->Supports("textDocument/prepareRename")) {
    ASSIGN_OR_RETURN(
        const nlohmann::json possible,
        AskAt(question, *server, *file, at, "textDocument/prepareRename",
              nlohmann::json::object()));
    if (possible.is_null()) {
      return rpc::Error(
          rpc::v1::ERROR_REASON_UNSUPPORTED,
          absl::StrCat(server->name(), " cannot rename ", operation.name_path(),
                       ". Use replace_in_files."));
    }
  }
  return AskUntilStable(question, *server, [&] {
    return AskAt(question, *server, *file, at, "textDocument/rename",
                 {{"newName", operation.new_name()}});
  });
}

absl::Status Refuse(const std::vector<std::string>& reasons) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_CONFLICT,
      absl::StrCat("not every use may be known, so nothing was renamed: ",
                   absl::StrJoin(reasons, "; "),
                   ". Look at these, then rename with `force`, and change what "
                   "is left by replace_in_files."));
}

}  // namespace

absl::Status RenameSymbol(EditStep& step, const std::string& path,
                          const lsp::v1::RenameSymbol& operation) {
  RETURN_IF_ERROR(CheckName(operation.new_name()));
  ServerEdit edit;
  ASSIGN_OR_RETURN(
      const Answer asked,
      Ask<Answer>(step.tools, step.asker, step.call,
                  [&](Question& question) -> absl::StatusOr<Answer> {
                    ASSIGN_OR_RETURN(edit,
                                     AskForEdit(question, path, operation));
                    return Answer();
                  }));
  if (edit.edit.changes.empty()) {
    return rpc::Error(rpc::v1::ERROR_REASON_UNSUPPORTED,
                      "the language server made no change for this rename. Use "
                      "replace_in_files.");
  }
  std::set<std::string> touched;
  for (const auto& [file, text] : edit.texts) touched.insert(file);
  ASSIGN_OR_RETURN(std::vector<std::string> doubts,
                   DoubtsAboutUses(step, path, operation.name_path(), touched));
  for (std::string& doubt : DoubtsOf(asked.incomplete())) {
    doubts.push_back(std::move(doubt));
  }
  const bool is_refused = !doubts.empty() && !operation.force();
  if (is_refused && !step.is_dry_run) return Refuse(doubts);
  for (const std::string& doubt : doubts) step.answer.add_notes(doubt);
  if (is_refused) {
    step.answer.add_notes("As it stands this needs `force`.");
  }
  step.answer.mutable_incomplete()->MergeFrom(asked.incomplete());
  RETURN_IF_ERROR(
      ApplyServerEdit(edit, step.asker.workspace->root().path(), step.draft));
  const size_t files = step.draft.Changes().size();
  if (files > 1 && !operation.is_confirmed() && !step.is_dry_run) {
    step.answer.set_is_preview(true);
    step.answer.add_notes(absl::StrCat(
        "This would change ", files,
        " files, so it was only shown. Call again with `confirm` to make it."));
  }
  return absl::OkStatus();
}

}  // namespace banyan::lspd
