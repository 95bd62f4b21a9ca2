// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_TOOL_CALLS_H_
#define EDGE_MCP_TOOL_CALLS_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "edge/clients/edge_keys.h"
#include "edge/mcp/http_answer.h"
#include "edge/tools/tool_registry.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// tools/list and tools/call, the same for both eras. Thread-safe.
class ToolCalls {
 public:
  struct Options {
    absl::Duration deadline =
        absl::Seconds(50);  // Of one call; SDK clients give up at 60 s.
  };

  // All references outlive this.
  ToolCalls(const ToolRegistry& tools, EdgeKeys& keys, Options options);

  // The tools that the principal's scopes let it call, in a fixed order. What
  // 2025-03-26 does not know is left out for it.
  MethodOutcome List(const nlohmann::json& params,
                     const session::v1::Principal& principal,
                     absl::string_view version) const;

  // Once the tool is known everything is a result, if need be with isError,
  // but for an ended session, a missing scope and our own faults.
  // `call.arguments` is set here, and its deadline.
  MethodOutcome Call(const nlohmann::json& params, ToolCall call) const;

 private:
  // The texts of the lists: large, and the same for every caller of one kind.
  struct Lists {
    std::shared_ptr<const std::string> none, reading, writing;
  };
  Lists ListsFor(absl::string_view version) const;

  const ToolRegistry& tools_;
  EdgeKeys& keys_;
  const Options options_;
  const Lists oldest_;  // For 2025-03-26.
  const Lists usual_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_TOOL_CALLS_H_
