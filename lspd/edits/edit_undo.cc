// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/edit_undo.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>

#include "absl/strings/string_view.h"
#include "lspd/edits/edit_files.h"
#include "lspd/workspace/open_beneath.h"

namespace banyan::lspd {
namespace {

constexpr char kTaken[] = "taken";  // What a file that we created became.

std::optional<std::string> BytesAt(int folder, const std::string& name) {
  absl::StatusOr<std::optional<std::string>> bytes = ReadNamed(folder, name);
  if (!bytes.ok()) return std::nullopt;
  return *std::move(bytes);
}

// The old text goes back, and what comes out must be the new one: else
// somebody wrote it between our look and our act, and it stays.
bool ExchangeBack(const NamedFile& file, int stage, size_t index,
                  const JournalStep& step) {
  const std::string staged = StagedName(index);
  if (Rename(stage, staged, file.folder.get(), file.name,
             RenameMode::kExchange) != 0) {
    return false;
  }
  const std::optional<std::string> taken = BytesAt(stage, staged);
  if (taken && HashOf(*taken) == step.after) return true;
  Rename(stage, staged, file.folder.get(), file.name, RenameMode::kExchange);
  return false;
}

bool TakeAway(const NamedFile& file, int stage, const JournalStep& step,
              bool is_torn) {
  if (step.kind == StepKind::kCreateInPlace) {
    return ::unlinkat(file.folder.get(), file.name.c_str(), 0) == 0;
  }
  ::unlinkat(stage, kTaken, 0);
  if (Rename(file.folder.get(), file.name, stage, kTaken,
             RenameMode::kNoReplace) != 0) {
    return false;
  }
  const std::optional<std::string> taken = BytesAt(stage, kTaken);
  if (taken && (is_torn || HashOf(*taken) == step.after)) return true;
  Rename(stage, kTaken, file.folder.get(), file.name, RenameMode::kNoReplace);
  return false;
}

bool Restore(const NamedFile& file, int stage, size_t index,
             const JournalStep& step, bool is_torn) {
  switch (step.kind) {
    case StepKind::kExchange:
      return ExchangeBack(file, stage, index, step);
    case StepKind::kWriteInPlace: {
      const auto saved = BytesAt(stage, SavedName(index));
      return saved && WriteOver(file.folder.get(), file.name, *saved).ok();
    }
    case StepKind::kCreate:
    case StepKind::kCreateInPlace:
      return TakeAway(file, stage, step, is_torn);
    case StepKind::kDelete:
      return Rename(stage, SavedName(index), file.folder.get(), file.name,
                    RenameMode::kNoReplace) == 0;
    case StepKind::kDeleteInPlace: {
      const UniqueFd saved(
          ::openat(stage, SavedName(index).c_str(),
                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      const auto bytes = BytesAt(stage, SavedName(index));
      return bytes &&
             WriteNew(file.folder.get(), file.name, *bytes, saved.get()).ok();
    }
  }
  return false;
}

// The text that a step writes, where it is still to be had.
std::string NewText(int stage, size_t index) {
  return BytesAt(stage, StagedName(index)).value_or("");
}

bool UndoStep(const RootDirectory& root, int stage, size_t index,
              const JournalStep& step) {
  const absl::StatusOr<NamedFile> file = FindFolder(root, step.path);
  if (!file.ok()) {
    // Its folder is gone, or was never made.
    return step.before.empty();
  }
  const absl::StatusOr<std::optional<std::string>> bytes =
      ReadNamed(file->folder.get(), file->name);
  if (!bytes.ok()) return false;
  std::optional<std::string> now;
  if (bytes->has_value()) now = HashOf(**bytes);
  const bool is_in_place = step.kind == StepKind::kWriteInPlace ||
                           step.kind == StepKind::kCreateInPlace;
  const bool is_torn =
      is_in_place && bytes->has_value() &&
      IsTornWrite(**bytes, BytesAt(stage, SavedName(index)).value_or(""),
                  NewText(stage, index));
  switch (JudgeUndo(step, now, is_torn)) {
    case UndoAction::kNothing:
      return true;
    case UndoAction::kReport:
      return false;
    case UndoAction::kRestore:
      break;
  }
  const bool is_restored = Restore(*file, stage, index, step, is_torn);
  SyncFolder(file->folder.get()).IgnoreError();
  return is_restored;
}

}  // namespace

std::vector<std::string> UndoSteps(const RootDirectory& root, int stage,
                                   const EditJournal& journal, size_t made) {
  std::vector<std::string> unsettled;
  for (size_t i = made; i > 0; --i) {
    const JournalStep& step = journal.steps[i - 1];
    if (!UndoStep(root, stage, i - 1, step)) unsettled.push_back(step.path);
  }
  for (auto folder = journal.new_folders.rbegin();
       folder != journal.new_folders.rend(); ++folder) {
    // Stays when somebody put something there.
    const absl::StatusOr<NamedFile> found = FindFolder(root, *folder);
    if (!found.ok()) continue;
    ::unlinkat(found->folder.get(), found->name.c_str(), AT_REMOVEDIR);
  }
  return unsettled;
}

void RemoveStage(int edits, const std::string& name) {
  const UniqueFd stage(::openat(
      edits, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!stage.is_open()) return;
  for (const std::string& file : FolderNames(stage.get())) {
    ::unlinkat(stage.get(), file.c_str(), 0);
  }
  ::unlinkat(edits, name.c_str(), AT_REMOVEDIR);
}

}  // namespace banyan::lspd
