// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_REQUEST_STATE_H_
#define EDGE_MCP_REQUEST_STATE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/session/v1/session_service.pb.h"
#include "edge/clients/edge_keys.h"
#include "edge/mcp/json_rpc.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// What a request was answered so far, kept by the client between two rounds
// (MCP 2026-07-28, requestState). Signed; good for one principal, one method
// with the same params, and an hour. It is seen by the client and carries no
// right.
struct RequestState {
  nlohmann::json answers = nlohmann::json::object();  // By key.
  int rounds = 0;                                     // Asked so far.
};

// Errors of EdgeKeys::Newest.
absl::StatusOr<std::string> SealRequestState(
    const RequestState& state, const RpcMessage& request,
    const session::v1::Principal& principal, absl::Time now, EdgeKeys& keys,
    const rpc::CallContext& call);

// Codes:
//   kInvalidArgument  not made by us for this request and caller, changed, or
//                     too old; the message is for the client
//   errors of EdgeKeys::Find
absl::StatusOr<RequestState> OpenRequestState(
    absl::string_view sealed, const RpcMessage& request,
    const session::v1::Principal& principal, absl::Time now, EdgeKeys& keys,
    const rpc::CallContext& call);

}  // namespace banyan::edge

#endif  // EDGE_MCP_REQUEST_STATE_H_
