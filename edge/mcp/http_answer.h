// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_HTTP_ANSWER_H_
#define EDGE_MCP_HTTP_ANSWER_H_

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "edge/mcp/json_rpc.h"
#include "edge/mcp/mcp_handler.h"

namespace banyan::edge {

// What a method came to: its result, a JSON-RPC error, or a refusal of the
// whole exchange whose reason names the HTTP status.
using MethodOutcome =
    std::variant<nlohmann::json, RpcError, absl::Status, PreparedResult>;

// 200 with this JSON.
McpResponse JsonAnswer(std::string body);

// 202 and not one byte.
McpResponse AcceptedAnswer();

McpResponse ErrorAnswer(int status, const nlohmann::json& id,
                        const RpcError& error);

// The HTTP status that the reason of a refusal names; 200 for our own faults,
// which are JSON-RPC errors. REQUIRES: !status.ok()
int HttpStatusOf(const absl::Status& status);

// By reason: gone 404, unreachable 503 and too much 429 (both with a jittered
// Retry-After), scope missing 403, unauthenticated 401, else -32603 without
// detail (logged). REQUIRES: !status.ok()
McpResponse RefusalAnswer(const nlohmann::json& id, const absl::Status& status,
                          const std::string& trace_id);

}  // namespace banyan::edge

#endif  // EDGE_MCP_HTTP_ANSWER_H_
