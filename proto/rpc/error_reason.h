// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_ERROR_REASON_H_
#define PROTO_RPC_ERROR_REASON_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "banyan/rpc/v1/error_detail.pb.h"

namespace banyan::rpc {

using v1::ErrorDetail;
using v1::ErrorReason;

// The status code that belongs to a reason: one table for all daemons.
absl::StatusCode CodeOf(ErrorReason reason);

// A status with the code of `reason` and an ErrorDetail inside. `message` is
// what an agent reads: it names the next step, no host path outside the root.
//
//   return rpc::Error(rpc::v1::ERROR_REASON_FILE_NOT_FOUND, "no file
//   src/a.cc");
absl::Status Error(ErrorReason reason, absl::string_view message);
absl::Status Error(ErrorDetail detail, absl::string_view message);

// Without a detail the reason is INTERNAL, but for these codes:
// DEADLINE_EXCEEDED is DEADLINE, CANCELLED is CANCELLED, UNAVAILABLE is
// DAEMON_UNREACHABLE. REQUIRES: !status.ok()
ErrorReason ReasonOf(const absl::Status& status);
ErrorDetail DetailOf(const absl::Status& status);

// "FILE_NOT_FOUND": the name as agents see it. Unknown numbers: "UNKNOWN_77".
std::string ReasonName(ErrorReason reason);

}  // namespace banyan::rpc

#endif  // PROTO_RPC_ERROR_REASON_H_
