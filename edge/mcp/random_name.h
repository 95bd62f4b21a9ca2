// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_RANDOM_NAME_H_
#define EDGE_MCP_RANDOM_NAME_H_

#include <string>

namespace banyan::edge {

// 12 characters that no two edges make twice; no secret.
std::string RandomName();

}  // namespace banyan::edge

#endif  // EDGE_MCP_RANDOM_NAME_H_
