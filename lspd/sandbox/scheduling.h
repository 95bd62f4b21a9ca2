// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SANDBOX_SCHEDULING_H_
#define LSPD_SANDBOX_SCHEDULING_H_

namespace banyan::lspd {

// From here on this process and all it becomes or starts cannot move into the
// scheduling class SCHED_IDLE: the attempt fails with EPERM. Whoever runs there
// stands still while anything else wants the processor. clangd moves its index
// threads there whatever its options say, so on a busy machine its index would
// never be whole. Priorities that lspd itself was given stay in force.
//
// Gives up new privileges too (PR_SET_NO_NEW_PRIVS), as seccomp(2) demands.
// Does nothing where the kernel has no seccomp filters. Async-signal-safe.
void RefuseIdleScheduling();

}  // namespace banyan::lspd

#endif  // LSPD_SANDBOX_SCHEDULING_H_
