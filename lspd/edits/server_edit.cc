// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/server_edit.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using Kind = DocumentChange::Kind;

constexpr int kMostRounds = 5;

absl::Status OtherText(absl::string_view path) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_CONFLICT,
      absl::StrCat(path,
                   " changed while the language server worked on it; "
                   "nothing was changed by this call. Try again."));
}

absl::StatusOr<std::string> RelativePathOf(const std::string& root,
                                           const std::string& uri) {
  const std::optional<std::string> path = PathOfFileUri(uri);
  absl::string_view rest = path ? absl::string_view(*path) : "";
  if (!path || !absl::ConsumePrefix(&rest, absl::StrCat(root, "/"))) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT,
        "the change reaches files outside the workspace (a library, or another "
        "project), so nothing of it was made");
  }
  return CleanRelativePath(rest);
}

// Files whose texts an edit refers to. What the edit itself makes has none.
absl::StatusOr<std::set<std::string>> EditedFiles(const std::string& root,
                                                  const WorkspaceEdit& edit) {
  std::set<std::string> files;
  std::set<std::string> made;
  for (const DocumentChange& change : edit.changes) {
    ASSIGN_OR_RETURN(const std::string path, RelativePathOf(root, change.uri));
    if (change.kind == Kind::kCreate) made.insert(path);
    if (change.kind == Kind::kRename) {
      ASSIGN_OR_RETURN(std::string target,
                       RelativePathOf(root, change.new_uri));
      // Edits under its new name are of the text that it has now.
      if (made.count(path) == 0) files.insert(path);
      made.insert(std::move(target));
    }
    if (change.kind == Kind::kEdit && made.count(path) == 0) {
      files.insert(path);
    }
  }
  return files;
}

// The place exists, and is no place within a character.
bool Has(const LineIndex& text, const LspPosition& position,
         PositionEncoding encoding) {
  if (position.line == text.line_count() && position.character == 0) {
    return true;  // Behind the last line.
  }
  if (position.line >= text.line_count()) return false;
  return text.ToLsp(text.ToText(position, encoding), encoding) == position;
}

}  // namespace

absl::StatusOr<std::vector<TextChange>> ChangesOf(
    const LineIndex& text, PositionEncoding encoding,
    const std::vector<LspTextEdit>& edits) {
  std::vector<TextChange> changes;
  for (const LspTextEdit& edit : edits) {
    LspRange range = edit.range;
    // "To the end of the last line, however long" is how some say it.
    const bool is_whole = range.start == LspPosition{} &&
                          range.end.line >= text.line_count() - 1 &&
                          edits.size() == 1;
    if (!is_whole && (!Has(text, range.start, encoding) ||
                      !Has(text, range.end, encoding))) {
      return OtherText("a file");
    }
    const size_t begin = text.OffsetOf(range.start, encoding);
    // Servers write LF whatever the file has.
    changes.push_back(
        {.begin = begin,
         .end = text.OffsetOf(range.end, encoding),
         .text = WithLineEnds(edit.new_text, LineEndAt(text.text(), begin))});
  }
  return changes;
}

absl::StatusOr<ServerEdit> AskUntilStable(
    Question& question, LanguageServer& server,
    const std::function<absl::StatusOr<nlohmann::json>()>& ask) {
  const std::string& root = question.workspace().root().path();
  ServerEdit result;
  result.encoding = server.encoding();
  std::vector<DocumentPin> pins;
  for (int round = 0; round < kMostRounds; ++round) {
    ASSIGN_OR_RETURN(const nlohmann::json answer, ask());
    absl::StatusOr<WorkspaceEdit> edit = WorkspaceEditFromJson(answer);
    RETURN_IF_ERROR(edit.status());
    ASSIGN_OR_RETURN(const std::set<std::string> files,
                     EditedFiles(root, *edit));
    bool is_stable = true;
    for (const std::string& path : files) {
      if (result.texts.count(path) > 0) continue;
      is_stable = false;
      ASSIGN_OR_RETURN(auto file, question.File(path));
      ASSIGN_OR_RETURN(DocumentPin pin, question.Open(server, *file));
      pins.push_back(std::move(pin));
      result.texts.emplace(path, std::move(file));
    }
    if (!is_stable) continue;
    for (const DocumentChange& change : edit->changes) {
      const std::optional<int> open = server.documents().VersionOf(change.uri);
      if (change.version && open && *change.version != *open) {
        return OtherText("a file");
      }
    }
    result.edit = *std::move(edit);
    return result;
  }
  return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT,
                    "the language server names other files each time it is "
                    "asked, so the change is not safe to make. Try again when "
                    "it has settled.");
}

absl::Status ApplyServerEdit(const ServerEdit& edit, const std::string& root,
                             Draft& draft) {
  std::set<std::string> moved_or_made;
  for (const DocumentChange& change : edit.edit.changes) {
    ASSIGN_OR_RETURN(const std::string path, RelativePathOf(root, change.uri));
    switch (change.kind) {
      case Kind::kCreate: {
        const bool is_there = draft.Read(path).ok();
        if (is_there && change.ignore_if_exists && !change.may_overwrite) break;
        RETURN_IF_ERROR(draft.Create(path, "", change.may_overwrite));
        moved_or_made.insert(path);
        break;
      }
      case Kind::kDelete:
        if (change.ignore_if_absent && !draft.Read(path).ok()) break;
        RETURN_IF_ERROR(draft.Delete(path));
        break;
      case Kind::kRename: {
        ASSIGN_OR_RETURN(const std::string target,
                         RelativePathOf(root, change.new_uri));
        if (draft.Read(target).ok()) {
          if (change.ignore_if_exists && !change.may_overwrite) break;
          if (change.may_overwrite) RETURN_IF_ERROR(draft.Delete(target));
        }
        const auto known = edit.texts.find(path);
        if (moved_or_made.count(path) == 0 && known != edit.texts.end()) {
          ASSIGN_OR_RETURN(const auto disk, draft.DiskHash(path));
          if (disk != known->second->hash()) return OtherText(path);
        }
        RETURN_IF_ERROR(draft.Move(path, target));
        moved_or_made.insert(target);
        break;
      }
      case Kind::kEdit: {
        ASSIGN_OR_RETURN(const absl::string_view text, draft.ReadText(path));
        const auto known = edit.texts.find(path);
        if (moved_or_made.count(path) == 0 &&
            (known == edit.texts.end() ||
             known->second->lines().text() != text)) {
          return OtherText(path);
        }
        const LineIndex lines(text);
        ASSIGN_OR_RETURN(std::vector<TextChange> changes,
                         ChangesOf(lines, edit.encoding, change.edits));
        ASSIGN_OR_RETURN(std::string edited,
                         ApplyChanges(text, std::move(changes)));
        RETURN_IF_ERROR(draft.Write(path, std::move(edited)));
        break;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace banyan::lspd
