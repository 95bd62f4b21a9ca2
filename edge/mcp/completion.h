// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_COMPLETION_H_
#define EDGE_MCP_COMPLETION_H_

#include <nlohmann/json.hpp>

#include "edge/mcp/http_answer.h"
#include "edge/mcp/prompts.h"
#include "edge/mcp/resources.h"

namespace banyan::edge {

// completion/complete, the same for both eras: values for an argument of a
// prompt or a variable of a resource template, at most 100. -32602 for a prompt
// that is unknown and for a malformed request.
MethodOutcome Complete(const nlohmann::json& params, const Prompts& prompts,
                       const Resources& resources, ToolCall call);

}  // namespace banyan::edge

#endif  // EDGE_MCP_COMPLETION_H_
