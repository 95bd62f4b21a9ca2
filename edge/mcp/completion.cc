// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/completion.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "edge/mcp/json_rpc.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr size_t kMaxValues = 100;

RpcError Refused(const char* message) {
  return {.code = kInvalidParams, .message = message, .data = {}};
}

}  // namespace

MethodOutcome Complete(const json& params, const Prompts& prompts,
                       const Resources& resources, ToolCall call) {
  const json& ref = Member(params, "ref");
  const json& argument = Member(params, "argument");
  const json& name = Member(argument, "name");
  const json& value = Member(argument, "value");
  if (!name.is_string() || !value.is_string()) {
    return Refused("params.argument needs a name and a value, both strings.");
  }
  json known = Member(Member(params, "context"), "arguments");
  if (!known.is_object()) known = json::object();

  absl::StatusOr<std::vector<std::string>> values;
  if (TextMember(ref, "type") == "ref/prompt") {
    const Prompt* prompt = prompts.Find(TextMember(ref, "name"));
    if (prompt == nullptr) return Refused("Unknown prompt.");
    call.arguments = std::move(known);
    values = prompt->Complete(name.get<std::string>(), value.get<std::string>(),
                              call);
  } else if (TextMember(ref, "type") == "ref/resource") {
    values = resources.Complete(TextMember(ref, "uri"), name.get<std::string>(),
                                value.get<std::string>(), known, call);
  } else {
    return Refused("params.ref names a prompt or a resource template.");
  }
  if (!values.ok()) return ToOutcome(values.status());
  const size_t total = values->size();
  values->resize(std::min(total, kMaxValues));
  return json{{"completion",
               {{"values", *values},
                {"total", total},
                {"hasMore", total > kMaxValues}}}};
}

}  // namespace banyan::edge
