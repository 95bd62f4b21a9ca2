// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_ERA_H_
#define EDGE_MCP_ERA_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "edge/mcp/json_rpc.h"
#include "edge/mcp/mcp_handler.h"

// Which era an exchange belongs to. The body decides, headers only cross-check:
// a modern key in params._meta is served statelessly, `initialize` opens a
// legacy session, everything else belongs to one.
namespace banyan::edge {

// One argument of a tool that a header repeats: Mcp-Param-<header>.
struct MirroredArgument {
  std::string header;             // "Workspace".
  std::vector<std::string> path;  // Where it stands: {"workspace"}.
};

// What the decision needs to know about the rest of the server.
struct EraRules {
  std::function<bool(absl::string_view method)> is_modern_method;
  // Which arguments of this tool are mirrored in headers.
  std::function<std::vector<MirroredArgument>(absl::string_view tool)>
      mirrored_arguments;
};

// The arguments that an input schema annotates with x-mcp-header: those that
// are reached through `properties` alone.
std::vector<MirroredArgument> MirroredArgumentsOf(
    const nlohmann::json& input_schema);

// Refused as it stands, whoever asks.
struct Rejected {
  int status = 400;
  RpcError error;
  nlohmann::json id;
};

struct ModernRequest {
  RpcMessage message;
};

// To be answered 202 and forgotten.
struct StrayNotification {};

struct LegacyInitialize {
  RpcMessage message;
};

// One message of a session, or several of a batch (is_batch, from 2025-03-26
// only: the session's version decides).
struct LegacyMessages {
  std::string session_id;
  std::vector<nlohmann::json> values;  // Objects, each to be read by ToMessage.
  bool is_batch = false;
};

struct LegacyStream {      // GET
  std::string session_id;  // May be empty.
};

struct LegacyEnd {  // DELETE
  std::string session_id;
};

using Classification =
    std::variant<Rejected, ModernRequest, StrayNotification, LegacyInitialize,
                 LegacyMessages, LegacyStream, LegacyEnd>;

// Pure: the ladder from the content type on, rung by rung, in this order.
Classification Classify(const McpRequest& request, const EraRules& rules);

}  // namespace banyan::edge

#endif  // EDGE_MCP_ERA_H_
