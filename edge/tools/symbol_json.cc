// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/symbol_json.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

// LSP SymbolKind, from 1 on.
constexpr std::array<absl::string_view, 26> kKinds = {
    "file",          "module",      "namespace", "package",     "class",
    "method",        "property",    "field",     "constructor", "enum",
    "interface",     "function",    "variable",  "constant",    "string",
    "number",        "boolean",     "array",     "object",      "key",
    "null",          "enum_member", "struct",    "event",       "operator",
    "type_parameter"};

absl::Status Invalid(absl::string_view message) {
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID, message);
}

void AddText(json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

// No absolute path leaves the edge: the last three components tell a reader
// which library it is.
std::string EndOfPath(absl::string_view path) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(path, '/', absl::SkipEmpty());
  const size_t kept = std::min<size_t>(parts.size(), 3);
  return absl::StrJoin(parts.end() - static_cast<std::ptrdiff_t>(kept),
                       parts.end(), "/");
}

std::string ReasonText(lsp::v1::IncompleteReason reason) {
  if (!lsp::v1::IncompleteReason_IsValid(reason)) {
    return absl::StrCat("unknown_", static_cast<int>(reason));
  }
  return absl::AsciiStrToLower(absl::StripPrefix(
      lsp::v1::IncompleteReason_Name(reason), "INCOMPLETE_REASON_"));
}

const char* NameOf(lsp::v1::DiagnosticSeverity severity) {
  switch (severity) {
    case lsp::v1::DIAGNOSTIC_SEVERITY_WARNING:
      return "warning";
    case lsp::v1::DIAGNOSTIC_SEVERITY_INFORMATION:
      return "information";
    case lsp::v1::DIAGNOSTIC_SEVERITY_HINT:
      return "hint";
    default:
      // A client interprets a missing severity (LSP, Diagnostic).
      return "error";
  }
}

}  // namespace

json ToJson(const lsp::v1::Symbol& symbol) {
  // Of a symbol outside the workspace its server may tell the name alone.
  json object = {{"name_path", symbol.name_path().empty()
                                   ? symbol.name()
                                   : symbol.name_path()}};
  AddText(object, "kind", symbol.kind());
  if (symbol.is_external()) {
    object["external"] = true;
    AddText(object, "external_file", EndOfPath(symbol.relative_path()));
  } else {
    AddText(object, "relative_path", symbol.relative_path());
    AddText(object, "body", symbol.body());
    AddText(object, "hash", symbol.hash());
  }
  AddRange(object, symbol.range());
  AddText(object, "detail", symbol.detail());
  AddText(object, "info", symbol.info());
  if (!symbol.children().empty()) {
    object["children"] = ToJson(symbol.children());
    // The parent names the file.
    for (json& child : object["children"]) child.erase("relative_path");
  }
  return object;
}

json ToJson(
    const google::protobuf::RepeatedPtrField<lsp::v1::Symbol>& symbols) {
  json list = json::array();
  for (const lsp::v1::Symbol& symbol : symbols) list.push_back(ToJson(symbol));
  return list;
}

json ToJson(const lsp::v1::LanguageState& state) {
  json object = {{"language", state.language()}, {"state", state.state()}};
  AddText(object, "server", state.server());
  AddText(object, "message", state.message());
  if (state.files() > 0) object["files"] = state.files();
  return object;
}

json ToJson(const lsp::v1::Diagnostic& diagnostic) {
  json entry = {{"severity", NameOf(diagnostic.severity())},
                {"message", diagnostic.message()}};
  AddRange(entry, diagnostic.range());
  if (!diagnostic.code().empty()) entry["code"] = diagnostic.code();
  if (!diagnostic.source().empty()) entry["source"] = diagnostic.source();
  if (!diagnostic.containing_symbol().empty()) {
    entry["containing_symbol"] = diagnostic.containing_symbol();
  }
  return entry;
}

void AddRange(json& object, const lsp::v1::Range& range) {
  if (range.start_line() <= 0) return;
  const bool has_columns = range.start_column() > 0;
  object["start_line"] = range.start_line();
  if (has_columns) object["column"] = range.start_column();
  object["end_line"] = range.end_line();
  if (has_columns) object["end_column"] = range.end_column();
}

void AddCompleteness(json& object, const google::protobuf::RepeatedPtrField<
                                       lsp::v1::Incompleteness>& incomplete) {
  object["complete"] = incomplete.empty();
  json& list = object["incomplete"] = json::array();
  for (const lsp::v1::Incompleteness& one : incomplete) {
    json entry = {{"reason", ReasonText(one.reason())}};
    AddText(entry, "language", one.language());
    if (one.count() > 0) entry["count"] = one.count();
    list.push_back(std::move(entry));
  }
}

json LimitsToJson(const session::v1::Workspace& workspace) {
  json limits = json::object();
  if (workspace.idle_expires_unix_ms() > 0) {
    limits["idle_expires_at"] = TimeToText(workspace.idle_expires_unix_ms());
  }
  if (workspace.absolute_expires_unix_ms() > 0) {
    limits["expires_at"] = TimeToText(workspace.absolute_expires_unix_ms());
  }
  return limits;
}

std::string AccessName(session::v1::Access access) {
  switch (access) {
    case session::v1::ACCESS_READ_ONLY:
      return "read-only";
    case session::v1::ACCESS_READ_WRITE:
      return "read-write";
    default:
      return "none";
  }
}

std::string TimeToText(int64_t unix_ms) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMillis(unix_ms),
                          absl::UTCTimeZone());
}

absl::StatusOr<std::vector<std::string>> KindsFromJson(
    const json& arguments, const std::string& name) {
  std::vector<std::string> kinds;
  for (const json& given : arguments.value(name, json::array())) {
    const bool is_name = given.is_string();
    const std::string kind =
        is_name ? absl::AsciiStrToLower(given.get<std::string>()) : "";
    const auto number = is_name ? 0 : given.get<int64_t>();
    const auto* known = std::find(kKinds.begin(), kKinds.end(), kind);
    if (is_name ? known == kKinds.end()
                : number < 1 || number > std::ssize(kKinds)) {
      return Invalid(absl::StrCat(
          "`", name,
          "` names no symbol kind: ", is_name ? kind : absl::StrCat(number),
          ". Kinds are ", absl::StrJoin(kKinds, ", "), "."));
    }
    kinds.emplace_back(is_name ? absl::string_view(kind)
                               : kKinds[static_cast<size_t>(number - 1)]);
  }
  return kinds;
}

absl::StatusOr<lsp::v1::Position> PositionFromJson(
    const json& arguments, const std::string& clean_path) {
  lsp::v1::Position position;
  position.set_relative_path(clean_path);
  position.set_name_path(arguments.value("name_path", ""));
  position.set_regex(arguments.value("regex", ""));
  position.set_containing_symbol_name_path(
      arguments.value("containing_symbol_name_path", ""));
  position.set_line(arguments.value("line", 0));
  position.set_column(arguments.value("column", 0));

  const bool has_line = position.line() > 0 || position.column() > 0;
  if (has_line && (position.line() == 0 || position.column() == 0)) {
    return Invalid("`line` and `column` go together. Give both, or a regex.");
  }
  const int ways = (has_line ? 1 : 0) + (position.regex().empty() ? 0 : 1) +
                   (position.name_path().empty() ? 0 : 1);
  if (ways != 1) {
    return Invalid(
        "Name one place in one way: by `regex` with exactly one group, by "
        "`line` and `column`, or by `name_path` where the tool takes one.");
  }
  return position;
}

}  // namespace banyan::edge
