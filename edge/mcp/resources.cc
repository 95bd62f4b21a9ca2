// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/resources.h"

#include "edge/mcp/json_rpc.h"
#include "edge/tools/error_result.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

RpcError Unknown(const std::string& uri, bool is_modern) {
  return {.code = is_modern ? kInvalidParams : kLegacyResourceNotFound,
          .message =
              "No such resource. resources/list and "
              "resources/templates/list name those there are.",
          .data = {{"uri", uri}}};
}

}  // namespace

std::optional<RpcError> RefuseCursor(const json& params) {
  const json& cursor = Member(params, "cursor");
  if (cursor.is_null() || cursor == "") return std::nullopt;
  return RpcError{.code = kInvalidParams,
                  .message = "No list of ours has a second page.",
                  .data = {}};
}

MethodOutcome ToOutcome(const absl::Status& status) {
  const bool is_for_client =
      HttpStatusOf(status) == 200 && RouteOf(status) == ErrorRoute::kToolResult;
  if (!is_for_client) return status;
  return RpcError{.code = kInvalidParams,
                  .message = std::string(status.message()),
                  .data = {{"reason", rpc::ReasonName(rpc::ReasonOf(status))}}};
}

MethodOutcome Resources::List(const json& params, const ToolCall& call) const {
  if (auto refused = RefuseCursor(params)) return *std::move(refused);
  json resources = json::array();
  for (const auto& source : sources_) {
    auto list = source->List(call);
    if (!list.ok()) return ToOutcome(list.status());
    for (json& resource : *list) resources.push_back(std::move(resource));
  }
  return json{{"resources", std::move(resources)}};
}

MethodOutcome Resources::Templates(const json& params) const {
  if (auto refused = RefuseCursor(params)) return *std::move(refused);
  json templates = json::array();
  for (const auto& source : sources_) {
    for (json& one : source->Templates()) templates.push_back(std::move(one));
  }
  return json{{"resourceTemplates", std::move(templates)}};
}

MethodOutcome Resources::Read(const json& params, bool is_modern,
                              const ToolCall& call) const {
  const json& uri = Member(params, "uri");
  if (!uri.is_string()) {
    return RpcError{.code = kInvalidParams,
                    .message = "params.uri must be a string.",
                    .data = {}};
  }
  const auto& text = uri.get_ref<const std::string&>();
  const ResourceSource* source = Find(text);
  if (source == nullptr) return Unknown(text, is_modern);
  auto contents = source->Read(text, call);
  if (absl::IsNotFound(contents.status()) &&
      rpc::ReasonOf(contents.status()) != rpc::v1::ERROR_REASON_SESSION_GONE) {
    return Unknown(text, is_modern);
  }
  if (!contents.ok()) return ToOutcome(contents.status());
  return json{{"contents", *std::move(contents)}};
}

absl::StatusOr<std::vector<std::string>> Resources::Complete(
    const std::string& uri_template, const std::string& variable,
    const std::string& value, const json& known, const ToolCall& call) const {
  for (const auto& source : sources_) {
    for (const json& one : source->Templates()) {
      if (TextMember(one, "uriTemplate") == uri_template) {
        return source->Complete(uri_template, variable, value, known, call);
      }
    }
  }
  return std::vector<std::string>();
}

const ResourceSource* Resources::Find(const std::string& uri) const {
  for (const auto& source : sources_) {
    if (source->Owns(uri)) return source.get();
  }
  return nullptr;
}

}  // namespace banyan::edge
