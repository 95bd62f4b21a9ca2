// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/server_sync.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/protocol/text_position.h"
#include "lspd/server/quirks.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMostOpened = 50;

DiskChange::Kind KindOf(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kCreated:
      return DiskChange::Kind::kCreated;
    case ChangeKind::kDeleted:
      return DiskChange::Kind::kDeleted;
    case ChangeKind::kChanged:
      break;
  }
  return DiskChange::Kind::kChanged;
}

bool IsOfLanguage(const ServerCatalog& catalog, absl::string_view path,
                  const std::string& language) {
  const std::optional<FileLanguage> of_path = catalog.LanguageOf(path);
  return of_path && of_path->language == language;
}

// Notices were lost: whatever the server may have read can be another by now.
absl::StatusOr<std::vector<FileChange>> EverythingOf(
    const Workspace& workspace, const ServerCatalog& catalog,
    const std::string& language, const rpc::CallContext& call) {
  ASSIGN_OR_RETURN(const Listing all, workspace.files().AllFiles("", call));
  std::vector<FileChange> changes;
  for (const std::string& path : all.files) {
    if (IsOfLanguage(catalog, path, language)) {
      changes.push_back({.relative_path = path, .kind = ChangeKind::kChanged});
    }
  }
  return changes;
}

// A file that went away meanwhile needs no opening.
absl::Status Reopen(LanguageServer& server, const Workspace& workspace,
                    const std::string& relative_path,
                    const rpc::CallContext& call) {
  absl::StatusOr<FileContent> content =
      workspace.root().ReadFile(relative_path);
  if (!content.ok()) return absl::OkStatus();
  const SourceFile file(relative_path, *std::move(content));
  ASSIGN_OR_RETURN(const DocumentPin pin, OpenIn(server, workspace, file));
  if (!HasQuirk(server.entry(), kQuirkReopensChangedFiles)) {
    return absl::OkStatus();
  }
  // Its index knows the new text once a question about it has been answered.
  const nlohmann::json params = {{"textDocument", {{"uri", pin.uri()}}}};
  const absl::Status answered =
      server.Request("textDocument/documentSymbol", params, call).status();
  return server.is_alive() ? absl::OkStatus() : answered;
}

}  // namespace

std::string AbsolutePathOf(const Workspace& workspace, const SourceFile& file) {
  return absl::StrCat(workspace.root().path(), "/", file.real_path());
}

absl::StatusOr<DocumentPin> OpenIn(LanguageServer& server,
                                   const Workspace& workspace,
                                   const SourceFile& file) {
  const absl::string_view bytes = file.lines().text();
  const std::string path = AbsolutePathOf(workspace, file);
  if (IsValidUtf8(bytes)) {
    return server.documents().Sync(path, bytes, file.hash());
  }
  return server.documents().Sync(path, Utf8Text(bytes), file.hash());
}

absl::Status TellChanges(const Workspace& workspace,
                         const ServerCatalog& catalog, RootState& state,
                         const std::string& language, const ServerLease& lease,
                         const rpc::CallContext& call) {
  const std::shared_ptr<RootState::SyncPoint> point =
      state.SyncPointOf(language);
  const std::lock_guard<std::mutex> lock(point->mutex);
  if (point->generation != lease.generation()) {
    point->generation = lease.generation();
    // It may have read any file since the root was first looked at.
    point->count = ChangeCounter::kBeginning;
  }
  FileChanges since = workspace.changes().ChangesSince(point->count);
  if (since.is_everything_unknown) {
    ASSIGN_OR_RETURN(since.changes,
                     EverythingOf(workspace, catalog, language, call));
  }
  if (since.changes.empty()) {
    point->count = since.count;
    return absl::OkStatus();
  }

  const std::string root = absl::StrCat(workspace.root().path(), "/");
  std::vector<DiskChange> told;
  std::set<std::string> to_open;
  for (const FileChange& change : since.changes) {
    told.push_back({.path = absl::StrCat(root, change.relative_path),
                    .kind = KindOf(change.kind)});
    if (change.kind != ChangeKind::kDeleted && to_open.size() < kMostOpened &&
        !since.is_everything_unknown &&
        IsOfLanguage(catalog, change.relative_path, language)) {
      to_open.insert(change.relative_path);
    }
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> outdated,
                   lease->documents().FilesChanged(told));
  for (absl::string_view path : outdated) {
    if (absl::ConsumePrefix(&path, root)) to_open.emplace(path);
  }
  for (const std::string& path : to_open) {
    RETURN_IF_ERROR(Reopen(*lease, workspace, path, call));
  }
  point->count = since.count;
  return absl::OkStatus();
}

}  // namespace banyan::lspd
