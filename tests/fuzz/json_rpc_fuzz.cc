// SPDX-License-Identifier: Apache-2.0
//
// Any body: a message, or an error that can be sent back.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "absl/strings/string_view.h"
#include "edge/mcp/json_rpc.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::edge;  // NOLINT: a fuzzer of one namespace.
  auto parsed =
      ParseJson(absl::string_view(reinterpret_cast<const char*>(data), size),
                {.max_depth = 64, .max_nodes = 10000});
  if (std::holds_alternative<RpcError>(parsed)) {
    (void)ErrorText(nullptr, std::get<RpcError>(parsed));
    return 0;
  }
  const auto message = ToMessage(std::get<nlohmann::json>(std::move(parsed)));
  if (const auto* malformed = std::get_if<MalformedMessage>(&message)) {
    (void)ErrorText(malformed->id, malformed->error);
  } else {
    (void)std::get<RpcMessage>(message).Meta();
  }
  return 0;
}
