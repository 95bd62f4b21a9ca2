// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_GRPC_CONTEXT_H_
#define PROTO_RPC_GRPC_CONTEXT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/server_context.h>

#include "absl/time/time.h"
#include "proto/rpc/call_context.h"

namespace banyan::rpc {

// Deadline (less `margin`, so that an answer still finds its way) and trace
// context go out; every client call gets them. The trace is a child span.
void FillClientContext(const CallContext& call, grpc::ClientContext* context,
                       absl::Duration margin = absl::Milliseconds(50));

// The same, read on the other side. The result refers to `context`, which
// outlives the handler's work on one call.
CallContext FromServerContext(const grpc::ServerContext& context);

}  // namespace banyan::rpc

#endif  // PROTO_RPC_GRPC_CONTEXT_H_
