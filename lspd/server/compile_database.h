// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_COMPILE_DATABASE_H_
#define LSPD_SERVER_COMPILE_DATABASE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "lspd/workspace/root_directory.h"

namespace banyan::lspd {

// What became of a project's compile database ("JSON Compilation Database
// Format", clang).
struct CompileDatabase {
  std::string source;      // Where it was found; empty: the project has none.
  int64_t entries = 0;     // That name a file which is there.
  int64_t unresolved = 0;  // That do not.
  std::string seed_file;   // Some file of it, absolute.
  std::string digest;      // Of the copy; empty without one.
  FileState source_state;  // As it was when it was read.
};

// Finds the database of a project (compile_commands.json in the root or a build
// folder, else compile_flags.txt in the root) and writes a copy with absolute
// real paths to `private_dir`, so that clangd finds files however they are
// spelt and keeps its index out of the project. Without one it takes an older
// copy away. One that cannot be read has no entries.
//
// Everything is opened beneath the root (RootDirectory): no link, swapped in
// when it may be, leads out of it, and no FIFO is waited for.
//   kInternal  the private folder cannot be written
absl::StatusOr<CompileDatabase> CopyCompileDatabase(
    const std::string& root, const std::string& private_dir);

// True when CopyCompileDatabase() would write something else now. A source that
// was only written anew, with the same content, is noted in `copy`.
bool IsCompileDatabaseStale(const std::string& root, CompileDatabase* copy);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_COMPILE_DATABASE_H_
