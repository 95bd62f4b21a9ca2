// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/vital_children.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "lspd/server/process_tree.h"

namespace banyan::lspd {

bool VitalChildren::AreAlive(pid_t server, absl::string_view mark) {
  for (const pid_t pid : ProcessTree(server)) {
    if (seen_.count(pid) == 0 && absl::StrContains(CommandLineOf(pid), mark)) {
      seen_.insert(pid);
    }
  }
  return std::all_of(seen_.begin(), seen_.end(), IsRunning);
}

}  // namespace banyan::lspd
