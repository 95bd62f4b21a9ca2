// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_LEGACY_LIFECYCLE_H_
#define EDGE_MCP_LEGACY_LIFECYCLE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/session_service.pb.h"
#include "edge/clients/session_client.h"
#include "edge/mcp/http_answer.h"
#include "edge/mcp/json_rpc.h"
#include "edge/mcp/mcp_handler.h"
#include "edge/mcp/server_identity.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// The version that answers a client's: the same if it is served, else the
// newest legacy one.
absl::string_view NegotiateVersion(absl::string_view asked);

// What ?access= asked for. Anything unknown is read-only.
session::v1::Access DefaultAccessOf(const McpRequest& request);

// Sessions of the legacy era. They live in sessiond: every request asks there,
// so any edge serves any session and a restart of an edge loses none.
// Thread-safe.
class LegacyLifecycle {
 public:
  // All references outlive this.
  LegacyLifecycle(SessionClient& sessions, ServerIdentity identity,
                  bool lists_change);

  struct Opened {
    nlohmann::json result;  // Of `initialize`.
    std::string session_id;
    std::string version;  // Negotiated.
  };

  // Durable in sessiond before this returns. A session is usable from then on,
  // `notifications/initialized` or not. Errors of GenerateSession and
  // CreateSession, and ARGUMENT_INVALID for unusable params.
  absl::StatusOr<Opened> Initialize(const McpRequest& request,
                                    const RpcMessage& message,
                                    const rpc::CallContext& call);

  //   kNotFound  SESSION_GONE
  //   and errors of ValidateSession
  absl::StatusOr<session::v1::Session> Validate(const McpRequest& request,
                                                const std::string& session_id,
                                                const rpc::CallContext& call);

  // Changes the session's log level or subscriptions. Errors of UpdateSession.
  absl::Status Update(session::v1::UpdateSessionRequest update,
                      const McpRequest& request, const std::string& session_id,
                      const rpc::CallContext& call);

  // Errors of Validate and TerminateSession. Gives back what ended.
  absl::StatusOr<session::v1::Session> End(const McpRequest& request,
                                           const std::string& session_id,
                                           const rpc::CallContext& call);

 private:
  SessionClient& sessions_;
  const ServerIdentity identity_;
  const bool lists_change_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_LEGACY_LIFECYCLE_H_
