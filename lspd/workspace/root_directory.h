// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_ROOT_DIRECTORY_H_
#define LSPD_WORKSPACE_ROOT_DIRECTORY_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/workspace/unique_fd.h"

namespace banyan::lspd {

// Which directory a path meant. Inode numbers come back, birth times do not.
struct RootIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t birth_ns = 0;  // 0 where the file system keeps none.

  // Device numbers are handed out anew at each mount, so they count only where
  // there is no birth time.
  bool IsSameAs(const RootIdentity& other) const;
};

enum class FileKind { kFile, kDirectory, kLink, kOther };

// What tells whether a file is still the one that was looked at.
struct FileState {
  FileKind kind = FileKind::kOther;
  int64_t size = 0;
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;  // Of the inode: nobody can set it back.
  uint64_t inode = 0;

  bool operator==(const FileState&) const = default;
};

struct FileContent {
  std::string bytes;
  std::string hash;  // "sha256:" and hex over the bytes.
  FileState state;
  std::string real_path;  // Relative to the root, links resolved.
};

struct DirectoryEntry {
  std::string name;  // As on disk: perhaps not UTF-8.
  FileKind kind = FileKind::kOther;
  bool is_link = false;
};

// One root, held by descriptor. Everything beneath it is opened by the kernel
// with RESOLVE_BENEATH, so no link swapped between check and use leads out;
// links and mounts that stay inside are followed. `.git` does not exist here,
// under any name that leads to it.
//
// Codes of every call that takes a relative path (any text is safe to pass):
//   PATH_MALFORMED, PATH_OUTSIDE_ROOT, PATH_FORBIDDEN, FILE_NOT_FOUND
//
// Thread-safe.
class RootDirectory {
 public:
  struct Options {
    int64_t max_file_bytes = 10 << 20;
  };

  // Opens `path` and takes its canonical form from the kernel.
  //   PATH_MALFORMED   not absolute
  //   PROJECT_UNKNOWN  no such directory, or it may not be read
  static absl::StatusOr<std::shared_ptr<RootDirectory>> Open(
      const std::string& path, Options options);

  RootDirectory(const RootDirectory&) = delete;
  RootDirectory& operator=(const RootDirectory&) = delete;

  const std::string& path() const { return path_; }
  const RootIdentity& identity() const { return identity_; }
  uid_t owner_uid() const { return owner_uid_; }
  int fd() const { return fd_.get(); }

  // Its path still leads to this very directory. One system call.
  bool IsStillThere() const;

  // Takes flock(LOCK_EX), until Unlock() or for as long as this object lives.
  //   ROOT_BUSY  another holds it; the message names the process where known
  absl::Status Lock() const;
  void Unlock() const;

  //   NOT_A_FILE      a directory, FIFO, socket or device (never waits for one)
  //   FILE_TOO_LARGE  over max_file_bytes
  absl::StatusOr<FileContent> ReadFile(absl::string_view relative_path) const;

  // As ReadFile, without the hash.
  absl::StatusOr<FileContent> ReadBytes(absl::string_view relative_path) const;

  // Sorted by name, without `.git`. A link has the kind of what it leads to,
  // kLink when it leads nowhere or out.
  //   NOT_A_DIRECTORY
  absl::StatusOr<std::vector<DirectoryEntry>> ListDirectory(
      absl::string_view relative_path) const;

  // Links followed.
  absl::StatusOr<FileState> Stat(absl::string_view relative_path) const;

  // The path relative to the root with all links resolved; "" is the root.
  absl::StatusOr<std::string> RealPath(absl::string_view relative_path) const;

  // O_PATH descriptor of anything beneath; its kind is the caller's to check.
  absl::StatusOr<UniqueFd> OpenPath(absl::string_view relative_path) const;

 private:
  RootDirectory(UniqueFd fd, std::string path, Options options);

  absl::StatusOr<FileContent> Read(absl::string_view relative_path,
                                   bool with_hash) const;

  UniqueFd fd_;
  std::string path_;
  Options options_;
  RootIdentity identity_;
  uid_t owner_uid_ = 0;
};

// "sha256:" and hex, as every answer of ours names the state of a file.
std::string HashOf(absl::string_view bytes);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_ROOT_DIRECTORY_H_
