// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_STATUS_CONVERT_H_
#define PROTO_RPC_STATUS_CONVERT_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace banyan::rpc {

// Between absl::Status inside a program and grpc::Status between programs. The
// ErrorDetail travels as the binary status detail, so reason and its data
// survive the way. A status without one arrives with the reason that
// error_reason.h derives from its code.
grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace banyan::rpc

#endif  // PROTO_RPC_STATUS_CONVERT_H_
