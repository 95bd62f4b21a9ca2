// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_MODERN_METHODS_H_
#define EDGE_MCP_MODERN_METHODS_H_

#include <memory>

#include "edge/clients/edge_keys.h"
#include "edge/mcp/feature_methods.h"
#include "edge/mcp/http_answer.h"
#include "edge/mcp/json_rpc.h"
#include "edge/mcp/mcp_handler.h"
#include "edge/mcp/server_identity.h"
#include "edge/mcp/subscriptions.h"

namespace banyan::edge {

// The methods of MCP 2026-07-28: each request stands for itself. Thread-safe.
class ModernMethods {
 public:
  struct Options {
    ServerIdentity identity;
    bool lists_change = false;  // And resources; clients are told.
  };

  // All references outlive this.
  ModernMethods(const FeatureMethods& features, Subscriptions& subscriptions,
                EdgeKeys& keys, Options options)
      : features_(features),
        subscriptions_(subscriptions),
        keys_(keys),
        options_(std::move(options)) {}

  static bool Knows(absl::string_view method);

  struct Served {
    MethodOutcome outcome;
    bool stays_open = false;  // The answer is the stream.
  };

  // REQUIRES: Knows(message.method). `call.client` is set here.
  Served Serve(const RpcMessage& message, ToolCall call,
               const std::shared_ptr<EventSink>& events);

 private:
  MethodOutcome ServeFeature(const RpcMessage& message, ToolCall call,
                             const std::shared_ptr<EventSink>& events);

  const FeatureMethods& features_;
  Subscriptions& subscriptions_;
  EdgeKeys& keys_;
  const Options options_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_MODERN_METHODS_H_
