// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/edit_recovery.h"

#include <fcntl.h>

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lspd/edits/edit_files.h"
#include "lspd/edits/edit_journal.h"
#include "lspd/edits/edit_undo.h"

namespace banyan::lspd {
namespace {

// How long what was undone in part waits for people.
constexpr absl::Duration kUnsettledKept = absl::Hours(7 * 24);

std::vector<std::string> Stages(const RootDirectory& root) {
  std::vector<std::string> names;
  const absl::StatusOr<UniqueFd> edits = OpenEditsFolder(root, false);
  if (!edits.ok() || !edits->is_open()) return names;
  for (std::string& name : FolderNames(edits->get())) {
    if (name[0] != '.') names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Recovery RecoverEdits(const RootDirectory& root) {
  Recovery recovery;
  const std::vector<std::string> stages = Stages(root);
  if (stages.empty()) return recovery;
  const absl::StatusOr<UniqueFd> edits = OpenEditsFolder(root, false);
  for (const std::string& name : stages) {
    const UniqueFd stage(
        ::openat(edits->get(), name.c_str(),
                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!stage.is_open() || TraitsOf(stage.get(), kDone) ||
        TraitsOf(stage.get(), kUnsettled)) {
      continue;
    }
    const auto text = ReadNamed(stage.get(), kJournal);
    if (!text.ok() || !text->has_value()) {
      RemoveStage(edits->get(), name);  // Nothing was changed yet.
      continue;
    }
    const absl::StatusOr<EditJournal> journal = JournalFromText(**text);
    if (!journal.ok()) {
      recovery.unsettled.push_back(absl::StrCat(kEditsFolder, "/", name));
      continue;
    }
    const std::vector<std::string> unsettled =
        UndoSteps(root, stage.get(), *journal, journal->steps.size());
    ++recovery.undone;
    if (unsettled.empty()) {
      RemoveStage(edits->get(), name);
      continue;
    }
    // Kept for people, and not tried again.
    Rename(stage.get(), kJournal, stage.get(), kUnsettled,
           RenameMode::kNoReplace);
    recovery.unsettled.insert(recovery.unsettled.end(), unsettled.begin(),
                              unsettled.end());
  }
  SyncFolder(edits->get()).IgnoreError();
  return recovery;
}

void DropOldEdits(const RootDirectory& root, absl::Time now,
                  absl::Duration kept) {
  const absl::StatusOr<UniqueFd> edits = OpenEditsFolder(root, false);
  if (!edits.ok() || !edits->is_open()) return;
  for (const std::string& name : Stages(root)) {
    int64_t made = 0;
    const size_t dash = name.find('-');
    if (dash == std::string::npos ||
        !absl::SimpleAtoi(name.substr(0, dash), &made) ||
        absl::FromUnixMillis(made) + kept > now) {
      continue;
    }
    const UniqueFd stage(
        ::openat(edits->get(), name.c_str(),
                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const bool is_done = stage.is_open() && TraitsOf(stage.get(), kDone);
    const bool is_forgotten =
        absl::FromUnixMillis(made) + kUnsettledKept <= now;
    if (is_done || is_forgotten) RemoveStage(edits->get(), name);
  }
}

}  // namespace banyan::lspd
