// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_SYMBOL_TREE_H_
#define LSPD_QUERIES_SYMBOL_TREE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/lsp/v1/symbol.pb.h"
#include "lspd/protocol/text_position.h"
#include "lspd/queries/name_path.h"
#include "lspd/server/server_catalog.h"
#include "lspd/workspace/symbol_node.h"
#include "nlohmann/json_fwd.hpp"

namespace banyan::lspd {

// What a server said of one text, in our terms: bare names with indices among
// same-named siblings, columns in code points, kinds as words, children inside
// their parents, in order of position. Locals inside functions are left out;
// named functions and types inside functions stay.
//
// `documentSymbol` is the result of that request, `text` what the server had.
//   INTERNAL  the result has no shape that LSP knows
absl::StatusOr<FileSymbols> SymbolsFromJson(
    const nlohmann::json& document_symbol, const LineIndex& text,
    PositionEncoding encoding, const ServerEntry& server);

// A symbol with the ways to name it.
struct SymbolPlace {
  const SymbolNode* node = nullptr;
  const SymbolNode* parent = nullptr;  // Null at the top.
  NamePath path;                       // As shown.
  NamePath other_path;                 // Another way to say it; often the same.
};

// Every symbol from the top down. False from `visit` leaves the children out.
void ForEachSymbol(const FileSymbols& symbols,
                   const std::function<bool(const SymbolPlace&)>& visit);

bool Matches(const NamePathPattern& pattern, const SymbolPlace& place);
bool IsWholePath(const NamePathPattern& pattern, const SymbolPlace& place);

// The innermost symbol whose range holds the position; nothing at top level.
std::optional<SymbolPlace> SymbolAt(const FileSymbols& symbols,
                                    const TextPosition& position);

// The symbol whose name stands at the position (the innermost, if several).
std::optional<SymbolPlace> SymbolNamedAt(const FileSymbols& symbols,
                                         const TextPosition& position);

lsp::v1::Range ToProto(const TextRange& range);

// Messages nested deeper are not read whole at the other end.
inline constexpr int kDeepestAnswer = 50;

//   ARGUMENT_INVALID  more than kDeepestAnswer levels of children
absl::Status CheckDepth(int depth);

// With children down to `depth`; 0 = none.
lsp::v1::Symbol ToProto(const SymbolPlace& place,
                        absl::string_view relative_path, int depth);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_SYMBOL_TREE_H_
