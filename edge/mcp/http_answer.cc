// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/http_answer.h"

#include <algorithm>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

// Seconds, spread so that a thousand clients do not come back at once.
std::string RetryAfter(const rpc::ErrorDetail& detail) {
  thread_local absl::BitGen random;
  const int64_t least =
      std::max<int64_t>(1, (detail.retry_after_ms() + 999) / 1000);
  return absl::StrCat(
      absl::Uniform<int64_t>(absl::IntervalClosed, random, least, least + 3));
}

McpResponse Refuse(int status, const json& id, absl::string_view message) {
  return ErrorAnswer(
      status, id,
      {.code = kInvalidRequest, .message = std::string(message), .data = {}});
}

McpResponse Later(int status, const json& id, absl::string_view message,
                  const rpc::ErrorDetail& detail) {
  McpResponse response = Refuse(status, id, message);
  response.headers.emplace_back("Retry-After", RetryAfter(detail));
  return response;
}

McpResponse Challenge(int status, const json& id, absl::string_view message,
                      const char* challenge) {
  McpResponse response = Refuse(status, id, message);
  response.headers.emplace_back("WWW-Authenticate", challenge);
  return response;
}

McpResponse OurFault(const json& id, const absl::Status& status,
                     const std::string& trace_id) {
  rpc::Log({.level = rpc::LogLevel::kError,
            .event = "internal_error",
            .message = absl::StrCat("Internal error: ", status.ToString()),
            .fields = {{"trace_id", trace_id}}});
  return ErrorAnswer(
      200, id,
      {.code = kInternalError,
       .message = absl::StrCat("Internal error. Trace: ", trace_id, "."),
       .data = {}});
}

}  // namespace

McpResponse JsonAnswer(std::string body) {
  return {.status = 200,
          .headers = {{"Content-Type", "application/json"}},
          .body = std::move(body)};
}

McpResponse AcceptedAnswer() {
  return {.status = 202, .headers = {}, .body = ""};
}

McpResponse ErrorAnswer(int status, const json& id, const RpcError& error) {
  McpResponse response = JsonAnswer(ErrorText(id, error));
  response.status = status;
  return response;
}

int HttpStatusOf(const absl::Status& status) {
  switch (rpc::ReasonOf(status)) {
    case rpc::v1::ERROR_REASON_SESSION_GONE:
    case rpc::v1::ERROR_REASON_ID_MALFORMED:
      return 404;
    case rpc::v1::ERROR_REASON_STORE_UNREACHABLE:
    case rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE:
    case rpc::v1::ERROR_REASON_WATCH_OUT_OF_SYNC:
    case rpc::v1::ERROR_REASON_DEADLINE:
      return 503;
    case rpc::v1::ERROR_REASON_RATE_LIMITED:
    case rpc::v1::ERROR_REASON_SESSION_LIMIT:
      return 429;
    case rpc::v1::ERROR_REASON_UNAUTHENTICATED:
      return 401;
    case rpc::v1::ERROR_REASON_SCOPE_MISSING:
      return 403;
    default:
      return 200;
  }
}

McpResponse RefusalAnswer(const json& id, const absl::Status& status,
                          const std::string& trace_id) {
  const int http_status = HttpStatusOf(status);
  switch (http_status) {
    case 404:
      // Clients start over on 404 (MCP, Session Management).
      return Refuse(404, id,
                    "No such session: it ended, or never was. Send "
                    "initialize again.");
    case 503:
      return Later(503, id, "The server is restarting; nothing is lost.",
                   rpc::DetailOf(status));
    case 429:
      return Later(429, id, status.message(), rpc::DetailOf(status));
    case 401:
      return Challenge(401, id, status.message(), "Bearer");
    case 403:
      return Challenge(403, id, status.message(),
                       "Bearer error=\"insufficient_scope\"");
    default:
      return OurFault(id, status, trace_id);
  }
}

}  // namespace banyan::edge
