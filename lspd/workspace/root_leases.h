// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_ROOT_LEASES_H_
#define LSPD_WORKSPACE_ROOT_LEASES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// Which roots this lspd owns, as sessiond says. Thread-safe.
class RootLeases {
 public:
  virtual ~RootLeases() = default;

  // The epoch of the lease; at once when it is held already.
  //   MOVED               another lspd owns the root; the detail names it
  //   DAEMON_UNREACHABLE  sessiond did not answer before the deadline
  virtual absl::StatusOr<int64_t> Acquire(const std::string& root,
                                          const rpc::CallContext& call) = 0;

  // No more than a look at memory.
  virtual bool IsHeld(const std::string& root) const = 0;

  virtual void Release(const std::string& root) = 0;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_ROOT_LEASES_H_
