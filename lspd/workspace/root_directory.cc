// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/root_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lspd/workspace/closed_path.h"
#include "lspd/workspace/open_beneath.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// A file that changes while it is read is read again.
constexpr int kMostReads = 3;

int64_t Nanoseconds(const statx_timestamp& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

FileKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  return S_ISLNK(mode) ? FileKind::kLink : FileKind::kOther;
}

FileState StateOf(const struct stat& info) {
  return {
      .kind = KindOf(info.st_mode),
      .size = info.st_size,
      .modified_ns = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec,
      .changed_ns = info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec,
      .inode = info.st_ino};
}

std::optional<RootIdentity> IdentityOf(int fd, const char* path) {
  struct statx info;
  const int flags = fd >= 0 ? AT_EMPTY_PATH : 0;
  if (::statx(fd >= 0 ? fd : AT_FDCWD, path, flags, STATX_INO | STATX_BTIME,
              &info) != 0) {
    return std::nullopt;
  }
  return RootIdentity{.device = makedev(info.stx_dev_major, info.stx_dev_minor),
                      .inode = info.stx_ino,
                      .birth_ns = (info.stx_mask & STATX_BTIME) != 0
                                      ? Nanoseconds(info.stx_btime)
                                      : 0};
}

absl::Status NotFound(absl::string_view path) {
  return rpc::Error(rpc::v1::ERROR_REASON_FILE_NOT_FOUND,
                    absl::StrCat("no such file: ", path,
                                 "; find_file or list_dir say what "
                                 "there is"));
}

absl::Status Outside(absl::string_view path) {
  return rpc::Error(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT,
                    absl::StrCat(path,
                                 " leads out of the workspace; only "
                                 "files beneath its root can be used"));
}

absl::Status Forbidden(absl::string_view path, absl::string_view why) {
  return rpc::Error(rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
                    absl::StrCat(path, " ", why));
}

absl::Status OpenError(int error, absl::string_view path) {
  switch (error) {
    case EXDEV:
      return Outside(path);
    case ENOENT:
    case ENOTDIR:
      return NotFound(path);
    case ELOOP:
      return rpc::Error(
          rpc::v1::ERROR_REASON_FILE_NOT_FOUND,
          absl::StrCat(path,
                       " leads through links that never end, or through "
                       "a link of /proc"));
    case EACCES:
    case EPERM:
      return Forbidden(path, "may not be read by this server");
    case ENAMETOOLONG:
      return rpc::Error(rpc::v1::ERROR_REASON_PATH_MALFORMED,
                        "the path is too long");
    case ENOSYS:
      return rpc::Error(rpc::v1::ERROR_REASON_INTERNAL,
                        "this kernel has no openat2, so no file can be opened "
                        "safely; Linux 5.6 or later is needed");
    default:
      return rpc::Error(
          rpc::v1::ERROR_REASON_UNSUPPORTED,
          absl::StrCat(path, " cannot be read now (", std::strerror(error),
                       "); try again, or go on without it"));
  }
}

// The whole of a regular file. `limit` + 1 bytes when there is more.
absl::StatusOr<std::string> ReadAll(int fd, int64_t size, int64_t limit,
                                    absl::string_view path) {
  std::string bytes;
  bytes.resize(static_cast<size_t>(std::min(size, limit) + 1));
  size_t filled = 0;
  while (true) {
    const ssize_t got =
        ::pread(fd, bytes.data() + filled, bytes.size() - filled,
                static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return OpenError(errno, path);
    filled += static_cast<size_t>(got);
    if (got == 0 || filled > static_cast<size_t>(limit)) break;
    if (filled == bytes.size()) {
      bytes.resize(std::min(bytes.size() * 2, static_cast<size_t>(limit) + 1));
    }
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace

bool RootIdentity::IsSameAs(const RootIdentity& other) const {
  return inode == other.inode && birth_ns == other.birth_ns &&
         (birth_ns != 0 || device == other.device);
}

std::string HashOf(absl::string_view bytes) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return absl::StrCat("sha256:", absl::BytesToHexString(digest));
}

RootDirectory::RootDirectory(UniqueFd fd, std::string path, Options options)
    : fd_(std::move(fd)), path_(std::move(path)), options_(options) {}

absl::StatusOr<std::shared_ptr<RootDirectory>> RootDirectory::Open(
    const std::string& path, Options options) {
  if (!absl::StartsWith(path, "/") || absl::StrContains(path, '\0')) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATH_MALFORMED,
                      "the root of a project is an absolute path");
  }
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC |
                                       O_NONBLOCK | O_NOCTTY));
  const std::optional<RootIdentity> identity =
      fd.is_open() ? IdentityOf(fd.get(), "") : std::nullopt;
  struct stat info;
  if (!identity.has_value() || ::fstat(fd.get(), &info) != 0) {
    return rpc::Error(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN,
                      "the folder of this project is not there, or this server "
                      "may not read it; list_projects says what there is");
  }
  ASSIGN_OR_RETURN(std::string canonical, RealPathOf(fd.get()));
  std::shared_ptr<RootDirectory> root(
      new RootDirectory(std::move(fd), std::move(canonical), options));
  root->identity_ = *identity;
  root->owner_uid_ = info.st_uid;
  return root;
}

bool RootDirectory::IsStillThere() const {
  const std::optional<RootIdentity> now = IdentityOf(-1, path_.c_str());
  return now.has_value() && now->IsSameAs(identity_);
}

void RootDirectory::Unlock() const { ::flock(fd_.get(), LOCK_UN); }

absl::Status RootDirectory::Lock() const {
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
  if (errno != EWOULDBLOCK) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_INTERNAL,
        absl::StrCat("the root cannot be locked: ", std::strerror(errno)));
  }
  const std::string holder = LockHolder(identity_.inode);
  return rpc::Error(
      rpc::v1::ERROR_REASON_ROOT_BUSY,
      absl::StrCat("another process", holder.empty() ? "" : ", ", holder,
                   holder.empty() ? "" : ",",
                   " works on this root; end it, or use the server that it "
                   "belongs to, then try again"));
}

absl::StatusOr<UniqueFd> RootDirectory::OpenPath(
    absl::string_view relative_path) const {
  ASSIGN_OR_RETURN(const std::string clean, CleanRelativePath(relative_path));
  UniqueFd fd = OpenBeneath(fd_.get(), clean, O_PATH);
  if (!fd.is_open()) return OpenError(errno, clean);

  // A link may have led where the text did not. The root itself may lie in a
  // folder of any name, so only what comes after it is looked at.
  ASSIGN_OR_RETURN(const std::string real, RealPathOf(fd.get()));
  const bool is_beneath = IsBeneath(real, path_);
  if (IsClosedPath(is_beneath ? absl::StripPrefix(real, path_)
                              : absl::string_view(real))) {
    return Forbidden(clean,
                     "leads into `.git` or `.banyan/edits`, which are closed "
                     "to the tools");
  }
  return fd;
}

absl::StatusOr<std::string> RootDirectory::RealPath(
    absl::string_view relative_path) const {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenPath(relative_path));
  ASSIGN_OR_RETURN(const std::string real, RealPathOf(fd.get()));
  // It was beneath when it was opened; it may have been moved out since.
  if (!IsBeneath(real, path_)) return NotFound(relative_path);
  return std::string(absl::StripPrefix(absl::StripPrefix(real, path_), "/"));
}

absl::StatusOr<FileState> RootDirectory::Stat(
    absl::string_view relative_path) const {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenPath(relative_path));
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) return OpenError(errno, relative_path);
  return StateOf(info);
}

absl::StatusOr<FileContent> RootDirectory::ReadFile(
    absl::string_view relative_path) const {
  return Read(relative_path, true);
}

absl::StatusOr<FileContent> RootDirectory::ReadBytes(
    absl::string_view relative_path) const {
  return Read(relative_path, false);
}

absl::StatusOr<FileContent> RootDirectory::Read(absl::string_view relative_path,
                                                bool with_hash) const {
  ASSIGN_OR_RETURN(const UniqueFd path_fd, OpenPath(relative_path));
  struct stat info;
  if (::fstat(path_fd.get(), &info) != 0) {
    return OpenError(errno, relative_path);
  }
  // Looked at before it is opened: opening a FIFO waits, a device acts.
  if (!S_ISREG(info.st_mode)) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_NOT_A_FILE,
        absl::StrCat(
            relative_path.empty() ? "." : relative_path,
            S_ISDIR(info.st_mode)
                ? " is a folder; list_dir shows what is in it"
                : " is no regular file, but a pipe, socket or device"));
  }
  const UniqueFd fd(::open(ProcPathOf(path_fd.get()).c_str(),
                           O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) return OpenError(errno, relative_path);
  if (IsOnKernelFileSystem(fd.get())) {
    return Forbidden(relative_path, "belongs to the kernel, not to a project");
  }

  FileContent content;
  for (int reads = 0; reads < kMostReads; ++reads) {
    if (::fstat(fd.get(), &info) != 0) return OpenError(errno, relative_path);
    ASSIGN_OR_RETURN(content.bytes,
                     ReadAll(fd.get(), info.st_size, options_.max_file_bytes,
                             relative_path));
    content.state = StateOf(info);
    if (::fstat(fd.get(), &info) != 0) return OpenError(errno, relative_path);
    if (StateOf(info) == content.state) break;
  }
  if (content.bytes.size() > static_cast<size_t>(options_.max_file_bytes)) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_FILE_TOO_LARGE,
        absl::StrCat(relative_path, " is larger than ",
                     options_.max_file_bytes >> 20,
                     " MiB, the most that is read; search_for_pattern finds "
                     "text in smaller files"));
  }
  ASSIGN_OR_RETURN(const std::string real, RealPathOf(fd.get()));
  content.real_path = std::string(absl::StripPrefix(
      IsBeneath(real, path_) ? absl::StripPrefix(real, path_)
                             : absl::string_view(relative_path),
      "/"));
  if (with_hash) content.hash = HashOf(content.bytes);
  return content;
}

absl::StatusOr<std::vector<DirectoryEntry>> RootDirectory::ListDirectory(
    absl::string_view relative_path) const {
  ASSIGN_OR_RETURN(const UniqueFd path_fd, OpenPath(relative_path));
  const int fd = ::open(ProcPathOf(path_fd.get()).c_str(),
                        O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    if (errno != ENOTDIR) return OpenError(errno, relative_path);
    return rpc::Error(rpc::v1::ERROR_REASON_NOT_A_DIRECTORY,
                      absl::StrCat(relative_path, " is no folder"));
  }
  if (IsOnKernelFileSystem(fd)) {
    ::close(fd);
    return Forbidden(relative_path, "belongs to the kernel, not to a project");
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(fd), ::closedir);

  std::vector<DirectoryEntry> entries;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const absl::string_view name = entry->d_name;
    if (name == "." || name == ".." ||
        IsClosedPath(absl::StrCat(relative_path, "/", name))) {
      continue;
    }
    struct stat info;
    if (entry->d_type == DT_REG || entry->d_type == DT_DIR) {
      info.st_mode = DTTOIF(entry->d_type);
    } else if (::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;  // Gone since.
    }
    FileKind kind = KindOf(info.st_mode);
    const bool is_link = kind == FileKind::kLink;
    if (is_link) {
      const absl::StatusOr<FileState> target =
          Stat(relative_path.empty() ? std::string(name)
                                     : absl::StrCat(relative_path, "/", name));
      if (target.ok()) kind = target->kind;
      if (!target.ok() && rpc::ReasonOf(target.status()) ==
                              rpc::v1::ERROR_REASON_PATH_FORBIDDEN) {
        continue;  // Another name of `.git`.
      }
    }
    entries.push_back({std::string(name), kind, is_link});
  }
  std::sort(entries.begin(), entries.end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) {
              return a.name < b.name;
            });
  return entries;
}

}  // namespace banyan::lspd
