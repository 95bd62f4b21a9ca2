// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_PROJECT_PROMPTS_H_
#define EDGE_MCP_PROJECT_PROMPTS_H_

#include <memory>
#include <vector>

#include "edge/clients/session_client.h"
#include "edge/mcp/prompts.h"

namespace banyan::edge {

// The prompts that people begin work with: getting to know a project, what a
// change would touch, a rename that misses nothing, and what a read-only
// sub-agent has to know. `sessions` outlives them.
std::vector<std::unique_ptr<Prompt>> ProjectPrompts(SessionClient& sessions);

}  // namespace banyan::edge

#endif  // EDGE_MCP_PROJECT_PROMPTS_H_
