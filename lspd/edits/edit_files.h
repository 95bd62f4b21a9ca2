// SPDX-License-Identifier: Apache-2.0
//
// The system calls that edits rest on: every file is named by the descriptor of
// its folder, and no link is followed.
#ifndef LSPD_EDITS_EDIT_FILES_H_
#define LSPD_EDITS_EDIT_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/workspace/root_directory.h"
#include "lspd/workspace/unique_fd.h"

namespace banyan::lspd {

// Where edits of a root keep journals and pre-images, and what git is told to
// leave alone there.
constexpr char kEditsFolder[] = ".banyan/edits";

// A file by its folder and name.
struct NamedFile {
  UniqueFd folder;  // May be synced and renamed in.
  std::string name;
};

// The folder of `path` (relative, no links).
//   FILE_NOT_FOUND  the folder is not there
absl::StatusOr<NamedFile> FindFolder(const RootDirectory& root,
                                     absl::string_view path);

// kEditsFolder, made at need; not open when `may_create` is false and it is not
// there.
//   PATH_FORBIDDEN
absl::StatusOr<UniqueFd> OpenEditsFolder(const RootDirectory& root,
                                         bool may_create);

// The bytes of a regular file; nothing when no file is there.
//   CONFLICT  something else than a file stands there
absl::StatusOr<std::optional<std::string>> ReadNamed(int folder,
                                                     const std::string& name);

// Writes a file that is not there yet, synced. With `like` it takes owner,
// mode, ACL and extended attributes of that file.
//   PATH_FORBIDDEN  the disk is full, or the like
//   UNIMPLEMENTED an attribute of `like` cannot be given to another file
absl::Status WriteNew(int folder, const std::string& name,
                      absl::string_view bytes, int like);

// Gives a new file what one made in `folder` would have had: the group that the
// folder hands down, and its default ACL. What cannot be given is left out.
void Inherit(int folder, int in, const std::string& name);

// Writes over what is there, keeping the file itself.
//   PATH_FORBIDDEN
absl::Status WriteOver(int folder, const std::string& name,
                       absl::string_view bytes);

// What decides how a file can be replaced.
struct FileTraits {
  uint64_t mount = 0;
  bool is_regular = false;
  bool is_mount_point = false;
  uint32_t links = 1;
  bool is_write_protected = false;  // By its mode, or for this process.
};
std::optional<FileTraits> TraitsOf(int folder, const std::string& name);

// Whether this process may rename in the folder.
bool MayRenameIn(int folder);

enum class RenameMode { kExchange, kNoReplace };
// 0, or errno.
int Rename(int from_folder, const std::string& from, int to_folder,
           const std::string& to, RenameMode mode);

absl::Status SyncFolder(int folder);

// What is in it, sorted, without `.` and `..`.
std::vector<std::string> FolderNames(int folder);

// PATH_FORBIDDEN with what errno means for the file.
absl::Status NotWritable(absl::string_view path, int error);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_EDIT_FILES_H_
