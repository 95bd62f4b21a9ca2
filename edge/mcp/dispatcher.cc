// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/dispatcher.h"

#include <functional>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "edge/mcp/client_info.h"
#include "edge/mcp/protocol_versions.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kClientInfoKey[] = "io.modelcontextprotocol/clientInfo";

EraRules RulesOf(const ToolRegistry& tools) {
  std::map<std::string, std::vector<MirroredArgument>, std::less<>> mirrored;
  for (const ToolRegistry::Entry& entry : tools.entries()) {
    mirrored[entry.tool->name()] =
        MirroredArgumentsOf(entry.tool->spec().input_schema);
  }
  return {.is_modern_method = ModernMethods::Knows,
          .mirrored_arguments =
              [mirrored = std::move(mirrored)](absl::string_view name) {
                const auto found = mirrored.find(name);
                return found == mirrored.end() ? std::vector<MirroredArgument>()
                                               : found->second;
              }};
}

// "" for success, else what the metric calls it.
std::string ErrorTypeOf(const MethodOutcome& outcome) {
  if (const auto* error = std::get_if<RpcError>(&outcome)) {
    return absl::StrCat(error->code);
  }
  if (const auto* status = std::get_if<absl::Status>(&outcome)) {
    const int code = HttpStatusOf(*status);
    return code == 200 ? absl::StrCat(kInternalError) : absl::StrCat(code);
  }
  const auto* result = std::get_if<json>(&outcome);
  return result != nullptr && result->contains("isError") ? "tool_error" : "";
}

absl::Status Restarting() {
  return rpc::Error(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE,
                    "This server is about to restart.");
}

absl::Status TooManyStreams() {
  return rpc::Error(rpc::v1::ERROR_REASON_RATE_LIMITED,
                    "You have as many streams open as one caller may have: "
                    "close some.");
}

McpResponse ToHttp(const json& id, const MethodOutcome& outcome,
                   const rpc::CallContext& call) {
  if (const auto* status = std::get_if<absl::Status>(&outcome)) {
    return RefusalAnswer(id, *status, call.trace.TraceId());
  }
  if (const auto* error = std::get_if<RpcError>(&outcome)) {
    // Only the modern era says this, and by the status too.
    const int status = error->code == kMissingClientCapability ? 400 : 200;
    return ErrorAnswer(status, id, *error);
  }
  if (const auto* prepared = std::get_if<PreparedResult>(&outcome)) {
    return JsonAnswer(PreparedText(id, *prepared));
  }
  return JsonAnswer(ResultText(id, std::get<json>(outcome)));
}

}  // namespace

Dispatcher::Dispatcher(Parts parts, Options options)
    : parts_(parts),
      options_(std::move(options)),
      features_(ToolCalls(parts_.tools, parts_.keys, options_.tool_calls),
                parts_.resources, parts_.prompts),
      lifecycle_(parts_.sessions, options_.identity, options_.lists_change),
      legacy_(lifecycle_, features_, parts_.standing),
      modern_(features_, parts_.subscriptions, parts_.keys,
              {.identity = options_.identity,
               .lists_change = options_.lists_change}),
      rules_(RulesOf(parts_.tools)) {}

McpResponse Dispatcher::Handle(const McpRequest& request,
                               const std::shared_ptr<EventSink>& events) {
  const Exchange exchange{request, events};
  return std::visit(
      [&](const auto& classified) { return Answer(exchange, classified); },
      Classify(request, rules_));
}

void Dispatcher::Drain() {
  is_draining_ = true;
  parts_.subscriptions.EndAll();
}

McpResponse Dispatcher::Answer(const Exchange&, const Rejected& rejected) {
  return ErrorAnswer(rejected.status, rejected.id, rejected.error);
}

McpResponse Dispatcher::Answer(const Exchange&, const StrayNotification&) {
  return AcceptedAnswer();
}

McpResponse Dispatcher::Answer(const Exchange& exchange,
                               const ModernRequest& modern) {
  const McpRequest& request = exchange.request;
  const absl::Time begun = absl::Now();
  const RpcMessage& message = modern.message;
  rpc::CallContext call = ContextOf(request, message.Meta());
  // Closing the connection is how a modern client cancels.
  call.is_cancelled = request.is_peer_gone;
  if (message.method == "subscriptions/listen") {
    const absl::Status refused = MayStay(request);
    if (!refused.ok()) {
      return RefusalAnswer(message.id, refused, call.trace.TraceId());
    }
  }
  const ClientInfo client =
      ReadClientInfo(Member(message.Meta(), kClientInfoKey));
  const ModernMethods::Served served =
      modern_.Serve(message,
                    {.arguments = {},
                     .caller = {.principal = request.principal,
                                .session_id = "",
                                .session_public_id = "",
                                .default_project = request.default_project,
                                .default_access = DefaultAccessOf(request),
                                .client_name = client.name,
                                .client_version = client.version},
                     .context = call},
                    exchange.events);
  Observe(message, kModernVersions.front(), served.outcome, begun);
  if (served.stays_open) {
    // One that was opened while the others were ended.
    if (is_draining_) parts_.subscriptions.EndAll();
    return {.status = 200, .headers = {}, .body = "", .stays_open = true};
  }
  return ToHttp(message.id, served.outcome, call);
}

McpResponse Dispatcher::Answer(const Exchange& exchange,
                               const LegacyInitialize& legacy) {
  const McpRequest& request = exchange.request;
  const absl::Time begun = absl::Now();
  const rpc::CallContext call = ContextOf(request, legacy.message.Meta());
  auto opened = lifecycle_.Initialize(request, legacy.message, call);
  MethodOutcome outcome;
  if (opened.ok()) {
    outcome = std::move(opened->result);
  } else if (rpc::ReasonOf(opened.status()) ==
             rpc::v1::ERROR_REASON_ARGUMENT_INVALID) {
    outcome = RpcError{.code = kInvalidParams,
                       .message = std::string(opened.status().message()),
                       .data = {}};
  } else {
    outcome = opened.status();
  }
  Observe(legacy.message, opened.ok() ? opened->version : "", outcome, begun);
  McpResponse response = ToHttp(legacy.message.id, outcome, call);
  if (opened.ok()) {
    response.headers.emplace_back("Mcp-Session-Id", opened->session_id);
  }
  return response;
}

McpResponse Dispatcher::Answer(const Exchange& exchange,
                               const LegacyMessages& legacy) {
  const McpRequest& request = exchange.request;
  const absl::Time begun = absl::Now();
  auto read = legacy.is_batch ? std::variant<RpcMessage, MalformedMessage>()
                              : ToMessage(legacy.values.front());
  // The ladder read it before.
  RpcMessage message =
      legacy.is_batch ? RpcMessage() : std::get<RpcMessage>(std::move(read));
  const rpc::CallContext call = ContextOf(request, message.Meta());
  const auto session = lifecycle_.Validate(request, legacy.session_id, call);
  if (!session.ok()) {
    const MethodOutcome refused = session.status();
    Observe(message, "", refused, begun);
    return ToHttp(message.id, refused, call);
  }
  if (legacy.is_batch) return AnswerBatch(request, legacy, *session);
  if (message.kind != RpcMessage::Kind::kRequest) {
    legacy_.Take(std::move(message), legacy.session_id);
    return AcceptedAnswer();
  }
  AnswerStream stream(exchange.events, parts_.ring,
                      {.id = legacy.session_id, .principal = request.principal},
                      session->protocol_version());
  const MethodOutcome outcome = legacy_.Serve({.http = request,
                                               .message = message,
                                               .session_id = legacy.session_id,
                                               .session = *session,
                                               .context = call,
                                               .stream = &stream});
  Observe(message, session->protocol_version(), outcome, begun);
  return stream.Finish(ToHttp(message.id, outcome, call));
}

McpResponse Dispatcher::AnswerBatch(const McpRequest& request,
                                    const LegacyMessages& legacy,
                                    const session::v1::Session& session) {
  if (session.protocol_version() != kBatchVersion) {
    return ErrorAnswer(
        400, nullptr,
        {.code = kInvalidRequest,
         .message = absl::StrCat("Batches ended with ", kBatchVersion, "."),
         .data = {}});
  }
  // A batch holds its worker no longer than one call does.
  const absl::Time deadline = absl::Now() + options_.tool_calls.deadline;
  std::string answers;
  for (const json& value : legacy.values) {
    const absl::Time begun = absl::Now();
    std::string answer;
    auto read = ToMessage(value);
    if (const auto* malformed = std::get_if<MalformedMessage>(&read)) {
      answer = ErrorText(malformed->id, malformed->error);
    } else {
      auto& message = std::get<RpcMessage>(read);
      if (message.kind != RpcMessage::Kind::kRequest) {
        legacy_.Take(std::move(message), legacy.session_id);
        continue;
      }
      rpc::CallContext call = ContextOf(request, message.Meta());
      call.deadline = deadline;
      const MethodOutcome outcome =
          legacy_.Serve({.http = request,
                         .message = message,
                         .session_id = legacy.session_id,
                         .session = session,
                         .context = call});
      Observe(message, session.protocol_version(), outcome, begun);
      answer = ToHttp(message.id, outcome, call).body;
    }
    absl::StrAppend(&answers, answers.empty() ? "[" : ",", answer);
  }
  if (answers.empty()) return AcceptedAnswer();
  return JsonAnswer(answers + "]");
}

McpResponse Dispatcher::Answer(const Exchange& exchange,
                               const LegacyStream& legacy) {
  const McpRequest& request = exchange.request;
  const rpc::CallContext call = ContextOf(request, nullptr);
  if (legacy.session_id.empty()) {
    McpResponse response =
        ErrorAnswer(405, nullptr,
                    {.code = kInvalidRequest,
                     .message = "A stream belongs to a session: send "
                                "initialize first.",
                     .data = {}});
    response.headers.emplace_back("Allow", "POST, DELETE");
    return response;
  }
  const auto session = lifecycle_.Validate(request, legacy.session_id, call);
  const absl::Status refused =
      session.ok() ? MayStay(request) : session.status();
  if (!refused.ok()) {
    return RefusalAnswer(nullptr, refused, call.trace.TraceId());
  }
  const auto last = request.Header("last-event-id");
  McpResponse response = parts_.standing.Open(
      {.session = {.id = legacy.session_id, .principal = request.principal},
       .version = session->protocol_version(),
       .last_event_id = std::string(last.value_or(absl::string_view())),
       .subscriptions = {session->subscriptions().begin(),
                         session->subscriptions().end()}},
      exchange.events);
  if (is_draining_) parts_.subscriptions.EndAll();
  return response;
}

McpResponse Dispatcher::Answer(const Exchange& exchange,
                               const LegacyEnd& legacy) {
  const McpRequest& request = exchange.request;
  const rpc::CallContext call = ContextOf(request, nullptr);
  const auto ended = lifecycle_.End(request, legacy.session_id, call);
  if (!ended.ok()) {
    return RefusalAnswer(nullptr, ended.status(), call.trace.TraceId());
  }
  parts_.standing.EndSession(legacy.session_id);
  parts_.ring.Forget(legacy.session_id);
  if (parts_.metrics != nullptr) {
    parts_.metrics->ObserveSession(
        ended->protocol_version(),
        absl::Now() - absl::FromUnixMillis(ended->created_unix_ms()));
  }
  return {.status = 200, .headers = {}, .body = ""};
}

absl::Status Dispatcher::MayStay(const McpRequest& request) const {
  if (is_draining_) return Restarting();
  return request.may_stay() ? absl::OkStatus() : TooManyStreams();
}

rpc::CallContext Dispatcher::ContextOf(const McpRequest& request,
                                       const json& meta) {
  rpc::CallContext call;
  const std::string from_body = TextMember(meta, "traceparent");
  call.trace = rpc::TraceContext::Parse(
      from_body.empty() ? request.traceparent : from_body,
      TextMember(meta, "tracestate"));
  call.is_cancelled = request.is_withdrawn;
  return call;
}

void Dispatcher::Observe(const RpcMessage& message, absl::string_view version,
                         const MethodOutcome& outcome, absl::Time begun) {
  if (parts_.metrics == nullptr) return;
  const std::string tool = message.method == "tools/call"
                               ? TextMember(message.params, "name")
                               : std::string();
  const std::string error_type = ErrorTypeOf(outcome);
  parts_.metrics->ObserveOperation({.method = message.method,
                                    .tool = tool,
                                    .version = version,
                                    .error_type = error_type},
                                   absl::Now() - begun);
}

}  // namespace banyan::edge
