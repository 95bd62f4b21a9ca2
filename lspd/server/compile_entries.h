// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_COMPILE_ENTRIES_H_
#define LSPD_SERVER_COMPILE_ENTRIES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// The members of a "command object" ("JSON Compilation Database Format",
// clang) that mean something to clangd.
struct CompileEntry {
  std::string directory;
  std::string file;
  std::string command;
  std::vector<std::string> arguments;
  std::string output;
};

// Hands the entries of a compile database to `take`, one after the other;
// entries that are no object are passed by. What else stands in an entry, and
// however deep, is never built: the text is the project's. False when the text
// is no JSON array, perhaps after some entries.
bool ReadCompileEntries(absl::string_view text,
                        const std::function<void(CompileEntry)>& take);

// One line of JSON; an empty member is left out.
std::string ToJsonText(const CompileEntry& entry);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_COMPILE_ENTRIES_H_
