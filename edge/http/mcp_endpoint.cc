// SPDX-License-Identifier: Apache-2.0
#include "edge/http/mcp_endpoint.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "edge/http/caller_check.h"
#include "edge/http/mcp_path.h"
#include "edge/http/rate_limit.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

constexpr char kMethods[] = "GET, POST, DELETE, OPTIONS";

class HttpMcpEndpoint : public McpEndpoint, private HttpHandler {
 public:
  HttpMcpEndpoint(std::unique_ptr<HttpServer> server,
                  RequestGuard::Options guard, Authenticator& authenticator,
                  McpHandler& mcp, HttpMetrics& metrics,
                  RateLimit::Options rate)
      : authenticator_(authenticator),
        callers_(std::move(guard), authenticator, metrics, kMethods),
        rate_(std::move(rate)),
        mcp_(mcp),
        server_(std::move(server)) {
    server_->Serve(*this);
  }

  ~HttpMcpEndpoint() override { Stop(absl::ZeroDuration()); }

  int port() const override { return server_->port(); }
  void Stop(absl::Duration limit) override { server_->Stop(limit); }

 private:
  Admission Admit(const HttpRequest& head,
                  PeerConnection& connection) override {
    if (const auto document = authenticator_.ResourceMetadata(head.path)) {
      return {.answer = HttpResponse{
                  .headers = {{"Content-Type", "application/json"}},
                  .body = *document}};
    }
    if (!ParseMcpPath(head.path).has_value()) {
      return callers_.Refuse({RefusalReason::kPathUnknown, 404,
                              "MCP is at /mcp and /mcp/p/<project>"});
    }
    if (!ParseAccess(head.query).has_value()) {
      return callers_.Refuse({RefusalReason::kQueryInvalid, 400,
                              "access is read-only or read-write"});
    }
    Admission admission = callers_.Admit(head, connection);
    if (admission.answer.has_value()) return admission;
    const session::v1::Principal& caller = admission.caller.principal;
    const absl::Duration wait =
        rate_.Take(absl::StrCat(caller.issuer(), "\n", caller.subject()));
    if (wait > absl::ZeroDuration()) {
      return callers_.Refuse({RefusalReason::kRateLimited, 429,
                              "too many requests; wait and try again"});
    }
    return admission;
  }

  HttpHeaders CommonHeaders(const HttpRequest& head) override {
    return callers_.guard().CorsHeaders(head);
  }

  HttpResponse Handle(HttpExchange& exchange) override {
    const HttpRequest& request = exchange.request;
    const std::shared_ptr<EventSink> events = exchange.events;
    McpResponse response = mcp_.Handle(
        {.method = request.method,
         .default_project = ParseMcpPath(request.path)->project,
         .default_access = *ParseAccess(request.query),
         .headers = request.headers,
         .body = request.method == "POST" ? request.body : "",
         .principal = exchange.caller.principal,
         .traceparent = std::string(request.Header("traceparent").value_or("")),
         .is_peer_gone = exchange.is_peer_gone,
         .is_withdrawn = exchange.is_withdrawn,
         .may_stay = exchange.may_stay},
        events);
    // Whoever was revoked meanwhile does not see what came of it.
    if (!exchange.caller.is_still_valid() && !response.stays_open) {
      events->Close("");
      return callers_.Unauthenticated("the token was revoked or expired",
                                      "invalid_token");
    }
    if (response.status == 403) NameScope(response.headers);
    return {.status = response.status,
            .headers = std::move(response.headers),
            .body = std::move(response.body)};
  }

  // Below here nobody knows where tokens come from.
  void NameScope(HttpHeaders& headers) const {
    for (auto& [name, value] : headers) {
      if (name != "WWW-Authenticate") continue;
      value = authenticator_.Challenge("insufficient_scope",
                                       "code:read code:write");
    }
  }

  Authenticator& authenticator_;
  CallerCheck callers_;
  RateLimit rate_;
  McpHandler& mcp_;
  const std::unique_ptr<HttpServer> server_;  // Last: it calls the others.
};

}  // namespace

absl::StatusOr<std::unique_ptr<McpEndpoint>> McpEndpoint::Start(
    Options options, Authenticator& authenticator, McpHandler& mcp,
    HttpMetrics& metrics) {
  RETURN_IF_ERROR(
      CheckListenAddress("--listen", options.server.listen, authenticator));
  ASSIGN_OR_RETURN(auto server, HttpServer::Listen(options.server, metrics));
  options.guard.port = server->port();
  return std::make_unique<HttpMcpEndpoint>(
      std::move(server), std::move(options.guard), authenticator, mcp, metrics,
      RateLimit::Options{.per_second = options.max_requests_per_second,
                         .now = options.server.now});
}

}  // namespace banyan::edge
