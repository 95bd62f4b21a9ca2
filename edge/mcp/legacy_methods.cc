// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/legacy_methods.h"

#include <utility>

#include "edge/mcp/call_notices.h"
#include "edge/mcp/legacy_link.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

RpcError Refused(int code, const char* message) {
  return {.code = code, .message = message, .data = {}};
}

Caller CallerOf(const LegacyMethods::Exchange& exchange) {
  return {.principal = exchange.http.principal,
          .session_id = exchange.session_id,
          .session_public_id = exchange.session.public_id(),
          .default_project = exchange.http.default_project,
          .default_access = DefaultAccessOf(exchange.http),
          .client_name = "",
          .client_version = ""};
}

}  // namespace

MethodOutcome LegacyMethods::Serve(const Exchange& exchange) {
  const RpcMessage& message = exchange.message;
  if (!message.params.is_null() && !message.params.is_object()) {
    return Refused(kInvalidParams, "params must be an object.");
  }
  if (message.method == "ping") return json::object();
  if (FeatureMethods::Knows(message.method)) return ServeFeature(exchange);
  if (message.method == "logging/setLevel") return SetLevel(exchange);
  if (message.method == "resources/subscribe") return Subscribe(exchange, true);
  if (message.method == "resources/unsubscribe") {
    return Subscribe(exchange, false);
  }
  if (message.method == "initialize") {
    return Refused(kInvalidRequest,
                   "initialize stands alone, never in a batch.");
  }
  return Refused(kMethodNotFound, "Method not found.");
}

void LegacyMethods::Take(RpcMessage message, const std::string& session_id) {
  if (message.kind == RpcMessage::Kind::kResponse) {
    requests_.Answer(session_id, std::move(message));
  } else if (message.method == "notifications/cancelled") {
    in_flight_.Cancel(session_id, Member(message.params, "requestId"));
  }
}

MethodOutcome LegacyMethods::ServeFeature(const Exchange& exchange) {
  const RpcMessage& message = exchange.message;
  const InFlight::Lease running =
      in_flight_.Begin(exchange.session_id, message.id);
  ToolCall call{.arguments = {},
                .caller = CallerOf(exchange),
                .context = exchange.context};
  call.context.is_cancelled = [is_cancelled = running.IsCancelled(),
                               is_withdrawn = exchange.http.is_withdrawn] {
    return is_cancelled() || is_withdrawn();
  };
  const std::string& version = exchange.session.protocol_version();
  if (exchange.stream == nullptr) {
    return features_.Serve(message, version, std::move(call));
  }
  LegacyLink link(
      {.session_id = exchange.session_id,
       .capabilities = json::parse(exchange.session.client_capabilities_json(),
                                   nullptr, /*allow_exceptions=*/false),
       .log_level = exchange.session.log_level(),
       .progress_token = Member(message.Meta(), "progressToken"),
       .context = call.context},
      *exchange.stream, requests_);
  call.client = &link;
  return features_.Serve(message, version, std::move(call));
}

MethodOutcome LegacyMethods::SetLevel(const Exchange& exchange) {
  const std::string level = TextMember(exchange.message.params, "level");
  if (!LevelIndex(level).has_value()) {
    return Refused(kInvalidParams, "params.level names no log level.");
  }
  session::v1::UpdateSessionRequest update;
  update.set_log_level(level);
  const absl::Status updated = lifecycle_.Update(
      std::move(update), exchange.http, exchange.session_id, exchange.context);
  if (!updated.ok()) return updated;
  return json::object();
}

MethodOutcome LegacyMethods::Subscribe(const Exchange& exchange, bool is_on) {
  const std::string uri = TextMember(exchange.message.params, "uri");
  if (uri.empty()) {
    return Refused(kInvalidParams, "params.uri must be a string.");
  }
  session::v1::UpdateSessionRequest update;
  if (is_on) {
    update.add_add_subscriptions(uri);
  } else {
    update.add_remove_subscriptions(uri);
  }
  const absl::Status updated = lifecycle_.Update(
      std::move(update), exchange.http, exchange.session_id, exchange.context);
  if (!updated.ok()) return ToOutcome(updated);
  if (is_on) {
    standing_.Subscribe(exchange.session_id, uri);
  } else {
    standing_.Unsubscribe(exchange.session_id, uri);
  }
  return json::object();
}

}  // namespace banyan::edge
