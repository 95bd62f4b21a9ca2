// SPDX-License-Identifier: Apache-2.0
//
// The results of language servers that we read, in one shape each, whatever
// form the server chose (LSP 3.18, "Language Features"). Positions stay in the
// server's encoding; text_position.h converts them.
//
// Every FromJson takes what servers really send (missing optional members,
// null for nothing, unknown members) and answers kInvalidArgument with the path
// of the culprit for what cannot be understood. None throws.
#ifndef LSPD_PROTOCOL_LSP_TYPES_H_
#define LSPD_PROTOCOL_LSP_TYPES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/protocol/text_position.h"
#include "nlohmann/json.hpp"

namespace banyan::lspd {

nlohmann::json ToJson(const LspPosition& position);
nlohmann::json ToJson(const LspRange& range);
absl::StatusOr<LspRange> RangeFromJson(const nlohmann::json& json);

// A Location or a LocationLink. For a link `range` is the target's selection
// range (the name) and `full_range` its target range (the body).
struct Location {
  std::string uri;  // As the server spelt it; compare by NormalUri().
  LspRange range;
  std::optional<LspRange> full_range;

  bool operator==(const Location&) const = default;
};

// null, Location, Location[] or LocationLink[]. Duplicates are dropped, order
// is kept.
absl::StatusOr<std::vector<Location>> LocationsFromJson(
    const nlohmann::json& json);

// SymbolKind 1 to 26 as "class", "enum_member"; others "unknown".
std::string SymbolKindName(int kind);
// The number, or nothing for a name that is no kind.
std::optional<int> SymbolKindFromName(absl::string_view name);

struct DocumentSymbol {
  std::string name;  // May be empty: such servers exist.
  std::string detail;
  int kind = 0;
  bool is_deprecated = false;
  LspRange range;
  LspRange selection_range;  // For a flat SymbolInformation the same as range.
  // Of a flat list: what the server says it stands in; "" else.
  std::string container_name;
  std::vector<DocumentSymbol> children;
};

struct DocumentSymbols {
  std::vector<DocumentSymbol> roots;
  // The server sent SymbolInformation[]: the tree was rebuilt by containment,
  // and selection ranges are guesses.
  bool was_flat = false;
};

// DocumentSymbol[], SymbolInformation[] or null.
absl::StatusOr<DocumentSymbols> DocumentSymbolsFromJson(
    const nlohmann::json& json);

struct WorkspaceSymbol {
  std::string name;
  std::string container_name;
  int kind = 0;
  std::string uri;
  std::optional<LspRange> range;  // Servers may keep it back.
};

// WorkspaceSymbol[], SymbolInformation[] or null.
absl::StatusOr<std::vector<WorkspaceSymbol>> WorkspaceSymbolsFromJson(
    const nlohmann::json& json);

struct Hover {
  std::string text;  // Markdown; "" when the server knows nothing.
  std::optional<LspRange> range;
};

// null, or contents as string, MarkedString, their array, or MarkupContent. A
// MarkedString of a language becomes a fenced block.
absl::StatusOr<Hover> HoverFromJson(const nlohmann::json& json);

struct LspDiagnostic {
  LspRange range;
  int severity = 1;  // 1 error (also when absent) to 4 hint.
  std::string code;  // Numbers as text.
  std::string source;
  std::string message;
};

// The params of `textDocument/publishDiagnostics`.
struct PublishedDiagnostics {
  std::string uri;
  std::optional<int> version;
  std::vector<LspDiagnostic> diagnostics;
};

absl::StatusOr<PublishedDiagnostics> PublishedDiagnosticsFromJson(
    const nlohmann::json& json);

// The result of `textDocument/diagnostic`, asked without a previous id. Null or
// "unchanged" would say nothing, so they are errors.
absl::StatusOr<std::vector<LspDiagnostic>> DiagnosticReportFromJson(
    const nlohmann::json& json);

}  // namespace banyan::lspd

#endif  // LSPD_PROTOCOL_LSP_TYPES_H_
