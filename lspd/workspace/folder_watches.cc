// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/folder_watches.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lspd/workspace/open_beneath.h"

namespace banyan::lspd {
namespace {

constexpr uint32_t kEvents =
    IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO;

// Not in linux/magic.h.
constexpr uint64_t kCifsMagic = 0xff534d42;
constexpr uint64_t kLustreMagic = 0x0bd00bd0;
constexpr uint64_t kGpfsMagic = 0x47504653;
constexpr uint64_t kVmwareMagic = 0xbacbacbc;

bool GivesNotices(int fd) {
  struct statfs info;
  if (::fstatfs(fd, &info) != 0) return false;
  switch (static_cast<uint64_t>(info.f_type) & 0xffffffff) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case kCifsMagic:
    case FUSE_SUPER_MAGIC:
    case V9FS_MAGIC:
    case CEPH_SUPER_MAGIC:
    case AFS_SUPER_MAGIC:
    case AFS_FS_MAGIC:
    case CODA_SUPER_MAGIC:
    case OCFS2_SUPER_MAGIC:
    case kLustreMagic:
    case kGpfsMagic:
    case kVmwareMagic:
      return false;
    default:
      return true;
  }
}

std::optional<FolderNotice::Kind> KindOf(uint32_t mask) {
  using Kind = FolderNotice::Kind;
  if ((mask & IN_Q_OVERFLOW) != 0) return Kind::kLost;
  if ((mask & IN_ISDIR) != 0) {
    if ((mask & (IN_CREATE | IN_MOVED_TO)) != 0) return Kind::kFolderCreated;
    if ((mask & IN_MOVED_FROM) != 0) return Kind::kFolderMoved;
    return std::nullopt;  // A folder is deleted after all that was in it.
  }
  if ((mask & (IN_CREATE | IN_MOVED_TO)) != 0) return Kind::kCreated;
  if ((mask & (IN_DELETE | IN_MOVED_FROM)) != 0) return Kind::kDeleted;
  if ((mask & IN_MODIFY) != 0) return Kind::kChanged;
  return std::nullopt;
}

}  // namespace

FolderWatches::FolderWatches(const RootDirectory& root, UniqueFd fd)
    : root_(root), fd_(std::move(fd)) {}

std::unique_ptr<FolderWatches> FolderWatches::Create(
    const RootDirectory& root) {
  UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd.is_open()) return nullptr;
  return std::unique_ptr<FolderWatches>(new FolderWatches(root, std::move(fd)));
}

FolderWatches::Added FolderWatches::Add(const std::string& relative_folder) {
  const absl::StatusOr<UniqueFd> folder = root_.OpenPath(relative_folder);
  if (!folder.ok()) return Added::kGone;
  return AddDescriptor(folder->get(), relative_folder);
}

FolderWatches::Added FolderWatches::AddOutside(const std::string& path,
                                               const std::string& name) {
  const UniqueFd folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return Added::kGone;
  return AddDescriptor(folder.get(), name);
}

FolderWatches::Added FolderWatches::AddDescriptor(int folder_fd,
                                                  const std::string& name) {
  if (!GivesNotices(folder_fd)) return Added::kNotTrusted;
  const int watch = ::inotify_add_watch(
      fd_.get(), ProcPathOf(folder_fd).c_str(), kEvents | IN_ONLYDIR);
  if (watch < 0) {
    return errno == ENOENT || errno == ENOTDIR || errno == EACCES
               ? Added::kGone
               : Added::kNotTrusted;
  }
  folders_[watch] = name;
  return Added::kAdded;
}

std::vector<FolderNotice> FolderWatches::Take() {
  std::vector<FolderNotice> notices;
  alignas(inotify_event) char buffer[64 << 10];
  while (true) {
    const ssize_t got = ::read(fd_.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return notices;
    for (ssize_t at = 0; at < got;) {
      inotify_event event;
      std::memcpy(&event, buffer + at, sizeof(event));
      const char* const name = buffer + at + sizeof(event);
      at += static_cast<ssize_t>(sizeof(event) + event.len);
      if ((event.mask & IN_IGNORED) != 0) folders_.erase(event.wd);
      const std::optional<FolderNotice::Kind> kind = KindOf(event.mask);
      const auto folder = folders_.find(event.wd);
      if (!kind.has_value()) continue;
      if (*kind == FolderNotice::Kind::kLost) {
        notices.emplace_back();
      } else if (folder != folders_.end()) {
        notices.push_back({.kind = *kind,
                           .folder = folder->second,
                           .name = event.len > 0 ? name : ""});
      }
    }
  }
}

}  // namespace banyan::lspd
