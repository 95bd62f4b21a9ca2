// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/feature_methods.h"

#include <algorithm>
#include <array>
#include <utility>

#include "edge/mcp/completion.h"
#include "edge/mcp/protocol_versions.h"

namespace banyan::edge {
namespace {

constexpr std::array<absl::string_view, 8> kMethods = {
    "tools/list",     "tools/call",         "resources/list",
    "resources/read", "prompts/list",       "resources/templates/list",
    "prompts/get",    "completion/complete"};

}  // namespace

bool FeatureMethods::Knows(absl::string_view method) {
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

bool FeatureMethods::IsCacheable(absl::string_view method) {
  return Knows(method) && method != "tools/call" && method != "prompts/get" &&
         method != "completion/complete";
}

bool FeatureMethods::MayAsk(absl::string_view method) {
  return method == "tools/call" || method == "prompts/get" ||
         method == "resources/read";
}

MethodOutcome FeatureMethods::Serve(const RpcMessage& message,
                                    absl::string_view version,
                                    ToolCall call) const {
  const std::string& method = message.method;
  const nlohmann::json& params = message.params;
  if (method == "tools/call") return tools_.Call(params, std::move(call));
  if (method == "tools/list") {
    return tools_.List(params, call.caller.principal, version);
  }
  if (method == "resources/list") return resources_.List(params, call);
  if (method == "resources/templates/list") return resources_.Templates(params);
  if (method == "resources/read") {
    return resources_.Read(params, IsModernVersion(version), call);
  }
  if (method == "prompts/list") return prompts_.List(params, version);
  if (method == "prompts/get") return prompts_.Get(params, std::move(call));
  return Complete(params, prompts_, resources_, std::move(call));
}

}  // namespace banyan::edge
