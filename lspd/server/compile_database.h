// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_COMPILE_DATABASE_H_
#define LSPD_SERVER_COMPILE_DATABASE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace banyan::lspd {

// What became of a project's compile database ("JSON Compilation Database
// Format", clang).
struct CompileDatabase {
  std::string source;        // Where it was found; empty: the project has none.
  int64_t entries = 0;       // That name a file which is there.
  int64_t unresolved = 0;    // That do not.
  std::string seed_file;     // Some file of it, absolute.
  int64_t source_stamp = 0;  // Changes when the source does.
};

// Finds the database of a project (compile_commands.json in the root or a build
// folder, else compile_flags.txt in the root) and writes a copy with absolute
// real paths to `private_dir`, so that clangd finds files however they are
// spelt and keeps its index out of the project. Without one it takes an older
// copy away.
//
// A link that leads out of the root is not followed to a database.
//   kInternal  the private folder cannot be written
absl::StatusOr<CompileDatabase> CopyCompileDatabase(
    const std::string& root, const std::string& private_dir);

// True when CopyCompileDatabase() would write something else now.
bool IsCompileDatabaseStale(const std::string& root,
                            const CompileDatabase& copy);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_COMPILE_DATABASE_H_
