// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/era.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "edge/mcp/protocol_versions.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kVersionKey[] = "io.modelcontextprotocol/protocolVersion";
constexpr char kCapabilitiesKey[] =
    "io.modelcontextprotocol/clientCapabilities";
constexpr size_t kMaxBatch = 100;

Rejected Reject(int status, int code, std::string message, json id = nullptr,
                json data = nullptr) {
  return {.status = status,
          .error = {.code = code,
                    .message = std::move(message),
                    .data = std::move(data)},
          .id = std::move(id)};
}

Rejected Mismatch(std::string message, const json& id) {
  return Reject(400, kHeaderMismatch, std::move(message), id);
}

// The one value of a header. Two that differ are as good as none: whoever
// routed this request may have read the other.
struct HeaderValue {
  bool is_present = false;
  bool is_ambiguous = false;
  std::string value;

  bool Is(absl::string_view expected) const {
    return is_present && !is_ambiguous && value == expected;
  }
};

HeaderValue ReadHeader(const McpRequest& request, absl::string_view name) {
  HeaderValue header;
  for (const auto& [key, value] : request.headers) {
    if (key != name) continue;
    if (header.is_present && header.value != value) header.is_ambiguous = true;
    header.is_present = true;
    header.value = value;
  }
  return header;
}

// Value coding of mirrored headers: plain, or =?base64?…?= around UTF-8. None:
// cannot be decoded.
std::optional<std::string> Decode(absl::string_view value) {
  constexpr absl::string_view kPrefix = "=?base64?";
  constexpr absl::string_view kSuffix = "?=";
  if (value.size() < kPrefix.size() + kSuffix.size() ||
      !absl::StartsWith(value, kPrefix) || !absl::EndsWith(value, kSuffix)) {
    return std::string(value);
  }
  value.remove_prefix(kPrefix.size());
  value.remove_suffix(kSuffix.size());
  std::string decoded;
  // The decoder is lenient about padding and blanks; we are not.
  if (!absl::Base64Unescape(value, &decoded) ||
      absl::Base64Escape(decoded) != value) {
    return std::nullopt;
  }
  return decoded;
}

// How a header writes what the body holds; none for what no header can say.
std::optional<std::string> HeaderForm(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return value.dump();
  return std::nullopt;
}

bool AreSame(const std::string& header, const json& value) {
  if (value.is_number_integer()) {
    // 042 and 42 are one number, and 42.0 too.
    double number = 0;
    return absl::SimpleAtod(header, &number) && number == value.get<double>();
  }
  return HeaderForm(value) == header;
}

// Holds a mirrored header against the body. Absent in both is fine.
std::optional<Rejected> CheckMirror(const McpRequest& request,
                                    absl::string_view shown_name,
                                    const json& body_value, const json& id) {
  const HeaderValue header =
      ReadHeader(request, absl::AsciiStrToLower(shown_name));
  if (body_value.is_null() && !header.is_present) return std::nullopt;
  // What no header can say is refused where the method reads it.
  if (!body_value.is_null() && !HeaderForm(body_value).has_value()) {
    return std::nullopt;
  }
  if (!header.is_present) {
    return Mismatch(absl::StrCat("The header ", shown_name, " is missing."),
                    id);
  }
  const std::optional<std::string> decoded = Decode(header.value);
  if (!decoded.has_value()) {
    return Mismatch(
        absl::StrCat("The header ", shown_name, " is not valid base64."), id);
  }
  if (header.is_ambiguous || body_value.is_null() ||
      !AreSame(*decoded, body_value)) {
    return Mismatch(
        absl::StrCat("The header ", shown_name, " differs from the body."), id);
  }
  return std::nullopt;
}

// Which member of params Mcp-Name repeats; empty: none.
absl::string_view NamedMember(absl::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method == "tasks/get" || method == "tasks/update" ||
      method == "tasks/cancel") {
    return "taskId";
  }
  return "";
}

bool HasModernKey(const json& message) {
  return Member(Member(message, "params"), "_meta").contains(kVersionKey);
}

bool IsJson(const McpRequest& request) {
  const absl::string_view type =
      request.Header("content-type").value_or(absl::string_view());
  return absl::EqualsIgnoreCase(
      absl::StripAsciiWhitespace(type.substr(0, type.find(';'))),
      "application/json");
}

// A date that is 2026-07-28 or later, served or not.
bool NamesModernVersion(absl::string_view version) {
  constexpr absl::string_view kShape = "dddd-dd-dd";
  if (version.size() != kShape.size()) return false;
  for (size_t i = 0; i < kShape.size(); ++i) {
    const bool fits = kShape[i] == 'd' ? absl::ascii_isdigit(version[i])
                                       : version[i] == kShape[i];
    if (!fits) return false;
  }
  return version >= kModernVersions.back();
}

// The headers that repeat arguments of a tool call.
std::optional<Rejected> CheckArguments(const McpRequest& request,
                                       const EraRules& rules,
                                       const RpcMessage& message) {
  if (message.method != "tools/call") return std::nullopt;
  for (const MirroredArgument& mirrored :
       rules.mirrored_arguments(TextMember(message.params, "name"))) {
    const json* value = &Member(message.params, "arguments");
    for (const std::string& step : mirrored.path) value = &Member(*value, step);
    if (auto rejected =
            CheckMirror(request, absl::StrCat("Mcp-Param-", mirrored.header),
                        *value, message.id)) {
      return rejected;
    }
  }
  return std::nullopt;
}

void CollectMirrored(const json& schema, std::vector<std::string>& path,
                     std::vector<MirroredArgument>& found) {
  const json& properties = Member(schema, "properties");
  if (!properties.is_object()) return;
  for (const auto& [name, property] : properties.items()) {
    path.push_back(name);
    const std::string header = TextMember(property, "x-mcp-header");
    if (!header.empty()) found.push_back({.header = header, .path = path});
    CollectMirrored(property, path, found);
    path.pop_back();
  }
}

// Rung 5: the body has the modern key.
Classification ClassifyModern(const McpRequest& request, const EraRules& rules,
                              RpcMessage message) {
  // Core defines none, but clients post notifications/cancelled, without the
  // mirrored headers.
  if (message.kind == RpcMessage::Kind::kNotification) {
    return StrayNotification();
  }
  const json& id = message.id;
  const json& version = Member(message.Meta(), kVersionKey);
  if (!version.is_string() ||
      !Member(message.Meta(), kCapabilitiesKey).is_object()) {
    return Reject(
        400, kInvalidParams,
        absl::StrCat("params._meta needs ", kVersionKey, " (a string) and ",
                     kCapabilitiesKey, " (an object)."),
        id);
  }
  const auto& named = version.get_ref<const std::string&>();
  if (!ReadHeader(request, "mcp-protocol-version").Is(named)) {
    return Mismatch(
        "The header MCP-Protocol-Version is missing or differs from "
        "params._meta.",
        id);
  }
  if (!IsModernVersion(named)) {
    json supported = json::array();
    for (const absl::string_view one : kModernVersions) {
      supported.push_back(std::string(one));
    }
    return Reject(400, kUnsupportedProtocolVersion,
                  "Protocol version not supported.", id,
                  {{"supported", supported}, {"requested", named}});
  }
  if (!ReadHeader(request, "mcp-method").Is(message.method)) {
    return Mismatch(
        "The header Mcp-Method is missing or differs from the "
        "body.",
        id);
  }
  const absl::string_view member = NamedMember(message.method);
  if (!member.empty()) {
    const json& name = Member(message.params, std::string(member));
    if (auto rejected = CheckMirror(request, "Mcp-Name", name, id)) {
      return *std::move(rejected);
    }
  }
  if (auto rejected = CheckArguments(request, rules, message)) {
    return *std::move(rejected);
  }
  if (!rules.is_modern_method(message.method)) {
    return Reject(404, kMethodNotFound, "Method not found.", id);
  }
  return ModernRequest{.message = std::move(message)};
}

// Rung 6: a modern header over a body without the modern key.
Classification ClassifyHeaderOnly(const RpcMessage& message) {
  if (message.kind == RpcMessage::Kind::kNotification) {
    return StrayNotification();
  }
  if (message.method == "initialize") {
    return Mismatch(
        "initialize belongs to older revisions than the header "
        "MCP-Protocol-Version names.",
        message.id);
  }
  return Reject(400, kInvalidParams,
                absl::StrCat("params._meta lacks ", kVersionKey, " and ",
                             kCapabilitiesKey, "."),
                message.id);
}

// The session that a legacy exchange must name, or why it is refused.
std::variant<std::string, Rejected> ReadSessionId(const McpRequest& request,
                                                  const json& id) {
  const HeaderValue session = ReadHeader(request, "mcp-session-id");
  if (!session.is_present || session.value.empty() || session.is_ambiguous) {
    return Reject(400, kInvalidRequest,
                  "The header Mcp-Session-Id is missing: send initialize "
                  "first.",
                  id);
  }
  const HeaderValue version = ReadHeader(request, "mcp-protocol-version");
  if (version.is_present && !IsLegacyVersion(version.value)) {
    return Reject(
        400, kInvalidRequest,
        absl::StrCat("The header MCP-Protocol-Version names no version that a "
                     "session can have: ",
                     absl::StrJoin(kLegacyVersions, ", "), "."),
        id);
  }
  return session.value;
}

Classification ClassifyMessages(const McpRequest& request,
                                std::vector<json> values, bool is_batch,
                                const json& id) {
  auto session = ReadSessionId(request, id);
  if (auto* rejected = std::get_if<Rejected>(&session)) {
    return std::move(*rejected);
  }
  return LegacyMessages{.session_id = std::get<std::string>(session),
                        .values = std::move(values),
                        .is_batch = is_batch};
}

// Rung 3.
Classification ClassifyBatch(const McpRequest& request, json batch) {
  std::vector<json> values(std::make_move_iterator(batch.begin()),
                           std::make_move_iterator(batch.end()));
  if (values.empty() || values.size() > kMaxBatch ||
      std::any_of(values.begin(), values.end(), HasModernKey)) {
    return Reject(400, kInvalidRequest,
                  "A batch holds 1 to 100 messages, none of them with "
                  "per-request metadata.");
  }
  return ClassifyMessages(request, std::move(values), /*is_batch=*/true,
                          nullptr);
}

Classification ClassifyPost(const McpRequest& request, const EraRules& rules) {
  if (!IsJson(request)) {
    return Reject(415, kInvalidRequest,
                  "The content type must be application/json.");
  }
  auto parsed = ParseJson(request.body);
  if (auto* error = std::get_if<RpcError>(&parsed)) {
    return Rejected{.status = 400, .error = std::move(*error), .id = nullptr};
  }
  json& body = std::get<json>(parsed);
  if (body.is_array()) return ClassifyBatch(request, std::move(body));

  auto read = ToMessage(body);
  if (auto* malformed = std::get_if<MalformedMessage>(&read)) {
    return Rejected{.status = 400,
                    .error = std::move(malformed->error),
                    .id = std::move(malformed->id)};
  }
  RpcMessage& message = std::get<RpcMessage>(read);
  const json id = message.id;
  if (message.kind != RpcMessage::Kind::kResponse) {
    if (HasModernKey(body)) {
      return ClassifyModern(request, rules, std::move(message));
    }
    if (NamesModernVersion(ReadHeader(request, "mcp-protocol-version").value)) {
      return ClassifyHeaderOnly(message);
    }
    if (message.kind == RpcMessage::Kind::kRequest &&
        message.method == "initialize") {
      return LegacyInitialize{.message = std::move(message)};
    }
  }
  std::vector<json> values;
  values.push_back(std::move(body));
  return ClassifyMessages(request, std::move(values), /*is_batch=*/false, id);
}

}  // namespace

std::vector<MirroredArgument> MirroredArgumentsOf(const json& input_schema) {
  std::vector<MirroredArgument> found;
  std::vector<std::string> path;
  CollectMirrored(input_schema, path, found);
  return found;
}

Classification Classify(const McpRequest& request, const EraRules& rules) {
  if (request.method == "GET") {
    return LegacyStream{.session_id =
                            ReadHeader(request, "mcp-session-id").value};
  }
  if (request.method == "DELETE") {
    auto session = ReadSessionId(request, nullptr);
    if (auto* rejected = std::get_if<Rejected>(&session)) {
      return std::move(*rejected);
    }
    return LegacyEnd{.session_id = std::get<std::string>(session)};
  }
  return ClassifyPost(request, rules);
}

}  // namespace banyan::edge
