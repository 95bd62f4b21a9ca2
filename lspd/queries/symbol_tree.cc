// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/symbol_tree.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/import_lines.h"
#include "lspd/queries/symbol_names.h"
#include "lspd/server/quirks.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

bool IsFunctionKind(absl::string_view kind) {
  return kind == "function" || kind == "method" || kind == "constructor";
}

// What is worth a name although it stands inside a function.
bool IsNamedDefinition(const SymbolNode& node) {
  if (!IsFunctionKind(node.kind) && node.kind != "class" &&
      node.kind != "interface" && node.kind != "struct" &&
      node.kind != "enum" && node.kind != "module" &&
      node.kind != "namespace" && node.kind != "object") {
    return false;
  }
  // "map() callback", "<lambda>": servers invent names for what has none.
  return node.name.find_first_of(" <(") == std::string::npos ||
         !node.container_name.empty();
}

// gopls begins a lone `type`, `var` or `const` declaration at its name; an edit
// of that range would leave the keyword standing.
void ExtendToKeyword(const LineIndex& text, TextRange* range) {
  const TextPosition line_start{.line = range->start.line, .column = 1};
  const absl::string_view before = absl::StripAsciiWhitespace(
      text.Slice({.start = line_start, .end = range->start}));
  if (before != "type" && before != "var" && before != "const") return;
  const absl::string_view line = text.Line(range->start.line);
  range->start.column = static_cast<int>(line.find_first_not_of(" \t")) + 1;
}

// Servers may end a range at the start of the next line; our `end_line` is the
// last line that belongs to it.
void EndOnLastLine(const LineIndex& text, TextRange* range) {
  if (range->end.column != 1 || range->end.line <= range->start.line) return;
  const TextPosition past_the_end{.line = range->end.line - 1,
                                  .column = std::numeric_limits<int>::max()};
  const LspPosition end = text.ToLsp(past_the_end, PositionEncoding::kUtf32);
  range->end = text.ToText(end, PositionEncoding::kUtf32);
}

// Orders, then numbers same-named siblings from 0.
void Settle(std::vector<SymbolNode>* siblings) {
  std::stable_sort(siblings->begin(), siblings->end(),
                   [](const SymbolNode& a, const SymbolNode& b) {
                     return a.range.start < b.range.start;
                   });
  const auto key = [](const SymbolNode& node) {
    std::vector<std::string> full;
    if (node.shows_owner) full = node.owner;
    full.push_back(node.name);
    return full;
  };
  std::map<std::vector<std::string>, int> total;
  for (const SymbolNode& node : *siblings) ++total[key(node)];
  std::map<std::vector<std::string>, int> seen;
  for (SymbolNode& node : *siblings) {
    node.index = std::nullopt;
    if (total[key(node)] > 1) node.index = seen[key(node)]++;
  }
}

class TreeBuilder {
 public:
  TreeBuilder(const LineIndex& text, PositionEncoding encoding,
              const ServerEntry& server)
      : text_(text),
        encoding_(encoding),
        language_(server.language()),
        style_(NameStyleOf(server)),
        extends_to_keyword_(HasQuirk(server, kQuirkRangeStartsAtName)) {}

  std::vector<SymbolNode> Build(const std::vector<DocumentSymbol>& symbols,
                                bool is_inside_function) const {
    std::vector<SymbolNode> nodes;
    for (const DocumentSymbol& symbol : symbols) {
      SymbolNode node = NodeOf(symbol);
      if (is_inside_function && !IsNamedDefinition(node)) continue;
      if (IsImported(node)) continue;
      node.children = Build(symbol.children,
                            is_inside_function || IsFunctionKind(node.kind));
      nodes.push_back(std::move(node));
    }
    Settle(&nodes);
    return nodes;
  }

 private:
  // TypeScript 7 lists what a file imports among what it defines.
  bool IsImported(const SymbolNode& node) const {
    if (language_ != "typescript" || node.kind != "variable") return false;
    const absl::string_view line =
        absl::StripAsciiWhitespace(text_.Line(node.selection.start.line));
    return !absl::StartsWith(line, "const") && !absl::StartsWith(line, "let") &&
           !absl::StartsWith(line, "var") &&
           IsImportLine(text_, node.selection.start.line, language_);
  }

  SymbolNode NodeOf(const DocumentSymbol& symbol) const {
    ParsedName plain = Normalize(symbol.name, style_);
    SymbolNode node;
    node.name = ShownName(plain.name.empty() ? "(anonymous)" : plain.name);
    node.owner = std::move(plain.owner);
    for (std::string& owner : node.owner) owner = ShownName(owner);
    node.shows_owner = style_ == NameStyle::kScoped;
    node.container_name = ShownName(plain.container_name);
    node.kind = SymbolKindName(symbol.kind);
    node.detail = symbol.detail;
    node.range = text_.ToText(symbol.range, encoding_);
    node.selection = text_.ToText(symbol.selection_range, encoding_);
    EndOnLastLine(text_, &node.range);
    if (extends_to_keyword_) ExtendToKeyword(text_, &node.range);
    return node;
  }

  const LineIndex& text_;
  const PositionEncoding encoding_;
  const std::string language_;
  const NameStyle style_;
  const bool extends_to_keyword_;
};

void Walk(const std::vector<SymbolNode>& siblings, const SymbolPlace& above,
          const NamePath& other_above,
          const std::function<bool(const SymbolPlace&)>& visit) {
  for (const SymbolNode& node : siblings) {
    SymbolPlace place{.node = &node,
                      .parent = above.node,
                      .path = above.path,
                      .other_path = other_above};
    NamePath& with_owner = node.shows_owner ? place.path : place.other_path;
    for (const std::string& owner : node.owner) {
      with_owner.push_back({.name = owner, .index = std::nullopt});
    }
    const NamePathComponent own{.name = node.name, .index = node.index};
    place.path.push_back(own);
    place.other_path.push_back(own);
    if (!visit(place)) continue;
    NamePath below = place.other_path;
    if (!node.container_name.empty()) {
      below.back() = {.name = node.container_name, .index = std::nullopt};
    }
    Walk(node.children, place, below, visit);
  }
}

bool Holds(const TextRange& range, const TextPosition& position) {
  return range.start <= position && position < range.end;
}

// The end counts too: a cursor right behind a name still means it.
bool Touches(const TextRange& range, const TextPosition& position) {
  return range.start <= position && position <= range.end;
}

}  // namespace

absl::StatusOr<FileSymbols> SymbolsFromJson(
    const nlohmann::json& document_symbol, const LineIndex& text,
    PositionEncoding encoding, const ServerEntry& server) {
  ASSIGN_OR_RETURN(const DocumentSymbols symbols,
                   DocumentSymbolsFromJson(document_symbol));
  return FileSymbols{
      .roots = TreeBuilder(text, encoding, server).Build(symbols.roots, false)};
}

void ForEachSymbol(const FileSymbols& symbols,
                   const std::function<bool(const SymbolPlace&)>& visit) {
  Walk(symbols.roots, {}, {}, visit);
}

bool Matches(const NamePathPattern& pattern, const SymbolPlace& place) {
  return pattern.Matches(place.path) || pattern.Matches(place.other_path);
}

bool IsWholePath(const NamePathPattern& pattern, const SymbolPlace& place) {
  return pattern.IsWholePath(place.path) ||
         pattern.IsWholePath(place.other_path);
}

std::optional<SymbolPlace> SymbolAt(const FileSymbols& symbols,
                                    const TextPosition& position) {
  std::optional<SymbolPlace> innermost;
  ForEachSymbol(symbols, [&](const SymbolPlace& place) {
    if (!Holds(place.node->range, position)) return true;
    if (!innermost || place.path.size() > innermost->path.size()) {
      innermost = place;
    }
    return true;
  });
  return innermost;
}

std::optional<SymbolPlace> SymbolNamedAt(const FileSymbols& symbols,
                                         const TextPosition& position) {
  std::optional<SymbolPlace> innermost;
  ForEachSymbol(symbols, [&](const SymbolPlace& place) {
    if (Touches(place.node->selection, position)) innermost = place;
    return true;
  });
  return innermost;
}

lsp::v1::Range ToProto(const TextRange& range) {
  lsp::v1::Range proto;
  proto.set_start_line(range.start.line);
  proto.set_start_column(range.start.column);
  proto.set_end_line(range.end.line);
  proto.set_end_column(range.end.column);
  return proto;
}

absl::Status CheckDepth(int depth) {
  if (depth <= kDeepestAnswer) return absl::OkStatus();
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                    absl::StrCat("depth is at most ", kDeepestAnswer,
                                 "; for what is nested deeper ask find_symbol "
                                 "about a symbol inside"));
}

lsp::v1::Symbol ToProto(const SymbolPlace& place,
                        absl::string_view relative_path, int depth) {
  const SymbolNode& node = *place.node;
  lsp::v1::Symbol proto;
  proto.set_name(node.name);
  proto.set_name_path(ToString(place.path));
  proto.set_kind(node.kind);
  proto.set_relative_path(std::string(relative_path));
  *proto.mutable_range() = ToProto(node.range);
  *proto.mutable_selection_range() = ToProto(node.selection);
  proto.set_detail(node.detail);
  if (depth <= 0) return proto;
  Walk(node.children, place, place.other_path, [&](const SymbolPlace& child) {
    *proto.add_children() = ToProto(child, relative_path, depth - 1);
    return false;
  });
  return proto;
}

}  // namespace banyan::lspd
