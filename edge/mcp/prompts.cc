// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/prompts.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "edge/mcp/json_rpc.h"
#include "edge/mcp/protocol_versions.h"
#include "edge/mcp/resources.h"
#include "proto/rpc/event_log.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

RpcError Refused(std::string message) {
  return {.code = kInvalidParams, .message = std::move(message), .data = {}};
}

json ListEntry(const PromptSpec& spec, absl::string_view version) {
  json entry = {{"name", spec.name}, {"description", spec.description}};
  if (version != kBatchVersion) entry["title"] = spec.title;
  for (const PromptArgument& argument : spec.arguments) {
    entry["arguments"].push_back({{"name", argument.name},
                                  {"description", argument.description},
                                  {"required", argument.is_required}});
  }
  return entry;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> Prompt::Complete(
    const std::string& /*argument*/, const std::string& /*value*/,
    const ToolCall& /*call*/) const {
  return std::vector<std::string>();
}

MethodOutcome Prompts::List(const json& params,
                            absl::string_view version) const {
  if (auto refused = RefuseCursor(params)) return *std::move(refused);
  json list = json::array();
  for (const auto& prompt : prompts_) {
    list.push_back(ListEntry(prompt->spec(), version));
  }
  return json{{"prompts", std::move(list)}};
}

MethodOutcome Prompts::Get(const json& params, ToolCall call) const {
  const std::string name = TextMember(params, "name");
  const Prompt* prompt = Find(name);
  if (prompt == nullptr) {
    return Refused(
        absl::StrCat("Unknown prompt: ", rpc::EscapeForLog(name, 100)));
  }
  json arguments = Member(params, "arguments");
  if (arguments.is_null()) arguments = json::object();
  if (!arguments.is_object()) return Refused("arguments must be an object.");
  for (const auto& [key, value] : arguments.items()) {
    if (!value.is_string()) {
      return Refused("Every argument of a prompt is a string.");
    }
  }
  for (const PromptArgument& argument : prompt->spec().arguments) {
    if (argument.is_required && !arguments.contains(argument.name)) {
      return Refused(
          absl::StrCat("The prompt needs the argument ", argument.name, "."));
    }
  }
  call.arguments = std::move(arguments);
  auto messages = prompt->Messages(call);
  if (!messages.ok()) return ToOutcome(messages.status());
  return json{{"description", prompt->spec().description},
              {"messages", *std::move(messages)}};
}

const Prompt* Prompts::Find(const std::string& name) const {
  for (const auto& prompt : prompts_) {
    if (prompt->spec().name == name) return prompt.get();
  }
  return nullptr;
}

json UserMessage(json content) {
  return {{"role", "user"}, {"content", std::move(content)}};
}

json UserText(const std::string& text) {
  return UserMessage({{"type", "text"}, {"text", text}});
}

}  // namespace banyan::edge
