// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_JSON_RPC_H_
#define EDGE_MCP_JSON_RPC_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"

// JSON-RPC 2.0 as MCP uses it: from bytes to messages and back. Nothing here
// throws.
namespace banyan::edge {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
// MCP, before 2026-07-28.
inline constexpr int kLegacyResourceNotFound = -32002;
// MCP 2026-07-28.
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingClientCapability = -32021;
inline constexpr int kUnsupportedProtocolVersion = -32022;

struct RpcError {
  int code = kInternalError;
  std::string message;
  nlohmann::json data;  // Left out when null.
};

struct JsonLimits {
  size_t max_depth = 64;
  size_t max_nodes = 100000;  // Each costs some hundred bytes.
};

// kParseError for what is no JSON text in UTF-8; kInvalidRequest for what goes
// past the limits or names a member twice, since readers on the way may then
// have seen another message.
std::variant<nlohmann::json, RpcError> ParseJson(absl::string_view body,
                                                 const JsonLimits& limits = {});

struct RpcMessage {
  enum class Kind { kRequest, kNotification, kResponse };

  Kind kind = Kind::kRequest;
  nlohmann::json id;      // String or integer; null when there is none.
  std::string method;     // Empty for a response.
  nlohmann::json params;  // As sent; null when absent.
  nlohmann::json result;  // Of a response; null when it is an error.
  nlohmann::json error;   // Of a response; else null.

  // params._meta if both are objects, else null.
  const nlohmann::json& Meta() const;
};

// A message that is none, with its id as far as it could be read.
struct MalformedMessage {
  RpcError error;
  nlohmann::json id;
};

// One message: not an array.
std::variant<RpcMessage, MalformedMessage> ToMessage(nlohmann::json value);

// A result of which one member, a large one, is always the same.
struct PreparedResult {
  nlohmann::json members = nlohmann::json::object();  // All but that one.
  std::string name;
  std::shared_ptr<const std::string> text;  // Its JSON.
};

// Compact texts. An id that is null is left out.
std::string ResultText(const nlohmann::json& id, const nlohmann::json& result);
std::string PreparedText(const nlohmann::json& id,
                         const PreparedResult& result);
std::string ErrorText(const nlohmann::json& id, const RpcError& error);
std::string RequestText(const nlohmann::json& id, absl::string_view method,
                        const nlohmann::json& params);
std::string NotificationText(absl::string_view method,
                             const nlohmann::json& params);

// value[name] when `value` is an object that has it, else null.
const nlohmann::json& Member(const nlohmann::json& value,
                             const std::string& name);

// value[name] when that is a string, else empty.
std::string TextMember(const nlohmann::json& value, const std::string& name);

}  // namespace banyan::edge

#endif  // EDGE_MCP_JSON_RPC_H_
