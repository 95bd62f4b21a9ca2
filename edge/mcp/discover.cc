// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/discover.h"

#include <utility>

#include "edge/mcp/protocol_versions.h"

namespace banyan::edge {

nlohmann::json DiscoverResult(const ServerIdentity& identity,
                              bool lists_change) {
  nlohmann::json result = {
      {"supportedVersions", nlohmann::json::array()},
      {"capabilities", ServerCapabilities(/*is_modern=*/true, lists_change)},
      {"instructions", ServerInstructions()}};
  for (const absl::string_view version : kModernVersions) {
    result["supportedVersions"].push_back(std::string(version));
  }
  return AsCacheableResult(std::move(result), identity);
}

}  // namespace banyan::edge
