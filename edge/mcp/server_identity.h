// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_SERVER_IDENTITY_H_
#define EDGE_MCP_SERVER_IDENTITY_H_

#include <nlohmann/json.hpp>
#include <string>

// What the server says about itself, the same in both eras.
namespace banyan::edge {

struct ServerIdentity {
  std::string name = "banyan";
  std::string version = "0.1.0";
};

nlohmann::json ServerInfo(const ServerIdentity& identity);

// Exactly what is served in an era. `lists_change`: lists and resources do so
// while we run, and clients are told.
nlohmann::json ServerCapabilities(bool is_modern, bool lists_change);

// How to begin, for the model.
std::string ServerInstructions();

// `result` as a modern one: complete unless it says otherwise, and signed with
// who answered.
nlohmann::json AsModernResult(nlohmann::json result,
                              const ServerIdentity& identity);

// Modern, and good for a while for the same caller.
nlohmann::json AsCacheableResult(nlohmann::json result,
                                 const ServerIdentity& identity);

}  // namespace banyan::edge

#endif  // EDGE_MCP_SERVER_IDENTITY_H_
