// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/json_rpc.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

// Reads a text without building anything, to know that building it is safe.
class LimitCheck final : public nlohmann::json_sax<json> {
 public:
  explicit LimitCheck(const JsonLimits& limits) : limits_(limits) {}

  // Why the text was refused; empty: it is no JSON.
  const std::string& refusal() const { return refusal_; }

  bool null() override { return Count(); }
  bool boolean(bool) override { return Count(); }
  bool number_integer(number_integer_t) override { return Count(); }
  bool number_unsigned(number_unsigned_t) override { return Count(); }
  bool number_float(number_float_t, const string_t&) override {
    return Count();
  }
  bool string(string_t&) override { return Count(); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(); }
  bool end_object() override { return Close(); }
  bool start_array(size_t) override { return Open(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    if (!names_.back().insert(name).second) {
      return Refuse("an object names a member twice");
    }
    return true;
  }

  bool parse_error(size_t, const std::string&,
                   const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool Refuse(const char* why) {
    refusal_ = why;
    return false;
  }

  bool Count() {
    return ++nodes_ <= limits_.max_nodes || Refuse("too many values");
  }

  bool Open() {
    if (names_.size() >= limits_.max_depth) return Refuse("nested too deeply");
    names_.emplace_back();
    return Count();
  }

  bool Close() {
    names_.pop_back();
    return true;
  }

  const JsonLimits& limits_;
  size_t nodes_ = 0;
  // Members of every open object, outermost first; arrays have none.
  std::vector<std::set<std::string>> names_;
  std::string refusal_;
};

std::string Dump(const json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false,
                    json::error_handler_t::replace);
}

// Without a copy of what is large.
std::string Answer(const json& id, absl::string_view result) {
  return absl::StrCat(
      "{", id.is_null() ? "" : absl::StrCat("\"id\":", Dump(id), ","),
      "\"jsonrpc\":\"2.0\",\"result\":", result, "}");
}

bool IsId(const json& value) {
  return value.is_string() || value.is_number_integer();
}

MalformedMessage Malformed(std::string why, json id = nullptr) {
  return {.error = {.code = kInvalidRequest, .message = std::move(why)},
          .id = std::move(id)};
}

}  // namespace

std::variant<json, RpcError> ParseJson(absl::string_view body,
                                       const JsonLimits& limits) {
  const RpcError no_json{.code = kParseError,
                         .message = "The body is not JSON in UTF-8."};
  // The parser takes NUL for the end of the text.
  if (body.find('\0') != absl::string_view::npos) return no_json;
  LimitCheck check(limits);
  if (!json::sax_parse(body.begin(), body.end(), &check)) {
    if (check.refusal().empty()) return no_json;
    return RpcError{.code = kInvalidRequest,
                    .message = "The body is refused: " + check.refusal() + "."};
  }
  json value = json::parse(body.begin(), body.end(), nullptr,
                           /*allow_exceptions=*/false);
  if (value.is_discarded()) return no_json;
  return value;
}

const json& RpcMessage::Meta() const {
  static const json* const kNone = new json();
  const json& meta = Member(params, "_meta");
  return meta.is_object() ? meta : *kNone;
}

std::variant<RpcMessage, MalformedMessage> ToMessage(json value) {
  if (!value.is_object()) return Malformed("A message is a JSON object.");
  RpcMessage message;
  const auto id = value.find("id");
  if (id != value.end()) {
    if (!IsId(*id)) return Malformed("`id` must be a string or an integer.");
    message.id = *id;
  }
  if (TextMember(value, "jsonrpc") != "2.0") {
    return Malformed("`jsonrpc` must be \"2.0\".", message.id);
  }
  const auto method = value.find("method");
  if (method == value.end()) {
    if (!value.contains("result") && !value.contains("error")) {
      return Malformed("A message has a method, a result or an error.",
                       message.id);
    }
    message.kind = RpcMessage::Kind::kResponse;
    if (value.contains("error")) {
      message.error = std::move(value["error"]);
    } else {
      message.result = std::move(value["result"]);
    }
    return message;
  }
  if (!method->is_string()) {
    return Malformed("`method` must be a string.", message.id);
  }
  message.method = method->get<std::string>();
  message.kind = message.id.is_null() ? RpcMessage::Kind::kNotification
                                      : RpcMessage::Kind::kRequest;
  const auto params = value.find("params");
  if (params != value.end()) message.params = std::move(*params);
  return message;
}

std::string ResultText(const json& id, const json& result) {
  return Answer(id, Dump(result));
}

std::string PreparedText(const json& id, const PreparedResult& result) {
  std::string text = Dump(result.members);
  text.pop_back();  // Its closing brace.
  return Answer(id, absl::StrCat(text, result.members.empty() ? "" : ",",
                                 Dump(result.name), ":", *result.text, "}"));
}

std::string ErrorText(const json& id, const RpcError& error) {
  json answer = {{"jsonrpc", "2.0"},
                 {"error", {{"code", error.code}, {"message", error.message}}}};
  if (!error.data.is_null()) answer["error"]["data"] = error.data;
  if (!id.is_null()) answer["id"] = id;
  return Dump(answer);
}

std::string RequestText(const json& id, absl::string_view method,
                        const json& params) {
  json message = {
      {"jsonrpc", "2.0"}, {"id", id}, {"method", std::string(method)}};
  if (!params.is_null()) message["params"] = params;
  return Dump(message);
}

std::string NotificationText(absl::string_view method, const json& params) {
  return Dump({{"jsonrpc", "2.0"},
               {"method", std::string(method)},
               {"params", params}});
}

const json& Member(const json& value, const std::string& name) {
  static const json* const kNone = new json();
  if (!value.is_object()) return *kNone;
  const auto found = value.find(name);
  return found == value.end() ? *kNone : *found;
}

std::string TextMember(const json& value, const std::string& name) {
  const json& member = Member(value, name);
  return member.is_string() ? member.get<std::string>() : std::string();
}

}  // namespace banyan::edge
