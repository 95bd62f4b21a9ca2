// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SANDBOX_LEFTOVERS_H_
#define LSPD_SANDBOX_LEFTOVERS_H_

#include <sys/types.h>

#include <string>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// The variable in each server's environment that says whose it is: an
// OwnerMark(), and which guardian of that owner started it.
inline constexpr char kOwnerVariable[] = "BANYAN_OWNER";

// "<hash of data_dir>:<pid>:<start time>" of this process. The start time
// tells a living owner from another process that got its number.
std::string OwnerMark(absl::string_view data_dir);

// Kills all processes with just this mark; returns how many. For one's own,
// when the guardian died and could not.
int KillMarked(absl::string_view owner_mark);

// Kills the language servers of earlier daemons on the same `data_dir` that
// are dead: for a start after guardian and daemon were both killed. Returns
// how many. Processes of other data folders, of living owners and of other
// users are left alone.
int ReapLeftovers(absl::string_view data_dir);

}  // namespace banyan::lspd

#endif  // LSPD_SANDBOX_LEFTOVERS_H_
