// SPDX-License-Identifier: Apache-2.0
//
// The only file that knows valijson, which is dear to compile. Without this it
// aborts where it cannot go on.
#define VALIJSON_USE_EXCEPTIONS 1

#include "edge/tools/argument_schema.h"

#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

// How much of a bad value is shown again.
constexpr size_t kShownChars = 80;

absl::Status Invalid(absl::string_view message) {
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID, message);
}

std::string Shown(const json& value) {
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/false,
                                json::error_handler_t::replace);
  if (text.size() <= kShownChars) return text;
  size_t end = kShownChars;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return absl::StrCat(text.substr(0, end), "…");
}

// What numbers that are not bounded otherwise may reach.
constexpr int64_t kUnbounded = std::numeric_limits<int32_t>::max();

// "an integer, at least 0": what the schema of one argument asks for.
std::string Expected(const json& schema) {
  std::vector<std::string> parts;
  const auto type = schema.find("type");
  if (type != schema.end()) {
    parts.push_back(
        type->is_array()
            ? absl::StrJoin(type->get<std::vector<std::string>>(), " or ")
            : type->get<std::string>());
  }
  const auto choices = schema.find("enum");
  if (choices != schema.end()) {
    parts.push_back(absl::StrCat(
        "one of ",
        absl::StrJoin(choices->get<std::vector<std::string>>(), ", ")));
  }
  if (schema.contains("minimum")) {
    parts.push_back(absl::StrCat("at least ", schema["minimum"].dump()));
  }
  const int64_t most = schema.value("maximum", kUnbounded);
  if (most < kUnbounded) parts.push_back(absl::StrCat("at most ", most));
  if (schema.value("minLength", 0) > 0) parts.push_back("not empty");
  if (schema.contains("items")) {
    parts.push_back(absl::StrCat("of ", Expected(schema["items"])));
  }
  return absl::StrJoin(parts, ", ");
}

// 3.0 is an integer to JSON Schema, and to agents.
void NormalizeInteger(json& value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!value.is_number_float()) return;
  const auto number = value.get<double>();
  if (std::trunc(number) == number && std::abs(number) < kExact) {
    value = static_cast<int64_t>(number);
  }
}

// The first thing that valijson found, for whoever no simpler text fits.
std::string Describe(valijson::ValidationResults& results) {
  valijson::ValidationResults::Error error;
  if (!results.popError(error)) return "it does not fit the schema";
  return absl::StrCat(absl::StrJoin(error.context, ""), ": ",
                      error.description);
}

}  // namespace

absl::StatusOr<ArgumentSchema> ArgumentSchema::Create(json schema) {
  auto parsed = std::make_unique<valijson::Schema>();
  try {
    valijson::SchemaParser parser;
    parser.populateSchema(NlohmannJsonAdapter(schema), *parsed);
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("bad schema: ", error.what()));
  }
  return ArgumentSchema(std::move(schema), std::move(parsed));
}

ArgumentSchema::ArgumentSchema(json text,
                               std::unique_ptr<valijson::Schema> schema)
    : text_(std::move(text)), schema_(std::move(schema)) {}
ArgumentSchema::ArgumentSchema(ArgumentSchema&&) noexcept = default;
ArgumentSchema& ArgumentSchema::operator=(ArgumentSchema&&) noexcept = default;
ArgumentSchema::~ArgumentSchema() = default;

absl::StatusOr<json> ArgumentSchema::Prepare(json arguments) const {
  if (arguments.is_null()) arguments = json::object();
  if (!arguments.is_object()) {
    return Invalid(absl::StrCat("arguments must be an object, got ",
                                Shown(arguments), ". Correct the call."));
  }
  json prepared = json::object();
  for (const auto& [name, schema] : text_.at("properties").items()) {
    const auto given = arguments.find(name);
    if (given != arguments.end() && !given->is_null()) {
      prepared[name] = std::move(*given);
      if (schema.value("type", json()) == "integer") {
        NormalizeInteger(prepared[name]);
      }
    } else if (schema.contains("default")) {
      prepared[name] = schema["default"];
    }
  }
  for (const json& required : text_.value("required", json::array())) {
    const auto& name = required.get_ref<const std::string&>();
    if (prepared.contains(name)) continue;
    return Invalid(
        absl::StrCat("The argument `", name, "` is missing. It is: ",
                     text_["properties"][name].value("description", ""),
                     " Call again with it."));
  }
  const absl::Status status = Check(prepared);
  if (!status.ok()) return status;
  return prepared;
}

absl::Status ArgumentSchema::Check(const json& value) const {
  valijson::ValidationResults results;
  try {
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    if (validator.validate(*schema_, NlohmannJsonAdapter(value), &results)) {
      return absl::OkStatus();
    }
  } catch (const std::exception& error) {
    return Invalid(error.what());
  }
  // Name the argument, what it should be and what it is.
  valijson::ValidationResults named = results;
  valijson::ValidationResults::Error error;
  while (named.popError(error)) {
    if (error.context.size() < 2) continue;
    const absl::string_view step = error.context[1];  // [name]
    const std::string name(step.substr(1, step.size() - 2));
    const auto schema = text_["properties"].find(name);
    if (schema == text_["properties"].end()) continue;
    return Invalid(absl::StrCat(
        "The argument `", name, "` must be ", Expected(*schema), "; got ",
        Shown(value.value(name, json())), ". Correct it and call again."));
  }
  return Invalid(Describe(results));
}

}  // namespace banyan::edge
