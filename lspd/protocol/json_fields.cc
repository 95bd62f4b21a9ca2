// SPDX-License-Identifier: Apache-2.0
#include "lspd/protocol/json_fields.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

constexpr size_t kShownBytes = 120;

template <typename Number>
int Clamp(Number value) {
  if (value < 0) return 0;
  constexpr int kMost = std::numeric_limits<int>::max();
  return value >= static_cast<Number>(kMost) ? kMost : static_cast<int>(value);
}

}  // namespace

const json* FindField(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto field = object.find(key);
  return field == object.end() || field->is_null() ? nullptr : &*field;
}

const json& FieldOrNull(const json& object, const char* key) {
  static const json null;
  const json* field = FindField(object, key);
  return field != nullptr ? *field : null;
}

std::string StringField(const json& object, const char* key) {
  const json* field = FindField(object, key);
  return field != nullptr && field->is_string() ? field->get<std::string>()
                                                : std::string();
}

std::optional<int> IntField(const json& object, const char* key) {
  const json* field = FindField(object, key);
  if (field == nullptr || !field->is_number()) return std::nullopt;
  if (field->is_number_unsigned()) return Clamp(field->get<uint64_t>());
  if (field->is_number_integer()) return Clamp(field->get<int64_t>());
  return Clamp(field->get<double>());
}

bool BoolField(const json& object, const char* key) {
  const json* field = FindField(object, key);
  return field != nullptr && field->is_boolean() && field->get<bool>();
}

absl::Status BadShape(absl::string_view what, absl::string_view expected,
                      const json& actual) {
  const std::string text =
      actual.dump(-1, ' ', false, json::error_handler_t::replace);
  return rpc::Error(
      rpc::v1::ERROR_REASON_UNSUPPORTED,
      absl::StrCat(what, " of the language server is no ", expected, ": ",
                   text.substr(0, kShownBytes),
                   "; use search_for_pattern and read_file instead"));
}

}  // namespace banyan::lspd
