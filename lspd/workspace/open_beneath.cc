// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/open_beneath.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

// A rename elsewhere in the tree makes the kernel ask for another try.
constexpr int kMostTries = 1000;

UniqueFd Open(int root_fd, const std::string& path, uint64_t flags,
              uint64_t resolve) {
  open_how how = {};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve;
  for (int tries = 0; tries < kMostTries; ++tries) {
    const int64_t fd =
        ::syscall(SYS_openat2, root_fd, path.empty() ? "." : path.c_str(), &how,
                  sizeof(how));
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return UniqueFd();
}

}  // namespace

UniqueFd OpenBeneath(int root_fd, const std::string& path, uint64_t flags) {
  return Open(root_fd, path, flags, 0);
}

UniqueFd OpenUnlinked(int root_fd, const std::string& path, uint64_t flags) {
  return Open(root_fd, path, flags, RESOLVE_NO_SYMLINKS);
}

std::string ProcPathOf(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

absl::StatusOr<std::string> RealPathOf(int fd) {
  std::string path(PATH_MAX, '\0');
  const ssize_t length =
      ::readlink(ProcPathOf(fd).c_str(), path.data(), path.size());
  if (length < 0) {
    return rpc::Error(rpc::v1::ERROR_REASON_INTERNAL,
                      "/proc/self/fd cannot be read");
  }
  path.resize(static_cast<size_t>(length));
  return path;
}

bool IsOnKernelFileSystem(int fd) {
  struct statfs info;
  if (::fstatfs(fd, &info) != 0) return true;
  switch (static_cast<uint64_t>(info.f_type)) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
    case SECURITYFS_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
    case BPF_FS_MAGIC:
      return true;
    default:
      return false;
  }
}

std::string LockHolder(uint64_t inode) {
  std::ifstream locks("/proc/locks");
  const std::string lock_end = absl::StrCat(":", inode);
  for (std::string line; std::getline(locks, line);) {
    const std::vector<std::string> fields =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    int pid = 0;
    if (fields.size() < 6 || fields[1] != "FLOCK" ||
        !absl::EndsWith(fields[5], lock_end) ||
        !absl::SimpleAtoi(fields[4], &pid) || pid <= 0) {
      continue;
    }
    std::string name;
    std::ifstream comm(absl::StrCat("/proc/", pid, "/comm"));
    std::getline(comm, name);
    return absl::StrCat("pid ", pid, name.empty() ? "" : " (", name,
                        name.empty() ? "" : ")");
  }
  return "";
}

}  // namespace banyan::lspd
