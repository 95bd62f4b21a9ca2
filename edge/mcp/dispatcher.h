// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_DISPATCHER_H_
#define EDGE_MCP_DISPATCHER_H_

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "edge/clients/edge_keys.h"
#include "edge/clients/session_client.h"
#include "edge/mcp/era.h"
#include "edge/mcp/event_ring.h"
#include "edge/mcp/feature_methods.h"
#include "edge/mcp/legacy_lifecycle.h"
#include "edge/mcp/legacy_methods.h"
#include "edge/mcp/mcp_handler.h"
#include "edge/mcp/modern_methods.h"
#include "edge/mcp/operation_metrics.h"
#include "edge/mcp/server_identity.h"
#include "edge/mcp/standing_streams.h"
#include "edge/mcp/subscriptions.h"
#include "edge/mcp/tool_calls.h"
#include "edge/tools/tool_registry.h"

namespace banyan::edge {

// The MCP endpoint: decides the era of an exchange and leads it to the code
// that serves it. Holds nothing that another edge cannot rebuild. Thread-safe.
class Dispatcher final : public McpHandler {
 public:
  struct Options {
    ServerIdentity identity;
    ToolCalls::Options tool_calls;
    bool lists_change = false;  // While we run.
  };

  // All outlive the dispatcher; `metrics` may be null.
  struct Parts {
    SessionClient& sessions;
    const ToolRegistry& tools;
    const Resources& resources;
    const Prompts& prompts;
    EdgeKeys& keys;
    EventRing& ring;
    StandingStreams& standing;
    Subscriptions& subscriptions;
    OperationMetrics* metrics = nullptr;
  };

  Dispatcher(Parts parts, Options options);

  McpResponse Handle(const McpRequest& request,
                     const std::shared_ptr<EventSink>& events) override;

  // Ends every stream that stays open and begins no more.
  void Drain();

 private:
  // One exchange and where its events go.
  struct Exchange {
    const McpRequest& request;
    const std::shared_ptr<EventSink>& events;
  };

  McpResponse Answer(const Exchange& exchange, const Rejected& rejected);
  McpResponse Answer(const Exchange& exchange, const ModernRequest& modern);
  McpResponse Answer(const Exchange& exchange, const StrayNotification&);
  McpResponse Answer(const Exchange& exchange, const LegacyInitialize& legacy);
  McpResponse Answer(const Exchange& exchange, const LegacyMessages& legacy);
  McpResponse Answer(const Exchange& exchange, const LegacyStream& legacy);
  McpResponse Answer(const Exchange& exchange, const LegacyEnd& legacy);

  McpResponse AnswerBatch(const McpRequest& request,
                          const LegacyMessages& legacy,
                          const session::v1::Session& session);

  // Why no stream of this caller may stay open now.
  absl::Status MayStay(const McpRequest& request) const;

  // Whose trace; no disconnection cancels it, but its withdrawal does.
  static rpc::CallContext ContextOf(const McpRequest& request,
                                    const nlohmann::json& meta);

  void Observe(const RpcMessage& message, absl::string_view version,
               const MethodOutcome& outcome, absl::Time begun);

  const Parts parts_;
  const Options options_;
  const FeatureMethods features_;
  LegacyLifecycle lifecycle_;
  LegacyMethods legacy_;
  ModernMethods modern_;
  const EraRules rules_;
  std::atomic<bool> is_draining_ = false;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_DISPATCHER_H_
