// SPDX-License-Identifier: Apache-2.0
#include "lspd/protocol/lsp_types.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lspd/protocol/json_fields.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

absl::StatusOr<LspPosition> PositionFromJson(const json& value) {
  const std::optional<int> line = IntField(value, "line");
  const std::optional<int> character = IntField(value, "character");
  if (!line.has_value() || !character.has_value()) {
    return BadShape("a position", "{line, character}", value);
  }
  return LspPosition{*line, *character};
}

absl::StatusOr<Location> LocationFromJson(const json& value) {
  Location location;
  if (const json* target = FindField(value, "targetRange")) {
    location.uri = StringField(value, "targetUri");
    ASSIGN_OR_RETURN(location.full_range, RangeFromJson(*target));
    const json* selection = FindField(value, "targetSelectionRange");
    ASSIGN_OR_RETURN(
        location.range,
        RangeFromJson(selection != nullptr ? *selection : *target));
  } else {
    location.uri = StringField(value, "uri");
    ASSIGN_OR_RETURN(location.range,
                     RangeFromJson(FieldOrNull(value, "range")));
  }
  if (location.uri.empty()) return BadShape("a location", "Location", value);
  return location;
}

// Keeps the order and the first of equals; linear, since a server may send ten
// thousand references.
void DropRepeated(std::vector<Location>& locations) {
  absl::flat_hash_set<std::string> seen;
  const auto is_repeated = [&seen](const Location& location) {
    const LspRange& range = location.range;
    return !seen.insert(absl::StrCat(range.start.line, ":",
                                     range.start.character, "-", range.end.line,
                                     ":", range.end.character, " ",
                                     location.uri))
                .second;
  };
  locations.erase(
      std::remove_if(locations.begin(), locations.end(), is_repeated),
      locations.end());
}

std::string FencedBlock(const std::string& language, const std::string& text) {
  return absl::StrCat("```", language, "\n", text, "\n```");
}

// A MarkedString or MarkupContent.
absl::StatusOr<std::string> TextFromJson(const json& contents) {
  if (contents.is_string()) return contents.get<std::string>();
  const json* value = FindField(contents, "value");
  if (value == nullptr || !value->is_string()) {
    return BadShape("a hover text", "MarkedString or MarkupContent", contents);
  }
  std::string text = value->get<std::string>();
  const std::string language = StringField(contents, "language");
  if (language.empty() || text.empty()) return text;
  return FencedBlock(language, text);
}

std::string CodeFromJson(const json* code) {
  if (code == nullptr) return "";
  if (code->is_object()) return CodeFromJson(FindField(*code, "value"));
  return code->is_string() ? code->get<std::string>() : code->dump();
}

absl::StatusOr<LspDiagnostic> DiagnosticFromJson(const json& value) {
  LspDiagnostic diagnostic;
  ASSIGN_OR_RETURN(diagnostic.range,
                   RangeFromJson(FieldOrNull(value, "range")));
  diagnostic.severity =
      std::clamp(IntField(value, "severity").value_or(1), 1, 4);
  diagnostic.code = CodeFromJson(FindField(value, "code"));
  diagnostic.source = StringField(value, "source");
  if (const json* message = FindField(value, "message")) {
    ASSIGN_OR_RETURN(diagnostic.message, TextFromJson(*message));
  }
  return diagnostic;
}

absl::StatusOr<std::vector<LspDiagnostic>> DiagnosticsFromJson(
    const json* list) {
  std::vector<LspDiagnostic> diagnostics;
  if (list == nullptr) return diagnostics;
  if (!list->is_array()) return BadShape("a diagnostic list", "array", *list);
  diagnostics.reserve(list->size());
  for (const json& item : *list) {
    ASSIGN_OR_RETURN(LspDiagnostic diagnostic, DiagnosticFromJson(item));
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace

json ToJson(const LspPosition& position) {
  return {{"line", position.line}, {"character", position.character}};
}

json ToJson(const LspRange& range) {
  return {{"start", ToJson(range.start)}, {"end", ToJson(range.end)}};
}

absl::StatusOr<LspRange> RangeFromJson(const json& value) {
  const json* start = FindField(value, "start");
  const json* end = FindField(value, "end");
  if (start == nullptr || end == nullptr) {
    return BadShape("a range", "{start, end}", value);
  }
  LspRange range;
  ASSIGN_OR_RETURN(range.start, PositionFromJson(*start));
  ASSIGN_OR_RETURN(range.end, PositionFromJson(*end));
  // Backwards ranges exist; an empty one at the start is what they mean.
  range.end = std::max(range.start, range.end);
  return range;
}

absl::StatusOr<std::vector<Location>> LocationsFromJson(const json& value) {
  std::vector<Location> locations;
  if (value.is_null()) return locations;
  if (value.is_object()) {
    ASSIGN_OR_RETURN(Location location, LocationFromJson(value));
    locations.push_back(std::move(location));
    return locations;
  }
  if (!value.is_array()) return BadShape("a location list", "array", value);
  for (const json& item : value) {
    ASSIGN_OR_RETURN(Location location, LocationFromJson(item));
    locations.push_back(std::move(location));
  }
  DropRepeated(locations);
  return locations;
}

absl::StatusOr<Hover> HoverFromJson(const json& value) {
  Hover hover;
  if (value.is_null()) return hover;
  if (!value.is_object()) return BadShape("a hover", "object", value);
  if (const json* range = FindField(value, "range")) {
    ASSIGN_OR_RETURN(hover.range, RangeFromJson(*range));
  }
  const json* contents = FindField(value, "contents");
  if (contents == nullptr) return hover;
  if (!contents->is_array()) {
    ASSIGN_OR_RETURN(hover.text, TextFromJson(*contents));
    return hover;
  }
  std::vector<std::string> parts;
  for (const json& item : *contents) {
    ASSIGN_OR_RETURN(std::string part, TextFromJson(item));
    if (!part.empty()) parts.push_back(std::move(part));
  }
  hover.text = absl::StrJoin(parts, "\n\n");
  return hover;
}

absl::StatusOr<PublishedDiagnostics> PublishedDiagnosticsFromJson(
    const json& value) {
  PublishedDiagnostics published;
  published.uri = StringField(value, "uri");
  if (published.uri.empty()) {
    return BadShape("a diagnostics notification", "{uri, diagnostics}", value);
  }
  published.version = IntField(value, "version");
  ASSIGN_OR_RETURN(published.diagnostics,
                   DiagnosticsFromJson(FindField(value, "diagnostics")));
  return published;
}

absl::StatusOr<std::vector<LspDiagnostic>> DiagnosticReportFromJson(
    const json& value) {
  const json* items = FindField(value, "items");
  if (items == nullptr || StringField(value, "kind") == "unchanged") {
    return BadShape("a diagnostic report", "{kind: full, items}", value);
  }
  return DiagnosticsFromJson(items);
}

}  // namespace banyan::lspd
