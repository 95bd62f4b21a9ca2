// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_MCP_PATH_H_
#define EDGE_HTTP_MCP_PATH_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace banyan::edge {

// /mcp, /mcp/p/<project>; a slash at the end does not matter.
struct McpPath {
  std::string project;  // Decoded; empty for /mcp.
};

// nullopt: not a path of ours.
std::optional<McpPath> ParseMcpPath(absl::string_view path);

// The value of ?access=, decoded; empty when absent. nullopt: a value other
// than read-only and read-write, or two of them.
std::optional<std::string> ParseAccess(absl::string_view query);

// nullopt: a '%' without two hexadecimal digits, or a NUL.
std::optional<std::string> PercentDecode(absl::string_view text);

}  // namespace banyan::edge

#endif  // EDGE_HTTP_MCP_PATH_H_
