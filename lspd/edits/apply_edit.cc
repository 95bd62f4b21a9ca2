// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/apply_edit.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "lspd/edits/diagnostics_delta.h"
#include "lspd/edits/draft.h"
#include "lspd/edits/edit_recovery.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/edit_transaction.h"
#include "lspd/edits/preview_diagnostics.h"
#include "lspd/edits/root_edits.h"
#include "lspd/edits/unified_diff.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using lsp::v1::ApplyEditRequest;
using lsp::v1::ApplyEditResponse;
using lsp::v1::EditOperation;

absl::Status ReadOnly() {
  return rpc::Error(rpc::v1::ERROR_REASON_READ_ONLY,
                    "Workspace is read-only. Return your proposed edits to the "
                    "orchestrating agent.");
}

// Whether an edit without `expected_hash` rests on what its author saw of the
// file: where it lands is said by line, or the whole of it goes.
bool RestsOnSeen(const EditOperation& operation) {
  switch (operation.operation_case()) {
    case EditOperation::kEditLines:
    case EditOperation::kDeleteFile:
      return true;
    case EditOperation::kCreateFile:
      return operation.create_file().may_overwrite();
    case EditOperation::kEditSymbol:
      return operation.edit_symbol().kind() ==
             lsp::v1::SYMBOL_EDIT_KIND_REPLACE_BODY;
    default:
      return false;
  }
}

absl::Status Make(EditStep& step, const EditOperation& operation) {
  ASSIGN_OR_RETURN(const std::string path,
                   CleanRelativePath(operation.relative_path()));
  if (path.empty() && !operation.expected_hash().empty()) {
    return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                      "`expected_hash` is of one file; name it by "
                      "`relative_path`");
  }
  // What an earlier step made is not what anybody saw.
  const bool is_fresh = !step.draft.IsChanged(path);
  if (!path.empty() && is_fresh) {
    RETURN_IF_ERROR(CheckSeen(step, path, operation.expected_hash(),
                              RestsOnSeen(operation)));
  }
  switch (operation.operation_case()) {
    case EditOperation::kCreateFile:
      return CreateFile(step, path, operation.create_file());
    case EditOperation::kReplaceContent:
      return ReplaceContent(step, path, operation.replace_content());
    case EditOperation::kEditLines:
      return EditLines(step, path, operation.edit_lines());
    case EditOperation::kEditSymbol:
      return EditSymbol(step, path, operation.edit_symbol());
    case EditOperation::kRenameSymbol:
      return RenameSymbol(step, path, operation.rename_symbol());
    case EditOperation::kDeleteSymbol:
      return DeleteSymbol(step, path, operation.delete_symbol());
    case EditOperation::kDeleteFile:
      return step.draft.Delete(path);
    case EditOperation::kMoveFile:
      return MoveFile(step, path, operation.move_file());
    case EditOperation::kReplaceInFiles:
      return ReplaceInFiles(step, path, operation.replace_in_files());
    case EditOperation::kFormatFile:
      return FormatFile(step, path, operation.format_file());
    case EditOperation::kApplyCodeAction:
      return ApplyCodeAction(step, path, operation.apply_code_action());
    case EditOperation::OPERATION_NOT_SET:
      break;
  }
  return rpc::Error(rpc::v1::ERROR_REASON_NOT_IMPLEMENTED,
                    "this lspd does not know this kind of edit");
}

absl::Status MakeAll(EditStep& step, const ApplyEditRequest& request) {
  for (const lsp::v1::FileEdit& edit : request.files()) {
    RETURN_IF_ERROR(EditFile(step, edit));
  }
  for (const EditOperation& operation : request.operations()) {
    RETURN_IF_ERROR(Make(step, operation));
  }
  return absl::OkStatus();
}

lsp::v1::FileChangeKind KindOf(const DraftChange& change) {
  if (!change.before) return lsp::v1::FILE_CHANGE_KIND_CREATED;
  return change.after ? lsp::v1::FILE_CHANGE_KIND_CHANGED
                      : lsp::v1::FILE_CHANGE_KIND_DELETED;
}

void AddResults(const std::vector<DraftChange>& changes,
                ApplyEditResponse* answer) {
  for (const DraftChange& change : changes) {
    ApplyEditResponse::Result& result = *answer->add_results();
    result.set_relative_path(change.path);
    result.set_kind(KindOf(change));
    if (change.after) result.set_hash(HashOf(*change.after));
    if (change.before) result.set_previous_hash(HashOf(*change.before));
    result.set_unified_diff(UnifiedDiff(
        change.before.value_or(""), change.after.value_or(""), change.path));
  }
}

std::string DigestOf(const ApplyEditRequest& request) {
  ApplyEditRequest plain = request;
  plain.clear_grant();
  return HashOf(plain.SerializeAsString());
}

bool NamesHashes(const ApplyEditRequest& request) {
  for (const EditOperation& operation : request.operations()) {
    if (!operation.expected_hash().empty()) return true;
  }
  for (const lsp::v1::FileEdit& edit : request.files()) {
    if (!edit.expected_hash().empty()) return true;
  }
  return false;
}

// Every file is still what that call made of it.
bool StillHolds(const RootDirectory& root, const ApplyEditResponse& answer) {
  for (const ApplyEditResponse::Result& result : answer.results()) {
    const absl::StatusOr<FileContent> now =
        root.ReadFile(result.relative_path());
    const std::string hash = now.ok() ? now->hash : "";
    if (hash != result.hash()) return false;
  }
  return true;
}

ChangeKind ToChangeKind(lsp::v1::FileChangeKind kind) {
  if (kind == lsp::v1::FILE_CHANGE_KIND_CREATED) return ChangeKind::kCreated;
  if (kind == lsp::v1::FILE_CHANGE_KIND_DELETED) return ChangeKind::kDeleted;
  return ChangeKind::kChanged;
}

// Everybody who reads from here on sees the edit, the servers with their next
// question.
void Tell(const Editor& editor, ShownTexts& shown, RootEdits& edits,
          const std::vector<DraftChange>& changes, const std::string& id) {
  const Workspace& workspace = *editor.asker.workspace;
  for (const DraftChange& change : changes) {
    const lsp::v1::FileChangeKind kind = KindOf(change);
    const std::string hash = change.after ? HashOf(*change.after) : "";
    edits.NoteActivity({.path = change.path,
                        .kind = kind,
                        .session_public_id = editor.asker.session_public_id,
                        .handle_hash = editor.handle_hash,
                        .transaction = id,
                        .at = absl::Now(),
                        .hash = hash});
    if (change.before) {
      shown.Note("", change.path, HashOf(*change.before), *change.before);
    }
    if (change.after) {
      shown.Note(editor.handle_hash, change.path, hash, *change.after);
    } else {
      shown.Forget(editor.handle_hash, change.path);
    }
    workspace.changes().NoteOwnWrite(change.path, ToChangeKind(kind));
  }
  rpc::Log({.level = rpc::LogLevel::kInfo,
            .event = "edit_applied",
            .message = absl::StrCat(
                "[Session: ", editor.asker.session_public_id.substr(0, 4),
                "] Edit applied: ", changes.size(), " files (", id, ")"),
            .fields = {{"session", editor.asker.session_public_id},
                       {"root", workspace.root().path()},
                       {"transaction", id}}});
}

}  // namespace

absl::StatusOr<ApplyEditResponse> ApplyEdit(const QueryTools& tools,
                                            const Editor& editor,
                                            const rpc::CallContext& call,
                                            const ApplyEditRequest& request) {
  if (!request.is_dry_run() && !editor.may_write) return ReadOnly();
  const Workspace& workspace = *editor.asker.workspace;
  const std::shared_ptr<RootEdits> edits = RootEdits::Of(workspace);
  const std::shared_ptr<ShownTexts> shown = ShownTexts::Of(workspace);
  edits->Watch(workspace);
  std::optional<WriteTurn> turn;
  const std::string digest = DigestOf(request);
  if (!request.is_dry_run()) {
    ASSIGN_OR_RETURN(WriteTurn own, edits->AwaitTurn(call));
    turn.emplace(std::move(own));
    auto repeat = edits->FindRepeat(editor.handle_hash, digest, absl::Now());
    if (repeat && !NamesHashes(request) &&
        StillHolds(workspace.root(), *repeat)) {
      repeat->set_was_already_applied(true);
      return *std::move(repeat);
    }
  }

  Draft draft(workspace.root());
  ApplyEditResponse answer;
  EditStep step{.tools = tools,
                .asker = editor.asker,
                .call = call,
                .handle_hash = editor.handle_hash,
                .shown = *shown,
                .draft = draft,
                .answer = answer,
                .is_dry_run = request.is_dry_run()};
  RETURN_IF_ERROR(MakeAll(step, request));
  const std::vector<DraftChange> changes = draft.Changes();
  AddResults(changes, &answer);
  if (request.is_dry_run()) answer.set_is_preview(true);
  if (answer.is_preview()) {
    if (request.with_diagnostics()) {
      // Whoever wants to write need not wait for it.
      turn.reset();
      AddPreviewDiagnostics(tools, editor.asker, call, changes, &answer);
    }
    return answer;
  }
  if (changes.empty()) {
    answer.add_notes("Nothing had to be changed: the text is so already.");
    return answer;
  }

  std::optional<DiagnosticsDelta> delta;
  if (request.with_diagnostics()) {
    delta.emplace(tools, editor.asker, call, changes);
  }
  CommitOptions commit;
  commit.may_commit = editor.may_commit;
  ASSIGN_OR_RETURN(const std::string id,
                   CommitChanges(workspace.root(), changes, commit));
  answer.set_transaction(id);
  Tell(editor, *shown, *edits, changes, id);
  DropOldEdits(workspace.root(), absl::Now());
  edits->KeepForRepeat(editor.handle_hash, digest, absl::Now(), answer);
  if (delta) delta->Report(&answer);
  return answer;
}

absl::StatusOr<lsp::v1::GetActivityResponse> GetActivity(
    const QueryTools&, const Editor& editor, const rpc::CallContext&,
    const lsp::v1::GetActivityRequest& request) {
  const Workspace& workspace = *editor.asker.workspace;
  const std::shared_ptr<RootEdits> edits = RootEdits::Of(workspace);
  lsp::v1::GetActivityResponse response;
  for (const FileActivity& activity : edits->Activity(
           workspace, absl::FromUnixMillis(request.since_unix_ms()))) {
    auto& file = *response.add_files();
    file.set_relative_path(activity.path);
    file.set_kind(activity.kind);
    file.set_session_public_id(activity.session_public_id);
    file.set_is_own(!editor.handle_hash.empty() &&
                    activity.handle_hash == editor.handle_hash);
    file.set_transaction(activity.transaction);
    file.set_at_unix_ms(absl::ToUnixMillis(activity.at));
    file.set_hash(activity.hash);
  }
  response.set_is_writing(edits->is_writing());
  for (std::string& path : edits->unsettled()) {
    response.add_unfinished(std::move(path));
  }
  return response;
}

void RecoverRoot(const Workspace& workspace) {
  const Recovery recovery = RecoverEdits(workspace.root());
  DropOldEdits(workspace.root(), absl::Now());
  if (recovery.undone == 0 && recovery.unsettled.empty()) return;
  RootEdits::Of(workspace)->NoteUnsettled(recovery.unsettled);
  rpc::Log(
      {.level = recovery.unsettled.empty() ? rpc::LogLevel::kWarning
                                           : rpc::LogLevel::kError,
       .event = "edits_recovered",
       .message = absl::StrCat(
           "[Edits] Undid ", recovery.undone,
           " unfinished edits of an earlier run in ", workspace.root().path(),
           recovery.unsettled.empty() ? "" : "; changed since and left: ",
           absl::StrJoin(recovery.unsettled, ", ")),
       .fields = {{"root", workspace.root().path()}}});
}

}  // namespace banyan::lspd
