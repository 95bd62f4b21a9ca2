// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_RIPGREP_OUTPUT_H_
#define LSPD_WORKSPACE_RIPGREP_OUTPUT_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// A place where ripgrep claims to have seen a match.
struct RipgrepMatch {
  size_t offset =
      0;  // Of the first byte of `lines`, a byte order mark not counted.
  std::string lines;  // The whole lines, as they stood in what it read.
  std::vector<std::pair<size_t, size_t>>
      spans;  // Of each match inside `lines`: begin, end.
};

struct RipgrepReport {
  std::map<std::string, std::vector<RipgrepMatch>>
      files;  // By path, without "./".
  bool has_summary =
      false;  // It came to its end; without one it refused the pattern.
};

// Reads the output of `rg --json`. Lines that are not understood are passed by,
// as a last line that is cut is.
RipgrepReport ParseRipgrep(absl::string_view output);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_RIPGREP_OUTPUT_H_
