// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_DISPATCHER_H_
#define EDGE_MCP_DISPATCHER_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "edge/clients/edge_keys.h"
#include "edge/clients/session_client.h"
#include "edge/mcp/era.h"
#include "edge/mcp/in_flight.h"
#include "edge/mcp/legacy_lifecycle.h"
#include "edge/mcp/mcp_handler.h"
#include "edge/mcp/operation_metrics.h"
#include "edge/mcp/server_identity.h"
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
  };

  // All references outlive this; `metrics` may be null.
  Dispatcher(SessionClient& sessions, const ToolRegistry& tools, EdgeKeys& keys,
             OperationMetrics* metrics, Options options);

  McpResponse Handle(const McpRequest& request, EventSink& events) override;

 private:
  McpResponse Answer(const McpRequest& request, const Rejected& rejected);
  McpResponse Answer(const McpRequest& request, const ModernRequest& modern);
  McpResponse Answer(const McpRequest& request, const StrayNotification&);
  McpResponse Answer(const McpRequest& request, const LegacyInitialize& legacy);
  McpResponse Answer(const McpRequest& request, const LegacyMessages& legacy);
  McpResponse Answer(const McpRequest& request, const LegacyStream& legacy);
  McpResponse Answer(const McpRequest& request, const LegacyEnd& legacy);

  McpResponse AnswerBatch(const McpRequest& request,
                          const LegacyMessages& legacy,
                          const session::v1::Session& session);

  // A notification, or an answer to a request of ours.
  void TakeLegacy(const RpcMessage& message, const std::string& session_id);

  // One request of a session.
  MethodOutcome ServeLegacy(const McpRequest& request,
                            const RpcMessage& message,
                            const std::string& session_id,
                            const session::v1::Session& session,
                            rpc::CallContext call);

  // Whose trace; no disconnection cancels it.
  static rpc::CallContext ContextOf(const McpRequest& request,
                                    const nlohmann::json& meta);

  void Observe(const RpcMessage& message, absl::string_view version,
               const MethodOutcome& outcome, absl::Time begun);

  LegacyLifecycle lifecycle_;
  InFlight in_flight_;
  const ToolCalls tool_calls_;
  OperationMetrics* const metrics_;
  const Options options_;
  const EraRules rules_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_DISPATCHER_H_
