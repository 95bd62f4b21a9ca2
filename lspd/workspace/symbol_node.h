// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_SYMBOL_NODE_H_
#define LSPD_WORKSPACE_SYMBOL_NODE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lspd/protocol/text_position.h"

namespace banyan::lspd {

// One symbol of a file as agents see it, whatever server named it.
struct SymbolNode {
  std::string name;          // Bare; a slash is shown as `#`.
  std::optional<int> index;  // 0-based, where siblings share the name.
  // What the server wrote before the name: {"Server"} for Go's
  // "(*Server).Start", {"Shape"} for an out-of-line "Shape::area".
  std::vector<std::string> owner;
  // The owner is part of the shown path (C++), or only another way to say it.
  bool shows_owner = false;
  // What else this container is called in the path of its children: "Point"
  // for Rust's "impl Display for Point". Empty: nothing.
  std::string container_name;
  std::string kind;  // "class", "enum_member"
  std::string detail;
  TextRange range;      // The whole definition.
  TextRange selection;  // The name.
  std::vector<SymbolNode> children;
};

// The symbols of one text of one file. Immutable once shared.
struct FileSymbols {
  std::vector<SymbolNode> roots;
};

using SharedSymbols = std::shared_ptr<const FileSymbols>;

// What a tree costs in memory, roughly.
size_t MemoryOf(const FileSymbols& symbols);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_SYMBOL_NODE_H_
