// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/closed_path.h"

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace banyan::lspd {

bool IsClosedPath(absl::string_view path) {
  absl::string_view above;
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (absl::EqualsIgnoreCase(part, ".git")) return true;
    if (absl::EqualsIgnoreCase(part, "edits") &&
        absl::EqualsIgnoreCase(above, ".banyan")) {
      return true;
    }
    above = part;
  }
  return false;
}

}  // namespace banyan::lspd
