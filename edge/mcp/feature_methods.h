// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_FEATURE_METHODS_H_
#define EDGE_MCP_FEATURE_METHODS_H_

#include "absl/strings/string_view.h"
#include "edge/mcp/http_answer.h"
#include "edge/mcp/json_rpc.h"
#include "edge/mcp/prompts.h"
#include "edge/mcp/resources.h"
#include "edge/mcp/tool_calls.h"

namespace banyan::edge {

// What both eras serve: tools, resources, prompts, completion. Thread-safe.
class FeatureMethods {
 public:
  // Both outlive this.
  FeatureMethods(ToolCalls tools, const Resources& resources,
                 const Prompts& prompts)
      : tools_(tools), resources_(resources), prompts_(prompts) {}

  static bool Knows(absl::string_view method);

  // Whether a client may keep the result for a while.
  static bool IsCacheable(absl::string_view method);

  // Whether the client may be asked before the answer.
  static bool MayAsk(absl::string_view method);

  // REQUIRES: Knows(message.method), and params are an object or null.
  MethodOutcome Serve(const RpcMessage& message, absl::string_view version,
                      ToolCall call) const;

 private:
  const ToolCalls tools_;
  const Resources& resources_;
  const Prompts& prompts_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_FEATURE_METHODS_H_
