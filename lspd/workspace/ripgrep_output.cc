// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/ripgrep_output.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace banyan::lspd {
namespace {

using Json = nlohmann::json;

const Json* Member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// {"text": "…"}, or {"bytes": base64} for what is not UTF-8.
std::optional<std::string> TextOf(const Json* data) {
  if (data == nullptr) return std::nullopt;
  if (const Json* const text = Member(*data, "text");
      text != nullptr && text->is_string()) {
    return text->get<std::string>();
  }
  std::string bytes;
  const Json* const encoded = Member(*data, "bytes");
  if (encoded == nullptr || !encoded->is_string() ||
      !absl::Base64Unescape(encoded->get<std::string>(), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

std::optional<size_t> NumberOf(const Json* value) {
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  return value->get<size_t>();
}

std::optional<RipgrepMatch> MatchOf(const Json& data) {
  const std::optional<size_t> offset =
      NumberOf(Member(data, "absolute_offset"));
  std::optional<std::string> lines = TextOf(Member(data, "lines"));
  const Json* const submatches = Member(data, "submatches");
  if (!offset || !lines || submatches == nullptr || !submatches->is_array()) {
    return std::nullopt;
  }
  RipgrepMatch match = {
      .offset = *offset, .lines = *std::move(lines), .spans = {}};
  for (const Json& submatch : *submatches) {
    const std::optional<size_t> start = NumberOf(Member(submatch, "start"));
    const std::optional<size_t> end = NumberOf(Member(submatch, "end"));
    if (!start || !end || *start > *end || *end > match.lines.size()) continue;
    match.spans.emplace_back(*start, *end);
  }
  return match;
}

}  // namespace

RipgrepReport ParseRipgrep(absl::string_view output) {
  RipgrepReport report;
  for (const absl::string_view line :
       absl::StrSplit(output, '\n', absl::SkipEmpty())) {
    const Json event = Json::parse(line.begin(), line.end(), nullptr, false);
    const Json* const type = Member(event, "type");
    const Json* const data = Member(event, "data");
    if (type == nullptr || data == nullptr) continue;
    if (*type == "summary") report.has_summary = true;
    if (*type != "match") continue;
    const std::optional<std::string> path = TextOf(Member(*data, "path"));
    std::optional<RipgrepMatch> match = MatchOf(*data);
    if (!path || !match) continue;
    report.files[std::string(absl::StripPrefix(*path, "./"))].push_back(
        *std::move(match));
  }
  return report;
}

}  // namespace banyan::lspd
