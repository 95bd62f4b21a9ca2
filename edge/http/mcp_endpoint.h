// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_MCP_ENDPOINT_H_
#define EDGE_HTTP_MCP_ENDPOINT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "edge/auth/authenticator.h"
#include "edge/http/http_metrics.h"
#include "edge/http/http_server.h"
#include "edge/http/request_guard.h"
#include "edge/mcp/mcp_handler.h"

namespace banyan::edge {

// The public listener: /mcp and /mcp/p/<project>, nothing else. Everything up
// to authentication is decided here, the same for both eras; what is left goes
// to the McpHandler.
class McpEndpoint {
 public:
  struct Options {
    HttpServer::Options server;
    RequestGuard::Options guard;  // Its port is the listener's; set here.
    // Of one principal; twice as many at once. More are answered 429. 0: no
    // limit.
    double max_requests_per_second = 0;
  };

  // Serves at once. All references must outlive the endpoint. Codes as
  // HttpServer::Start, and
  //   kFailedPrecondition  not loopback, and the authenticator cannot serve
  //                        that; the message names the flag
  static absl::StatusOr<std::unique_ptr<McpEndpoint>> Start(
      Options options, Authenticator& authenticator, McpHandler& mcp,
      HttpMetrics& metrics);

  virtual ~McpEndpoint() = default;

  virtual int port() const = 0;

  // As HttpServer::Stop.
  virtual void Stop(absl::Duration limit) = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_MCP_ENDPOINT_H_
