// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_EDIT_TRANSACTION_H_
#define LSPD_EDITS_EDIT_TRANSACTION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/edits/draft.h"
#include "lspd/workspace/root_directory.h"

namespace banyan::lspd {

struct CommitOptions {
  // Looked at when everything is prepared, right before the first file changes.
  std::function<absl::Status()> may_commit = [] { return absl::OkStatus(); };
  // Before each step that touches the disk; a test ends the process there.
  std::function<void(absl::string_view step)> on_step = [](absl::string_view) {
  };
};

// Writes all changes or none. New texts, pre-images and a journal are on disk
// before the first file changes; each file that is displaced is held against
// what the change was made for; everything is synced before this returns. What
// it displaced is kept until DropOldEdits().
//
// Returns the id of the transaction.
//   CONFLICT      a file is not what `before` says; the message shows the
//                 difference; every file is as it was
//   PATH_FORBIDDEN  write-protected, full disk, read-only; every file is as it was
//   OUTCOME_UNKNOWN  undoing failed in part; the message names the files
//
// REQUIRES: this process holds the root's lock, and nothing else of it commits
// on the root meanwhile.
absl::StatusOr<std::string> CommitChanges(
    const RootDirectory& root, const std::vector<DraftChange>& changes,
    const CommitOptions& options = {});

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_EDIT_TRANSACTION_H_
