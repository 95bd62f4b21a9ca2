// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/server_settings.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace banyan::lspd {
namespace {

using google::protobuf::Value;
using nlohmann::json;

json ValueToJson(const Value& value, const Variables& variables) {
  switch (value.kind_case()) {
    case Value::kBoolValue:
      return value.bool_value();
    case Value::kNumberValue: {
      // Struct knows only doubles; servers want 512 and not 512.0.
      const double number = value.number_value();
      if (number == std::floor(number) && std::abs(number) < 1e15) {
        return static_cast<int64_t>(number);
      }
      return number;
    }
    case Value::kStringValue:
      return Expand(value.string_value(), variables);
    case Value::kStructValue:
      return ToJson(value.struct_value(), variables);
    case Value::kListValue: {
      json list = json::array();
      for (const Value& element : value.list_value().values()) {
        list.push_back(ValueToJson(element, variables));
      }
      return list;
    }
    default:
      return nullptr;
  }
}

}  // namespace

std::string Expand(absl::string_view text, const Variables& variables) {
  std::vector<std::pair<std::string, std::string>> replacements;
  for (const auto& [name, value] : variables) {
    replacements.emplace_back(absl::StrCat("${", name, "}"), value);
  }
  return absl::StrReplaceAll(text, replacements);
}

json ToJson(const google::protobuf::Struct& settings,
            const Variables& variables) {
  json object = json::object();
  for (const auto& [name, value] : settings.fields()) {
    object[name] = ValueToJson(value, variables);
  }
  return object;
}

json SettingsAt(const json& settings, absl::string_view section) {
  if (section.empty()) return settings;
  const json* place = &settings;
  for (const absl::string_view step : absl::StrSplit(section, '.')) {
    if (!place->is_object()) return nullptr;
    const auto found = place->find(std::string(step));
    if (found == place->end()) return nullptr;
    place = &*found;
  }
  return *place;
}

}  // namespace banyan::lspd
