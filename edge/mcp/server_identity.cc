// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/server_identity.h"

#include <utility>

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kServerInfoKey[] = "io.modelcontextprotocol/serverInfo";
constexpr int kCacheableMs = 60000;

}  // namespace

json ServerInfo(const ServerIdentity& identity) {
  return {{"name", identity.name}, {"version", identity.version}};
}

json ServerCapabilities(bool is_modern, bool lists_change) {
  json list = json::object();
  if (lists_change) list["listChanged"] = true;
  json capabilities = {{"tools", list},
                       {"prompts", list},
                       {"resources", list},
                       {"completions", json::object()}};
  if (lists_change) capabilities["resources"]["subscribe"] = true;
  // Deprecated in the modern era, where it needs no capability either.
  if (!is_modern) capabilities["logging"] = json::object();
  return capabilities;
}

std::string ServerInstructions() {
  return "Code intelligence for your project. Call activate_project with the "
         "project's name or path first, and pass the `workspace` it answers "
         "to the other tools. Prefer get_symbols_overview, find_symbol and "
         "find_referencing_symbols to reading whole files. An answer with "
         "complete: false says why it may lack something.";
}

json AsModernResult(json result, const ServerIdentity& identity) {
  if (!result.contains("resultType")) result["resultType"] = "complete";
  result["_meta"][kServerInfoKey] = ServerInfo(identity);
  return result;
}

json AsCacheableResult(json result, const ServerIdentity& identity) {
  result["ttlMs"] = kCacheableMs;
  result["cacheScope"] = "private";
  return AsModernResult(std::move(result), identity);
}

}  // namespace banyan::edge
