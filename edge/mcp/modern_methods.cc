// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/modern_methods.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "edge/mcp/call_notices.h"
#include "edge/mcp/discover.h"
#include "edge/mcp/modern_link.h"
#include "edge/mcp/protocol_versions.h"
#include "edge/mcp/request_state.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kCapabilitiesKey[] =
    "io.modelcontextprotocol/clientCapabilities";
constexpr char kLogLevelKey[] = "io.modelcontextprotocol/logLevel";

RpcError Refused(std::string message) {
  return {.code = kInvalidParams, .message = std::move(message), .data = {}};
}

// Why the members that come with every request cannot be read.
std::optional<RpcError> CheckParams(const RpcMessage& message) {
  const json& level = Member(message.Meta(), kLogLevelKey);
  if (!level.is_null() &&
      (!level.is_string() ||
       !LevelIndex(level.get_ref<const std::string&>()).has_value())) {
    return Refused(absl::StrCat(kLogLevelKey, " names no log level."));
  }
  const json& responses = Member(message.params, "inputResponses");
  if (!responses.is_null() && !responses.is_object()) {
    return Refused("params.inputResponses must be an object.");
  }
  const json& state = Member(message.params, "requestState");
  if (!state.is_null() && !state.is_string()) {
    return Refused("params.requestState must be a string.");
  }
  return std::nullopt;
}

}  // namespace

bool ModernMethods::Knows(absl::string_view method) {
  return FeatureMethods::Knows(method) || method == "server/discover" ||
         method == "subscriptions/listen";
}

ModernMethods::Served ModernMethods::Serve(
    const RpcMessage& message, ToolCall call,
    const std::shared_ptr<EventSink>& events) {
  if (message.method == "server/discover") {
    return {.outcome =
                DiscoverResult(options_.identity, options_.lists_change)};
  }
  if (message.method == "subscriptions/listen") {
    auto refused = subscriptions_.Listen(message,
                                         {.lists_change = options_.lists_change,
                                          .resources = options_.lists_change},
                                         events);
    if (refused.has_value()) return {.outcome = *std::move(refused)};
    return {.outcome = json::object(), .stays_open = true};
  }
  MethodOutcome outcome = ServeFeature(message, std::move(call), events);
  if (auto* prepared = std::get_if<PreparedResult>(&outcome)) {
    prepared->members =
        AsCacheableResult(std::move(prepared->members), options_.identity);
    return {.outcome = std::move(outcome)};
  }
  auto* result = std::get_if<json>(&outcome);
  if (result == nullptr) return {.outcome = std::move(outcome)};
  const bool is_complete = !result->contains("resultType");
  if (FeatureMethods::IsCacheable(message.method) && is_complete) {
    return {.outcome =
                AsCacheableResult(std::move(*result), options_.identity)};
  }
  return {.outcome = AsModernResult(std::move(*result), options_.identity)};
}

MethodOutcome ModernMethods::ServeFeature(
    const RpcMessage& message, ToolCall call,
    const std::shared_ptr<EventSink>& events) {
  if (auto refused = CheckParams(message)) return *std::move(refused);
  RequestState state;
  const std::string sealed = TextMember(message.params, "requestState");
  if (!sealed.empty() && FeatureMethods::MayAsk(message.method)) {
    auto opened = OpenRequestState(sealed, message, call.caller.principal,
                                   absl::Now(), keys_, call.context);
    if (absl::IsInvalidArgument(opened.status())) {
      return Refused(std::string(opened.status().message()));
    }
    if (!opened.ok()) return opened.status();
    state = *std::move(opened);
  }
  ModernLink link({.capabilities = Member(message.Meta(), kCapabilitiesKey),
                   .log_level = TextMember(message.Meta(), kLogLevelKey),
                   .progress_token = Member(message.Meta(), "progressToken"),
                   .kept_answers = std::move(state.answers),
                   .new_answers = Member(message.params, "inputResponses")},
                  events);
  call.client = &link;
  const session::v1::Principal principal = call.caller.principal;
  const rpc::CallContext context = call.context;
  MethodOutcome outcome =
      features_.Serve(message, kModernVersions.front(), std::move(call));

  auto interruption = link.TakeInterruption();
  if (!interruption.has_value()) return outcome;
  if (interruption->questions.is_null()) return std::move(interruption->error);
  const auto next = SealRequestState(
      {.answers = std::move(interruption->answers), .rounds = state.rounds + 1},
      message, principal, absl::Now(), keys_, context);
  if (!next.ok()) return next.status();
  return json{{"resultType", "input_required"},
              {"inputRequests", std::move(interruption->questions)},
              {"requestState", *next}};
}

}  // namespace banyan::edge
