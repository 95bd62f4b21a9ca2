// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_REQUEST_GUARD_H_
#define EDGE_HTTP_REQUEST_GUARD_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "edge/http/http_message.h"
#include "edge/http/http_metrics.h"

namespace banyan::edge {

// Which names a listener goes by: keeps web pages of other sites out, DNS
// rebinding included (MCP: "Security Warning" of Streamable HTTP).
//
// Loopback names (localhost, 127.0.0.0/8, ::1) are allowed with the listener's
// own port. Pure and immutable.
class RequestGuard {
 public:
  struct Options {
    int port = 0;                       // Of the listener; 80 may be left out.
    bool is_any_loopback_port = false;  // Admin pages are reached by tunnels.
    // --allowed_hosts: "mcp.example.com" (any port) or "mcp.example.com:8443".
    std::vector<std::string> allowed_hosts;
    // --allowed_origins: "https://inspector.example.com", whole and exact.
    std::vector<std::string> allowed_origins;
    // --trusted_proxies: addresses whose X-Forwarded-Host is believed.
    std::vector<std::string> trusted_proxies;
  };

  struct Verdict {
    Refusal refusal;
    int status;
    std::string message;  // Names the flag that would change it.
  };

  explicit RequestGuard(Options options);

  // nullopt: may come in. `peer_host` is the address the connection is from.
  std::optional<Verdict> Check(const HttpRequest& head,
                               absl::string_view peer_host) const;

  bool IsHostAllowed(absl::string_view host) const;

  // An origin is ours when its host and port are, under http or https.
  bool IsOriginAllowed(absl::string_view origin) const;

  bool IsPreflight(const HttpRequest& head) const;

  // For every answer, errors and preflight included. Empty but for Vary when
  // the origin is not allowed.
  HttpHeaders CorsHeaders(const HttpRequest& head) const;

  // What a preflight gets on top of CorsHeaders.
  HttpHeaders PreflightHeaders(const HttpRequest& head) const;

 private:
  const Options options_;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_REQUEST_GUARD_H_
