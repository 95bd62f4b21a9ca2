// SPDX-License-Identifier: Apache-2.0
//
// The processes of this machine, read from /proc. Standard library only, so
// that the guardian stays tiny.
#ifndef LSPD_SANDBOX_PROCESS_TABLE_H_
#define LSPD_SANDBOX_PROCESS_TABLE_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace banyan::lspd {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;        // Who called setsid() last among its ancestors.
  char state = '?';         // 'Z': ended, not yet reaped.
  uint64_t start_time = 0;  // Clock ticks since boot; tells two users of one
                            // number apart.
};

std::optional<ProcessEntry> ReadProcess(pid_t pid);
std::vector<ProcessEntry> ReadProcessTable();

// The children of `ancestor`, their children and so on, parents first.
std::vector<ProcessEntry> DescendantsOf(pid_t ancestor,
                                        const std::vector<ProcessEntry>& table);

// A variable of a process's initial environment. Nothing when it is not there
// or may not be read.
std::optional<std::string> EnvironmentOf(pid_t pid, const std::string& name);

}  // namespace banyan::lspd

#endif  // LSPD_SANDBOX_PROCESS_TABLE_H_
