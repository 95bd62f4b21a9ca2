// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_LEGACY_METHODS_H_
#define EDGE_MCP_LEGACY_METHODS_H_

#include <memory>
#include <string>

#include "banyan/session/v1/session_service.pb.h"
#include "edge/mcp/answer_stream.h"
#include "edge/mcp/client_requests.h"
#include "edge/mcp/feature_methods.h"
#include "edge/mcp/http_answer.h"
#include "edge/mcp/in_flight.h"
#include "edge/mcp/json_rpc.h"
#include "edge/mcp/legacy_lifecycle.h"
#include "edge/mcp/mcp_handler.h"
#include "edge/mcp/standing_streams.h"
#include "edge/tools/tool.h"

namespace banyan::edge {

// The methods of a session of the legacy era, but for those that begin and end
// it. Thread-safe.
class LegacyMethods {
 public:
  // All outlive this.
  LegacyMethods(LegacyLifecycle& lifecycle, const FeatureMethods& features,
                StandingStreams& standing)
      : lifecycle_(lifecycle), features_(features), standing_(standing) {}

  // One request of a session.
  struct Exchange {
    const McpRequest& http;
    const RpcMessage& message;
    std::string session_id;
    const session::v1::Session& session;
    rpc::CallContext context;        // No disconnection cancels it.
    AnswerStream* stream = nullptr;  // Null in a batch: nobody to talk to.
  };
  MethodOutcome Serve(const Exchange& exchange);

  // A notification, or an answer to a request of ours.
  void Take(RpcMessage message, const std::string& session_id);

 private:
  MethodOutcome ServeFeature(const Exchange& exchange);
  MethodOutcome SetLevel(const Exchange& exchange);
  MethodOutcome Subscribe(const Exchange& exchange, bool is_on);

  LegacyLifecycle& lifecycle_;
  const FeatureMethods& features_;
  StandingStreams& standing_;
  InFlight in_flight_;
  ClientRequests requests_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_LEGACY_METHODS_H_
