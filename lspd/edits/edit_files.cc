// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/edit_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lspd/workspace/open_beneath.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// Nothing that we read to be edited is larger (RootDirectory::Options), and a
// file that grew past it is not what was read.
constexpr size_t kMostBytes = size_t{64} << 20;

absl::StatusOr<std::string> ReadAll(int fd, absl::string_view name) {
  std::string bytes;
  std::vector<char> block(1 << 16);
  while (bytes.size() <= kMostBytes) {
    const ssize_t got = ::pread(fd, block.data(), block.size(),
                                static_cast<off_t>(bytes.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return NotWritable(name, errno);
    if (got == 0) break;
    bytes.append(block.data(), static_cast<size_t>(got));
  }
  return bytes;
}

absl::Status WriteAll(int fd, absl::string_view bytes, absl::string_view name) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::pwrite(fd, bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return NotWritable(name, errno);
    done += static_cast<size_t>(put);
  }
  return absl::OkStatus();
}

absl::Status CannotCopy(absl::string_view what) {
  return absl::UnimplementedError(what);
}

// ACLs are extended attributes too (system.posix_acl_access).
absl::Status CopyExtendedAttributes(int from, int to) {
  std::string names(1 << 16, '\0');
  const ssize_t length = ::flistxattr(from, names.data(), names.size());
  if (length < 0) {
    return errno == ENOTSUP ? absl::OkStatus() : CannotCopy("attributes");
  }
  names.resize(static_cast<size_t>(length));
  std::string value(1 << 16, '\0');
  for (const absl::string_view each :
       absl::StrSplit(names, '\0', absl::SkipEmpty())) {
    const std::string name(each);
    const ssize_t size =
        ::fgetxattr(from, name.c_str(), value.data(), value.size());
    if (size < 0) return CannotCopy(name);
    if (::fsetxattr(to, name.c_str(), value.data(), static_cast<size_t>(size),
                    0) != 0) {
      return CannotCopy(name);
    }
  }
  return absl::OkStatus();
}

absl::Status CopyAttributes(int from, int to) {
  struct stat like;
  struct stat own;
  if (::fstat(from, &like) != 0 || ::fstat(to, &own) != 0) {
    return CannotCopy("state");
  }
  if ((like.st_uid != own.st_uid || like.st_gid != own.st_gid) &&
      ::fchown(to, like.st_uid, like.st_gid) != 0) {
    return CannotCopy("owner");
  }
  if (::fchmod(to, like.st_mode & 07777) != 0) return CannotCopy("mode");
  return CopyExtendedAttributes(from, to);
}

// Makes the folder unless it is there; as the kernel's error.
int MakeFolder(int parent, const char* name, mode_t mode) {
  if (::mkdirat(parent, name, mode) == 0) return 0;
  return errno == EEXIST ? 0 : errno;
}

}  // namespace

absl::Status NotWritable(absl::string_view path, int error) {
  absl::string_view why;
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      why = "the disk is full; make room";
      break;
    case EROFS:
      why = "the file system is read-only";
      break;
    case EACCES:
    case EPERM:
      why = "this server may not write there; change owner or mode";
      break;
    default:
      why = std::strerror(error);
  }
  return rpc::Error(rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
                    absl::StrCat(path, " cannot be written: ", why,
                                 ". Nothing was changed."));
}

absl::StatusOr<NamedFile> FindFolder(const RootDirectory& root,
                                     absl::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string folder(
      slash == absl::string_view::npos ? "" : path.substr(0, slash));
  NamedFile file;
  file.folder = OpenUnlinked(root.fd(), folder, O_RDONLY | O_DIRECTORY);
  file.name = std::string(
      slash == absl::string_view::npos ? path : path.substr(slash + 1));
  if (file.folder.is_open()) return file;
  if (errno == EACCES || errno == EPERM) return NotWritable(path, errno);
  return rpc::Error(rpc::v1::ERROR_REASON_FILE_NOT_FOUND,
                    absl::StrCat("the folder of ", path, " is not there"));
}

absl::StatusOr<UniqueFd> OpenEditsFolder(const RootDirectory& root,
                                         bool may_create) {
  constexpr uint64_t kFolder = O_RDONLY | O_DIRECTORY;
  UniqueFd edits = OpenUnlinked(root.fd(), kEditsFolder, kFolder);
  if (edits.is_open() || !may_create) return edits;
  int error = MakeFolder(root.fd(), ".banyan", 0777);
  if (error == 0) error = MakeFolder(root.fd(), kEditsFolder, 0700);
  if (error != 0) return NotWritable(kEditsFolder, error);
  edits = OpenUnlinked(root.fd(), kEditsFolder, kFolder);
  if (!edits.is_open()) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
                      "`.banyan/edits` must be a folder of the project's own, "
                      "not a link: edits keep what they undo there");
  }
  // git and searches pass by; the tools do so anyway.
  const absl::Status ignored = WriteNew(edits.get(), ".gitignore", "*\n", -1);
  if (!ignored.ok() && !TraitsOf(edits.get(), ".gitignore")) return ignored;
  const UniqueFd parent = OpenUnlinked(root.fd(), ".banyan", kFolder);
  RETURN_IF_ERROR(SyncFolder(parent.get()));
  RETURN_IF_ERROR(SyncFolder(root.fd()));
  return edits;
}

absl::StatusOr<std::optional<std::string>> ReadNamed(int folder,
                                                     const std::string& name) {
  const UniqueFd fd(
      ::openat(folder, name.c_str(),
               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.is_open() && errno == ENOENT) return std::optional<std::string>();
  struct stat info;
  if (!fd.is_open() || ::fstat(fd.get(), &info) != 0 ||
      !S_ISREG(info.st_mode)) {
    return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT,
                      absl::StrCat(name,
                                   " is no regular file any more; "
                                   "read it again"));
  }
  ASSIGN_OR_RETURN(std::string bytes, ReadAll(fd.get(), name));
  return std::optional<std::string>(std::move(bytes));
}

absl::Status WriteNew(int folder, const std::string& name,
                      absl::string_view bytes, int like) {
  const UniqueFd fd(
      ::openat(folder, name.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
               like >= 0 ? 0600 : 0666));
  if (!fd.is_open()) return NotWritable(name, errno);
  RETURN_IF_ERROR(WriteAll(fd.get(), bytes, name));
  if (like >= 0) RETURN_IF_ERROR(CopyAttributes(like, fd.get()));
  if (::fsync(fd.get()) != 0) return NotWritable(name, errno);
  return absl::OkStatus();
}

void Inherit(int folder, int in, const std::string& name) {
  const UniqueFd fd(::openat(in, name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat parent;
  struct stat own;
  if (!fd.is_open() || ::fstat(folder, &parent) != 0 ||
      ::fstat(fd.get(), &own) != 0) {
    return;
  }
  const gid_t group =
      (parent.st_mode & S_ISGID) != 0 ? parent.st_gid : ::getegid();
  // Who is not of the group cannot give it away, there or here.
  if (own.st_gid != group &&
      ::fchown(fd.get(), static_cast<uid_t>(-1), group) != 0) {
    return;
  }
  std::string acl(1 << 12, '\0');
  const ssize_t size =
      ::fgetxattr(folder, "system.posix_acl_default", acl.data(), acl.size());
  if (size > 0 &&
      ::fsetxattr(fd.get(), "system.posix_acl_access", acl.data(),
                  static_cast<size_t>(size), 0) == 0 &&
      ::fstat(fd.get(), &own) == 0) {
    // As open(2) does with a default ACL: it counts as far as the mode goes.
    ::fchmod(fd.get(), own.st_mode & 0666);
  }
}

absl::Status WriteOver(int folder, const std::string& name,
                       absl::string_view bytes) {
  const UniqueFd fd(::openat(folder, name.c_str(),
                             O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.is_open()) return NotWritable(name, errno);
  RETURN_IF_ERROR(WriteAll(fd.get(), bytes, name));
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes.size())) != 0 ||
      ::fsync(fd.get()) != 0) {
    return NotWritable(name, errno);
  }
  return absl::OkStatus();
}

std::optional<FileTraits> TraitsOf(int folder, const std::string& name) {
  struct statx info;
  if (::statx(folder, name.c_str(), AT_SYMLINK_NOFOLLOW,
              STATX_BASIC_STATS | STATX_MNT_ID, &info) != 0) {
    return std::nullopt;
  }
  const bool may_write =
      ::faccessat(folder, name.c_str(), W_OK, AT_EACCESS) == 0;
  return FileTraits{
      .mount = info.stx_mnt_id,
      .is_regular = S_ISREG(info.stx_mode),
      .is_mount_point = (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
      .links = info.stx_nlink,
      // The superuser may write anything; the mode still says "hands off".
      .is_write_protected = !may_write || (info.stx_mode & 0222) == 0};
}

bool MayRenameIn(int folder) {
  return ::faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

int Rename(int from_folder, const std::string& from, int to_folder,
           const std::string& to, RenameMode mode) {
  const unsigned flags =
      mode == RenameMode::kExchange ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  return ::renameat2(from_folder, from.c_str(), to_folder, to.c_str(), flags) ==
                 0
             ? 0
             : errno;
}

std::vector<std::string> FolderNames(int folder) {
  std::vector<std::string> names;
  const int fd = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::fdopendir(fd), ::closedir);
  if (open == nullptr) return names;
  while (const dirent* const entry = ::readdir(open.get())) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status SyncFolder(int folder) {
  if (folder >= 0 && ::fsync(folder) == 0) return absl::OkStatus();
  return NotWritable("the folder", errno);
}

}  // namespace banyan::lspd
