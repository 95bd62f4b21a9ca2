// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_ADMIN_SERVER_H_
#define EDGE_HTTP_ADMIN_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "banyan/session/v1/session_service.pb.h"
#include "edge/auth/authenticator.h"
#include "edge/http/http_metrics.h"
#include "edge/http/http_server.h"
#include "edge/http/request_guard.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// What the admin pages show. Thread-safe; may block within the deadline.
class AdminSource {
 public:
  virtual ~AdminSource() = default;

  // JSON of GET /get_session_overview and GET /get_lsp_pool_stats. A status is
  // answered by its reason: DAEMON_UNREACHABLE and STORE_UNREACHABLE are 503.
  virtual absl::StatusOr<std::string> SessionOverviewJson(
      const session::v1::Principal& caller,
      const rpc::CallContext& context) = 0;
  virtual absl::StatusOr<std::string> LspPoolStatsJson(
      const session::v1::Principal& caller,
      const rpc::CallContext& context) = 0;
};

// The admin listener: for principals with the scope `admin` only. Loopback
// Host names are allowed on any port.
class AdminServer {
 public:
  struct Options {
    HttpServer::Options server{
        .listen = "127.0.0.1:8421", .max_connections = 100, .max_workers = 8};
    RequestGuard::Options guard;
    absl::Duration answer_timeout = absl::Seconds(10);
  };

  // Serves at once. All references must outlive the server. Codes as
  // McpEndpoint::Start.
  static absl::StatusOr<std::unique_ptr<AdminServer>> Start(
      Options options, Authenticator& authenticator, AdminSource& source,
      HttpMetrics& metrics);

  virtual ~AdminServer() = default;

  virtual int port() const = 0;

  // As HttpServer::Stop.
  virtual void Stop(absl::Duration limit) = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_ADMIN_SERVER_H_
