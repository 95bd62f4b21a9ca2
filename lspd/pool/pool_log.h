// SPDX-License-Identifier: Apache-2.0
//
// The log lines of the pool. Their wording is stable: people search for it.
#ifndef LSPD_POOL_POOL_LOG_H_
#define LSPD_POOL_POOL_LOG_H_

#include <sys/types.h>

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/pool/pool_slot.h"

namespace banyan::lspd {

void LogAcquired(const PoolSlot& slot, absl::string_view root,
                 absl::string_view session);
void LogReleased(const PoolSlot& slot, absl::string_view root, int ref_count);
void LogReclaiming(const PoolSlot& slot, absl::Duration idle,
                   absl::Duration life);
void LogMemory(const PoolSlot& slot, absl::string_view what);
void LogOutdated(const PoolSlot& slot, pid_t pid);
void LogCrashed(const PoolSlot& slot, pid_t pid, absl::string_view why);
void LogStarted(const PoolSlot& slot, pid_t pid, absl::Duration took);
void LogStartFailed(const PoolSlot& slot, absl::string_view why);

}  // namespace banyan::lspd

#endif  // LSPD_POOL_POOL_LOG_H_
