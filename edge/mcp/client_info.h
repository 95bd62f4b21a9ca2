// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_CLIENT_INFO_H_
#define EDGE_MCP_CLIENT_INFO_H_

#include <nlohmann/json.hpp>
#include <string>

namespace banyan::edge {

// What a client calls itself: for people to read, never to be trusted. Each is
// cut at 200 bytes and may be empty.
struct ClientInfo {
  std::string name;
  std::string version;
};

// Of an Implementation object (MCP, clientInfo); of anything else nothing.
ClientInfo ReadClientInfo(const nlohmann::json& implementation);

}  // namespace banyan::edge

#endif  // EDGE_MCP_CLIENT_INFO_H_
