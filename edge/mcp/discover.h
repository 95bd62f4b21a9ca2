// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_DISCOVER_H_
#define EDGE_MCP_DISCOVER_H_

#include <nlohmann/json.hpp>

#include "edge/mcp/server_identity.h"

namespace banyan::edge {

// The result of server/discover (MCP 2026-07-28, Discovery). Lists modern
// versions only: a legacy one cannot be used with per-request metadata.
nlohmann::json DiscoverResult(const ServerIdentity& identity,
                              bool lists_change);

}  // namespace banyan::edge

#endif  // EDGE_MCP_DISCOVER_H_
