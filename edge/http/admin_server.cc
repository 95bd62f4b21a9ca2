// SPDX-License-Identifier: Apache-2.0
#include "edge/http/admin_server.h"

#include <algorithm>
#include <utility>

#include "edge/http/caller_check.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

constexpr char kMethods[] = "GET, OPTIONS";
constexpr char kOverviewPath[] = "/get_session_overview";
constexpr char kStatsPath[] = "/get_lsp_pool_stats";

int HttpStatusOf(rpc::ErrorReason reason) {
  switch (reason) {
    case rpc::v1::ERROR_REASON_UNAUTHENTICATED:
      return 401;
    case rpc::v1::ERROR_REASON_SCOPE_MISSING:
      return 403;
    case rpc::v1::ERROR_REASON_STORE_UNREACHABLE:
    case rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE:
    case rpc::v1::ERROR_REASON_WATCH_OUT_OF_SYNC:
    case rpc::v1::ERROR_REASON_DEADLINE:
      return 503;
    default:
      return 500;
  }
}

HttpResponse ToHttp(absl::StatusOr<std::string> json) {
  if (json.ok()) {
    return {.headers = {{"Content-Type", "application/json"},
                        {"Cache-Control", "no-store"}},
            .body = *std::move(json)};
  }
  const rpc::ErrorReason reason = rpc::ReasonOf(json.status());
  const int status = HttpStatusOf(reason);
  HttpResponse response =
      JsonError(status, rpc::ReasonName(reason),
                status == 500 ? "internal error" : json.status().message());
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

bool MayAdminister(const session::v1::Principal& caller) {
  const auto& scopes = caller.scopes();
  return std::find(scopes.begin(), scopes.end(), "admin") != scopes.end();
}

class HttpAdminServer : public AdminServer, private HttpHandler {
 public:
  HttpAdminServer(std::unique_ptr<HttpServer> server, Options options,
                  Authenticator& authenticator, AdminSource& source,
                  HttpMetrics& metrics)
      : answer_timeout_(options.answer_timeout),
        callers_(std::move(options.guard), authenticator, metrics, kMethods),
        source_(source),
        server_(std::move(server)) {
    server_->Serve(*this);
  }

  ~HttpAdminServer() override { Stop(absl::ZeroDuration()); }

  int port() const override { return server_->port(); }
  void Stop(absl::Duration limit) override { server_->Stop(limit); }

 private:
  Admission Admit(const HttpRequest& head,
                  PeerConnection& connection) override {
    if (head.path != kOverviewPath && head.path != kStatsPath) {
      return callers_.Refuse(
          {RefusalReason::kPathUnknown, 404,
           "served here: /get_session_overview, /get_lsp_pool_stats"});
    }
    Admission admission = callers_.Admit(head, connection);
    if (!admission.answer.has_value() &&
        !MayAdminister(admission.caller.principal)) {
      return callers_.Refuse({RefusalReason::kScopeMissing, 403,
                              "this needs a token with the scope admin"});
    }
    return admission;
  }

  HttpHeaders CommonHeaders(const HttpRequest& head) override {
    return callers_.guard().CorsHeaders(head);
  }

  HttpResponse Handle(HttpExchange& exchange) override {
    const HttpRequest& request = exchange.request;
    const rpc::CallContext context = {
        .deadline = absl::Now() + answer_timeout_,
        .trace =
            rpc::TraceContext::Parse(request.Header("traceparent").value_or(""),
                                     request.Header("tracestate").value_or("")),
        .is_cancelled = exchange.is_peer_gone};
    return ToHttp(
        request.path == kOverviewPath
            ? source_.SessionOverviewJson(exchange.caller.principal, context)
            : source_.LspPoolStatsJson(exchange.caller.principal, context));
  }

  const absl::Duration answer_timeout_;
  CallerCheck callers_;
  AdminSource& source_;
  const std::unique_ptr<HttpServer> server_;  // Last: it calls the others.
};

}  // namespace

absl::StatusOr<std::unique_ptr<AdminServer>> AdminServer::Start(
    Options options, Authenticator& authenticator, AdminSource& source,
    HttpMetrics& metrics) {
  RETURN_IF_ERROR(CheckListenAddress("--admin_listen", options.server.listen,
                                     authenticator));
  ASSIGN_OR_RETURN(auto server, HttpServer::Listen(options.server, metrics));
  options.guard.port = server->port();
  options.guard.is_any_loopback_port = true;
  return std::make_unique<HttpAdminServer>(
      std::move(server), std::move(options), authenticator, source, metrics);
}

}  // namespace banyan::edge
