// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/tool_calls.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "edge/mcp/json_rpc.h"
#include "edge/mcp/protocol_versions.h"
#include "edge/tools/error_result.h"
#include "edge/tools/result_format.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

bool Writes(const ToolSpec& spec) {
  return spec.group == ToolGroup::kEditing && !spec.is_read_only;
}

bool HasScope(const session::v1::Principal& principal,
              absl::string_view scope) {
  return std::find(principal.scopes().begin(), principal.scopes().end(),
                   scope) != principal.scopes().end();
}

json ListEntry(const ToolSpec& spec, absl::string_view version) {
  json entry = {{"name", spec.name},
                {"description", spec.description},
                {"inputSchema", spec.input_schema},
                {"annotations",
                 {{"title", spec.title},
                  {"readOnlyHint", spec.is_read_only},
                  {"openWorldHint", false}}}};
  if (!spec.is_read_only) {
    entry["annotations"]["destructiveHint"] = spec.is_destructive;
    entry["annotations"]["idempotentHint"] = spec.is_idempotent;
  }
  if (version != kBatchVersion) {
    entry["title"] = spec.title;
    if (!spec.output_schema.is_null()) {
      entry["outputSchema"] = spec.output_schema;
    }
  }
  return entry;
}

absl::StatusOr<json> Run(const ToolRegistry::Entry& entry, ToolCall call,
                         json arguments, EdgeKeys& keys) {
  ASSIGN_OR_RETURN(call.arguments, entry.input.Prepare(std::move(arguments)));
  ASSIGN_OR_RETURN(ToolResult result, entry.tool->Run(call));
  if (!result.blocks.is_null()) {
    json answer = {{"content", std::move(result.blocks)}};
    if (result.is_error) answer["isError"] = true;
    return answer;
  }
  ASSIGN_OR_RETURN(
      FormattedResult formatted,
      FormatResult(entry.tool->spec(), call, std::move(result), keys));
  const int64_t tokens = formatted.chars / 4;
  return json{
      {"content",
       json::array({{{"type", "text"}, {"text", std::move(formatted.text)}}})},
      {"structuredContent", std::move(formatted.structured)},
      {"_meta", {{"estimated_tokens", tokens}}}};
}

// A client that asked hears every second how long the call has taken, and what
// is being done.
void TellProgress(ToolCall& call, absl::Time begun) {
  if (!call.client->WantsProgress()) return;
  call.context.on_progress = [client = call.client,
                              begun](const std::string& work) {
    client->ReportProgress(
        std::floor(absl::ToDoubleSeconds(absl::Now() - begun)), std::nullopt,
        work);
  };
}

// What came of a call that was logged when it began.
void LogAnswer(const std::string& tool, const ToolCall& call,
               const absl::Status& status, absl::Duration taken) {
  const std::string outcome =
      status.ok() ? "OK" : rpc::ReasonName(rpc::ReasonOf(status));
  const int64_t elapsed_ms = absl::ToInt64Milliseconds(taken);
  rpc::Log({.event = "tool_answered",
            .message = absl::StrCat("Tool answered: ", tool, " (", outcome,
                                    ", ", elapsed_ms, " ms)"),
            .fields = {{"session", call.caller.session_public_id},
                       {"tool", tool},
                       {"outcome", outcome},
                       {"elapsed_ms", absl::StrCat(elapsed_ms)},
                       {"trace_id", call.context.trace.TraceId()}}});
}

}  // namespace

ToolCalls::ToolCalls(const ToolRegistry& tools, EdgeKeys& keys, Options options)
    : tools_(tools),
      keys_(keys),
      options_(options),
      oldest_(ListsFor(kBatchVersion)),
      usual_(ListsFor(kLegacyVersions.front())) {}

MethodOutcome ToolCalls::List(const json& params,
                              const session::v1::Principal& principal,
                              absl::string_view version) const {
  const json& cursor = Member(params, "cursor");
  if (!cursor.is_null() && cursor != "") {
    return RpcError{.code = kInvalidParams,
                    .message = "No list of ours has a second page.",
                    .data = {}};
  }
  const Lists& lists = version == kBatchVersion ? oldest_ : usual_;
  // Writing implies reading.
  PreparedResult result{.name = "tools", .text = lists.none};
  if (HasScope(principal, "code:read")) result.text = lists.reading;
  if (HasScope(principal, "code:write")) result.text = lists.writing;
  return result;
}

ToolCalls::Lists ToolCalls::ListsFor(absl::string_view version) const {
  json reading = json::array();
  json writing = json::array();
  for (const ToolRegistry::Entry& entry : tools_.entries()) {
    const ToolSpec& spec = entry.tool->spec();
    writing.push_back(ListEntry(spec, version));
    if (!Writes(spec)) reading.push_back(writing.back());
  }
  return {.none = std::make_shared<const std::string>("[]"),
          .reading = std::make_shared<const std::string>(Compact(reading)),
          .writing = std::make_shared<const std::string>(Compact(writing))};
}

MethodOutcome ToolCalls::Call(const json& params, ToolCall call) const {
  const json& name = Member(params, "name");
  if (!name.is_string()) {
    return RpcError{.code = kInvalidParams,
                    .message = "params.name must name a tool.",
                    .data = {}};
  }
  const auto* entry = tools_.Find(name.get_ref<const std::string&>());
  if (entry == nullptr) {
    return RpcError{
        .code = kInvalidParams,
        .message = absl::StrCat(
            "Unknown tool: ",
            rpc::EscapeForLog(name.get_ref<const std::string&>(), 100)),
        .data = {}};
  }

  const absl::Time begun = absl::Now();
  call.context.deadline =
      std::min(call.context.deadline, begun + options_.deadline);
  TellProgress(call, begun);
  auto answer = Run(*entry, call, Member(params, "arguments"), keys_);
  LogAnswer(entry->tool->name(), call, answer.status(), absl::Now() - begun);
  if (!answer.ok()) {
    if (RouteOf(answer.status()) != ErrorRoute::kToolResult) {
      return answer.status();
    }
    answer = ErrorResult(answer.status());
    (*answer)["_meta"]["estimated_tokens"] =
        (CountChars(Compact((*answer)["content"])) +
         CountChars(Compact((*answer)["structuredContent"]))) /
        4;
  }
  (*answer)["_meta"]["elapsed_ms"] =
      absl::ToInt64Milliseconds(absl::Now() - begun);
  return *std::move(answer);
}

}  // namespace banyan::edge
