// SPDX-License-Identifier: Apache-2.0
//
// What /proc says about a process and all that it started.
#ifndef LSPD_SERVER_PROCESS_TREE_H_
#define LSPD_SERVER_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace banyan::lspd {

// The process and its descendants, parents first. Empty if it is gone.
std::vector<pid_t> ProcessTree(pid_t root);

// Arguments joined by blanks; empty if it is gone or a zombie.
std::string CommandLineOf(pid_t pid);

// False for zombies too.
bool IsRunning(pid_t pid);

// Memory of the whole tree in bytes, shared pages counted in proportion. Costs
// a millisecond or so a process.
int64_t ProportionalSetSize(pid_t root);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_PROCESS_TREE_H_
