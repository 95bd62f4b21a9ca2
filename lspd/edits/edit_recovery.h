// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_EDIT_RECOVERY_H_
#define LSPD_EDITS_EDIT_RECOVERY_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lspd/workspace/root_directory.h"

// What transactions left in kEditsFolder: those that a crash cut off, and what
// finished ones displaced.
namespace banyan::lspd {

struct Recovery {
  int undone = 0;                      // Transactions that were not finished.
  std::vector<std::string> unsettled;  // Files that were neither old nor new.
};

// After a crash: undoes what was not finished, so that all files of a
// transaction are as they were. A file that somebody changed since is left
// alone and reported; its pre-image stays in kEditsFolder.
//
// REQUIRES: this process holds the root's lock.
Recovery RecoverEdits(const RootDirectory& root);

// Removes what finished transactions displaced before `now` - `kept`.
void DropOldEdits(const RootDirectory& root, absl::Time now,
                  absl::Duration kept = absl::Minutes(10));

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_EDIT_RECOVERY_H_
