// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_cat.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/server_edit.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/queries/attempts.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using Answer = lsp::v1::ApplyEditResponse;

// What the server would change elsewhere because the file moves; nothing where
// it does not offer to say.
absl::StatusOr<std::optional<ServerEdit>> AskForImports(
    EditStep& step, Question& question, const std::string& path,
    const std::string& new_path) {
  ASSIGN_OR_RETURN(const std::string language, question.LanguageOf(path));
  ASSIGN_OR_RETURN(LanguageServer* const server,
                   question.ReadyServerOf(language));
  if (!server->Supports("workspace/willRenameFiles")) {
    return std::optional<ServerEdit>();
  }
  ASSIGN_OR_RETURN(const auto file, question.File(path));
  ASSIGN_OR_RETURN(const DocumentPin pin, question.Open(*server, *file));
  const std::string& root = step.asker.workspace->root().path();
  nlohmann::json params;
  params["files"].push_back(
      {{"oldUri", FileUri(absl::StrCat(root, "/", path))},
       {"newUri", FileUri(absl::StrCat(root, "/", new_path))}});
  ASSIGN_OR_RETURN(ServerEdit edit, AskUntilStable(question, *server, [&] {
                     return server->Request("workspace/willRenameFiles", params,
                                            question.call());
                   }));
  return std::optional<ServerEdit>(std::move(edit));
}

// Imports that cannot be looked after are told, and no reason not to move.
bool IsOnlyUnknown(const absl::Status& status) {
  switch (rpc::ReasonOf(status)) {
    case rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN:
    case rpc::v1::ERROR_REASON_UNSUPPORTED:
    case rpc::v1::ERROR_REASON_SERVER_MISSING:
    case rpc::v1::ERROR_REASON_SERVER_DOWN:
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::Status MoveFile(EditStep& step, const std::string& path,
                      const lsp::v1::MoveFile& operation) {
  if (operation.new_path().empty()) {
    return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                      "`new_path` is empty; say where the file shall be");
  }
  ASSIGN_OR_RETURN(const std::string real, step.draft.RealPath(path));
  if (operation.update_imports() && step.draft.Read(path).ok() &&
      !step.draft.IsChanged(path)) {
    std::optional<ServerEdit> edit;
    const absl::StatusOr<Answer> asked = Ask<Answer>(
        step.tools, step.asker, step.call,
        [&](Question& question) -> absl::StatusOr<Answer> {
          ASSIGN_OR_RETURN(
              edit, AskForImports(step, question, real, operation.new_path()));
          return Answer();
        });
    if (!asked.ok() && !IsOnlyUnknown(asked.status())) return asked.status();
    if (edit) {
      step.answer.mutable_incomplete()->MergeFrom(asked->incomplete());
      RETURN_IF_ERROR(ApplyServerEdit(
          *edit, step.asker.workspace->root().path(), step.draft));
    } else {
      step.answer.add_notes(
          "No language server looked after the imports of this file; "
          "search_for_pattern finds who names it.");
    }
  }
  return step.draft.Move(path, operation.new_path());
}

}  // namespace banyan::lspd
