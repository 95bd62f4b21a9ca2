// SPDX-License-Identifier: Apache-2.0
//
// The system calls that RootDirectory rests on.
#ifndef LSPD_WORKSPACE_OPEN_BENEATH_H_
#define LSPD_WORKSPACE_OPEN_BENEATH_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "lspd/workspace/unique_fd.h"

namespace banyan::lspd {

// openat2 with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS. Not open: errno says
// why; EXDEV is the attempt to get out. "" is the root itself.
UniqueFd OpenBeneath(int root_fd, const std::string& path, uint64_t flags);

// The same, and no component may be a link (ELOOP): for paths whose links were
// resolved before, and for what is ours alone.
UniqueFd OpenUnlinked(int root_fd, const std::string& path, uint64_t flags);

// "/proc/self/fd/7": opens again what an O_PATH descriptor names.
std::string ProcPathOf(int fd);

// The real path of what is open, as the kernel has it at this moment.
absl::StatusOr<std::string> RealPathOf(int fd);

// On procfs, sysfs and their like, whose files tell of this process and the
// machine, not of a project. Unknown counts as yes.
bool IsOnKernelFileSystem(int fd);

// "pid 1234 (name)" of who holds flock on an inode; empty when that is in
// another PID namespace, or gone.
std::string LockHolder(uint64_t inode);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_OPEN_BENEATH_H_
