// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_REQUEST_GUARD_H_
#define EDGE_HTTP_REQUEST_GUARD_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "edge/http/http_message.h"
#include "edge/http/refusal.h"

namespace banyan::edge {

// Which names a listener goes by: keeps web pages of other sites out, DNS
// rebinding included (MCP, Streamable HTTP, "Security Warning").
//
// Loopback names (localhost, 127.0.0.0/8, ::1) are allowed with the listener's
// own port. Pure and immutable.
class RequestGuard {
 public:
  struct Options {
    int port = 0;  // The listener's.
    // Of Host alone: admin pages are reached by tunnels.
    bool is_any_loopback_port = false;
    // --allowed_hosts: "mcp.example.com" (any port), "mcp.example.com:8443".
    std::vector<std::string> allowed_hosts;
    // --allowed_origins: "https://inspector.example.com", whole and exact.
    std::vector<std::string> allowed_origins;
    // --trusted_proxies: addresses whose X-Forwarded-Host is believed.
    std::vector<std::string> trusted_proxies;
  };

  explicit RequestGuard(Options options) : options_(std::move(options)) {}

  // nullopt: may come in. The message names the flag that would let it.
  // `peer_host` is the address that the connection comes from.
  std::optional<Refusal> Check(const HttpRequest& head,
                               absl::string_view peer_host) const;

  // "localhost:8420", "[::1]:8420", "mcp.example.com".
  bool IsHostAllowed(absl::string_view host) const;

  // Its host and port are ours, under http or https; or it was configured; or
  // it is the `host` that was asked, where that one is allowed.
  bool IsOriginAllowed(absl::string_view origin, absl::string_view host) const;

  // For every answer, refusals and preflight included: without an allowed
  // Origin only Vary.
  HttpHeaders CorsHeaders(const HttpRequest& head) const;

 private:
  bool IsAllowed(absl::string_view name, std::optional<int> port,
                 bool is_any_loopback_port) const;

  const Options options_;
};

// Each entry must be one whole origin: a pattern such as * would match nothing,
// and nobody would know.
//   kInvalidArgument  names the entry
absl::Status CheckAllowedOrigins(const std::vector<std::string>& origins);

// An OPTIONS request by which a browser asks before the real one.
bool IsPreflight(const HttpRequest& head);

// What the answer to a preflight says besides CorsHeaders.
HttpHeaders PreflightHeaders();

}  // namespace banyan::edge

#endif  // EDGE_HTTP_REQUEST_GUARD_H_
