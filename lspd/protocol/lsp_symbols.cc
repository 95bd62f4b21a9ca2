// SPDX-License-Identifier: Apache-2.0
//
// The symbols of lsp_types.h.
#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lspd/protocol/json_fields.h"
#include "lspd/protocol/lsp_types.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

// LSP, "SymbolKind": the first is 1.
constexpr std::array<absl::string_view, 26> kKindNames = {
    "file",          "module",      "namespace", "package",     "class",
    "method",        "property",    "field",     "constructor", "enum",
    "interface",     "function",    "variable",  "constant",    "string",
    "number",        "boolean",     "array",     "object",      "key",
    "null",          "enum_member", "struct",    "event",       "operator",
    "type_parameter"};

constexpr int kDeprecatedTag = 1;
constexpr int kMaxDepth = 200;  // No source is nested so; our stack has an end.

bool IsDeprecated(const json& symbol) {
  if (BoolField(symbol, "deprecated")) return true;
  const json* tags = FindField(symbol, "tags");
  return tags != nullptr && tags->is_array() &&
         std::find(tags->begin(), tags->end(), kDeprecatedTag) != tags->end();
}

bool IsFlat(const json& symbol) {
  return FindField(symbol, "location") != nullptr &&
         FindField(symbol, "range") == nullptr;
}

DocumentSymbol CommonPart(const json& value) {
  DocumentSymbol symbol;
  symbol.name = StringField(value, "name");
  symbol.kind = IntField(value, "kind").value_or(0);
  symbol.is_deprecated = IsDeprecated(value);
  return symbol;
}

absl::StatusOr<std::vector<DocumentSymbol>> TreeFromJson(const json& list,
                                                         int depth);

absl::StatusOr<DocumentSymbol> NodeFromJson(const json& value, int depth) {
  DocumentSymbol symbol = CommonPart(value);
  symbol.detail = StringField(value, "detail");
  ASSIGN_OR_RETURN(symbol.range, RangeFromJson(FieldOrNull(value, "range")));
  symbol.selection_range = symbol.range;
  if (const json* selection = FindField(value, "selectionRange")) {
    ASSIGN_OR_RETURN(symbol.selection_range, RangeFromJson(*selection));
  }
  if (const json* children = FindField(value, "children")) {
    ASSIGN_OR_RETURN(symbol.children, TreeFromJson(*children, depth + 1));
  }
  return symbol;
}

absl::StatusOr<std::vector<DocumentSymbol>> TreeFromJson(const json& list,
                                                         int depth) {
  if (!list.is_array()) return BadShape("a symbol list", "array", list);
  if (depth > kMaxDepth) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_UNSUPPORTED,
        absl::StrCat("the language server nests symbols more "
                     "than ",
                     kMaxDepth, " levels deep; read the file instead"));
  }
  std::vector<DocumentSymbol> symbols;
  symbols.reserve(list.size());
  for (const json& item : list) {
    ASSIGN_OR_RETURN(DocumentSymbol symbol, NodeFromJson(item, depth));
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

absl::StatusOr<DocumentSymbol> LeafFromJson(const json& value) {
  DocumentSymbol symbol = CommonPart(value);
  symbol.container_name = StringField(value, "containerName");
  ASSIGN_OR_RETURN(symbol.range, RangeFromJson(FieldOrNull(
                                     FieldOrNull(value, "location"), "range")));
  symbol.selection_range = symbol.range;
  return symbol;
}

// Equal ranges are siblings (`int a, b;`), unless the server says otherwise.
bool StandsIn(const DocumentSymbol& outer, const DocumentSymbol& inner) {
  if (!outer.range.Contains(inner.range)) return false;
  return outer.range != inner.range ||
         (!outer.name.empty() && inner.container_name == outer.name);
}

// Outer symbols first, in the order of the text.
void SortByPosition(std::vector<DocumentSymbol>& symbols) {
  std::stable_sort(symbols.begin(), symbols.end(),
                   [](const DocumentSymbol& a, const DocumentSymbol& b) {
                     if (a.range.start != b.range.start) {
                       return a.range.start < b.range.start;
                     }
                     return a.range.end > b.range.end;
                   });
}

std::vector<DocumentSymbol> TreeByContainment(
    std::vector<DocumentSymbol> symbols) {
  SortByPosition(symbols);
  std::vector<DocumentSymbol> roots;
  // From a root down to the last symbol; each may still get children.
  std::vector<DocumentSymbol> path;
  const auto close_last = [&roots, &path] {
    DocumentSymbol done = std::move(path.back());
    path.pop_back();
    (path.empty() ? roots : path.back().children).push_back(std::move(done));
  };
  for (DocumentSymbol& symbol : symbols) {
    while (!path.empty() &&
           (path.size() >= kMaxDepth || !StandsIn(path.back(), symbol))) {
      close_last();
    }
    path.push_back(std::move(symbol));
  }
  while (!path.empty()) close_last();
  return roots;
}

absl::StatusOr<WorkspaceSymbol> WorkspaceSymbolFromJson(const json& value) {
  WorkspaceSymbol symbol;
  const json& location = FieldOrNull(value, "location");
  symbol.name = StringField(value, "name");
  symbol.container_name = StringField(value, "containerName");
  symbol.kind = IntField(value, "kind").value_or(0);
  symbol.uri = StringField(location, "uri");
  if (symbol.uri.empty()) {
    return BadShape("a workspace symbol", "{name, kind, location}", value);
  }
  if (const json* range = FindField(location, "range")) {
    ASSIGN_OR_RETURN(symbol.range, RangeFromJson(*range));
  }
  return symbol;
}

}  // namespace

std::string SymbolKindName(int kind) {
  if (kind < 1 || kind > static_cast<int>(kKindNames.size())) return "unknown";
  return std::string(kKindNames[static_cast<size_t>(kind - 1)]);
}

std::optional<int> SymbolKindFromName(absl::string_view name) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<int>(found - kKindNames.begin()) + 1;
}

absl::StatusOr<DocumentSymbols> DocumentSymbolsFromJson(const json& value) {
  DocumentSymbols symbols;
  if (value.is_null()) return symbols;
  if (!value.is_array()) return BadShape("a symbol list", "array", value);
  symbols.was_flat = std::any_of(value.begin(), value.end(), IsFlat);
  if (!symbols.was_flat) {
    ASSIGN_OR_RETURN(symbols.roots, TreeFromJson(value, 0));
    return symbols;
  }
  std::vector<DocumentSymbol> leaves;
  leaves.reserve(value.size());
  for (const json& item : value) {
    ASSIGN_OR_RETURN(DocumentSymbol leaf, LeafFromJson(item));
    leaves.push_back(std::move(leaf));
  }
  symbols.roots = TreeByContainment(std::move(leaves));
  return symbols;
}

absl::StatusOr<std::vector<WorkspaceSymbol>> WorkspaceSymbolsFromJson(
    const json& value) {
  std::vector<WorkspaceSymbol> symbols;
  if (value.is_null()) return symbols;
  if (!value.is_array()) {
    return BadShape("a workspace symbol list", "array", value);
  }
  symbols.reserve(value.size());
  for (const json& item : value) {
    ASSIGN_OR_RETURN(WorkspaceSymbol symbol, WorkspaceSymbolFromJson(item));
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

}  // namespace banyan::lspd
