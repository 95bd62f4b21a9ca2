// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/dispatcher.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "edge/mcp/client_info.h"
#include "edge/mcp/discover.h"
#include "edge/mcp/protocol_versions.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kClientInfoKey[] = "io.modelcontextprotocol/clientInfo";

EraRules RulesOf(const ToolRegistry& tools) {
  return {.is_modern_method =
              [](absl::string_view method) {
                return method == "server/discover" || method == "tools/list" ||
                       method == "tools/call";
              },
          .mirrors_workspace =
              [&tools](absl::string_view name) {
                const auto* entry = tools.Find(name);
                return entry != nullptr && entry->tool->spec()
                                               .input_schema.at("properties")
                                               .contains("workspace");
              }};
}

RpcError NotFound() {
  return {.code = kMethodNotFound, .message = "Method not found.", .data = {}};
}

RpcError BadParams() {
  return {.code = kInvalidParams,
          .message = "params must be an object.",
          .data = {}};
}

bool HasGoodParams(const RpcMessage& message) {
  return message.params.is_null() || message.params.is_object();
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
  return std::get<json>(outcome).contains("isError") ? "tool_error" : "";
}

McpResponse ToHttp(const json& id, const MethodOutcome& outcome,
                   const rpc::CallContext& call) {
  if (const auto* status = std::get_if<absl::Status>(&outcome)) {
    return RefusalAnswer(id, *status, call.trace.TraceId());
  }
  if (const auto* error = std::get_if<RpcError>(&outcome)) {
    return ErrorAnswer(200, id, *error);
  }
  return JsonAnswer(ResultText(id, std::get<json>(outcome)));
}

}  // namespace

Dispatcher::Dispatcher(SessionClient& sessions, const ToolRegistry& tools,
                       EdgeKeys& keys, OperationMetrics* metrics,
                       Options options)
    : lifecycle_(sessions, options.identity),
      tool_calls_(tools, keys, options.tool_calls),
      metrics_(metrics),
      options_(std::move(options)),
      rules_(RulesOf(tools)) {}

McpResponse Dispatcher::Handle(const McpRequest& request, EventSink&) {
  return std::visit(
      [&](const auto& classified) { return Answer(request, classified); },
      Classify(request, rules_));
}

McpResponse Dispatcher::Answer(const McpRequest&, const Rejected& rejected) {
  return ErrorAnswer(rejected.status, rejected.id, rejected.error);
}

McpResponse Dispatcher::Answer(const McpRequest&, const StrayNotification&) {
  return AcceptedAnswer();
}

McpResponse Dispatcher::Answer(const McpRequest& request,
                               const ModernRequest& modern) {
  const absl::Time begun = absl::Now();
  const RpcMessage& message = modern.message;
  rpc::CallContext call = ContextOf(request, message.Meta());
  // Closing the connection is how a modern client cancels.
  call.is_cancelled = request.is_peer_gone;

  MethodOutcome outcome;
  if (message.method == "server/discover") {
    outcome = DiscoverResult(options_.identity);
  } else if (message.method == "tools/list") {
    outcome = tool_calls_.List(message.params, request.principal,
                               kModernVersions.front());
    if (auto* result = std::get_if<json>(&outcome)) {
      outcome = AsCacheableResult(std::move(*result), options_.identity);
    }
  } else {
    const ClientInfo client =
        ReadClientInfo(Member(message.Meta(), kClientInfoKey));
    outcome = tool_calls_.Call(message.params,
                               {.principal = request.principal,
                                .session_id = "",
                                .session_public_id = "",
                                .default_project = request.default_project,
                                .default_access = DefaultAccessOf(request),
                                .client_name = client.name,
                                .client_version = client.version},
                               call);
    if (auto* result = std::get_if<json>(&outcome)) {
      outcome = AsModernResult(std::move(*result), options_.identity);
    }
  }
  Observe(message, kModernVersions.front(), outcome, begun);
  return ToHttp(message.id, outcome, call);
}

McpResponse Dispatcher::Answer(const McpRequest& request,
                               const LegacyInitialize& legacy) {
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

McpResponse Dispatcher::Answer(const McpRequest& request,
                               const LegacyMessages& legacy) {
  const absl::Time begun = absl::Now();
  auto read = legacy.is_batch ? std::variant<RpcMessage, MalformedMessage>()
                              : ToMessage(legacy.values.front());
  // The ladder read it before.
  const RpcMessage message =
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
    TakeLegacy(message, legacy.session_id);
    return AcceptedAnswer();
  }

  const MethodOutcome outcome =
      ServeLegacy(request, message, legacy.session_id, *session, call);
  Observe(message, session->protocol_version(), outcome, begun);
  return ToHttp(message.id, outcome, call);
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
      const auto& message = std::get<RpcMessage>(read);
      if (message.kind != RpcMessage::Kind::kRequest) {
        TakeLegacy(message, legacy.session_id);
        continue;
      }
      rpc::CallContext call = ContextOf(request, message.Meta());
      call.deadline = deadline;
      const MethodOutcome outcome =
          ServeLegacy(request, message, legacy.session_id, session, call);
      Observe(message, session.protocol_version(), outcome, begun);
      answer = ToHttp(message.id, outcome, call).body;
    }
    absl::StrAppend(&answers, answers.empty() ? "[" : ",", answer);
  }
  if (answers.empty()) return AcceptedAnswer();
  return JsonAnswer(answers + "]");
}

void Dispatcher::TakeLegacy(const RpcMessage& message,
                            const std::string& session_id) {
  if (message.method == "notifications/cancelled") {
    in_flight_.Cancel(session_id, Member(message.params, "requestId"));
  }
}

MethodOutcome Dispatcher::ServeLegacy(const McpRequest& request,
                                      const RpcMessage& message,
                                      const std::string& session_id,
                                      const session::v1::Session& session,
                                      rpc::CallContext call) {
  if (!HasGoodParams(message)) return BadParams();
  if (message.method == "ping") return json::object();
  if (message.method == "tools/list") {
    return tool_calls_.List(message.params, request.principal,
                            session.protocol_version());
  }
  if (message.method == "tools/call") {
    const InFlight::Lease running = in_flight_.Begin(session_id, message.id);
    call.is_cancelled = running.IsCancelled();
    return tool_calls_.Call(message.params,
                            {.principal = request.principal,
                             .session_id = session_id,
                             .session_public_id = session.public_id(),
                             .default_project = request.default_project,
                             .default_access = DefaultAccessOf(request),
                             .client_name = "",
                             .client_version = ""},
                            call);
  }
  if (message.method == "initialize") {
    return RpcError{.code = kInvalidRequest,
                    .message = "initialize stands alone, never in a batch.",
                    .data = {}};
  }
  return NotFound();
}

McpResponse Dispatcher::Answer(const McpRequest& request,
                               const LegacyStream& legacy) {
  const rpc::CallContext call = ContextOf(request, nullptr);
  if (!legacy.session_id.empty()) {
    const auto session = lifecycle_.Validate(request, legacy.session_id, call);
    if (!session.ok()) {
      return RefusalAnswer(nullptr, session.status(), call.trace.TraceId());
    }
  }
  McpResponse response = ErrorAnswer(405, nullptr,
                                     {.code = kInvalidRequest,
                                      .message = "No stream is offered here.",
                                      .data = {}});
  response.headers.emplace_back("Allow", "POST, DELETE");
  return response;
}

McpResponse Dispatcher::Answer(const McpRequest& request,
                               const LegacyEnd& legacy) {
  const rpc::CallContext call = ContextOf(request, nullptr);
  const auto ended = lifecycle_.End(request, legacy.session_id, call);
  if (!ended.ok()) {
    return RefusalAnswer(nullptr, ended.status(), call.trace.TraceId());
  }
  if (metrics_ != nullptr) {
    metrics_->ObserveSession(
        ended->protocol_version(),
        absl::Now() - absl::FromUnixMillis(ended->created_unix_ms()));
  }
  return {.status = 200, .headers = {}, .body = ""};
}

rpc::CallContext Dispatcher::ContextOf(const McpRequest& request,
                                       const json& meta) {
  rpc::CallContext call;
  const std::string from_body = TextMember(meta, "traceparent");
  call.trace = rpc::TraceContext::Parse(
      from_body.empty() ? request.traceparent : from_body,
      TextMember(meta, "tracestate"));
  return call;
}

void Dispatcher::Observe(const RpcMessage& message, absl::string_view version,
                         const MethodOutcome& outcome, absl::Time begun) {
  if (metrics_ == nullptr) return;
  const std::string tool = message.method == "tools/call"
                               ? TextMember(message.params, "name")
                               : std::string();
  const std::string error_type = ErrorTypeOf(outcome);
  metrics_->ObserveOperation({.method = message.method,
                              .tool = tool,
                              .version = version,
                              .error_type = error_type},
                             absl::Now() - begun);
}

}  // namespace banyan::edge
