// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/client_info.h"

#include <utility>

#include "edge/mcp/json_rpc.h"

namespace banyan::edge {
namespace {

constexpr size_t kMaxBytes = 200;

std::string CutAtCodePoint(std::string text) {
  if (text.size() <= kMaxBytes) return text;
  size_t end = kMaxBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  text.resize(end);
  return text;
}

}  // namespace

ClientInfo ReadClientInfo(const nlohmann::json& implementation) {
  return {.name = CutAtCodePoint(TextMember(implementation, "name")),
          .version = CutAtCodePoint(TextMember(implementation, "version"))};
}

}  // namespace banyan::edge
