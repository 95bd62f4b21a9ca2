// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_SYMBOL_NAMES_H_
#define LSPD_QUERIES_SYMBOL_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lspd/server/server_catalog.h"

namespace banyan::lspd {

// How a server decorates the names of its symbols.
enum class NameStyle {
  kPlain,
  kReceiver,        // gopls: "(*Server).Start"
  kParameterList,   // jdtls, Roslyn: "add(int, int)"
  kDotted,          // Lua: "account.deposit", "account:deposit"
  kScoped,          // clangd: "Shape::area" for a definition out of line
  kImplementation,  // rust-analyzer: "impl Display for Point" around methods
};

// By the row's quirks, else by what is known of the server of that id.
NameStyle NameStyleOf(const ServerEntry& entry);

// A server's name taken apart.
struct ParsedName {
  std::string name;
  std::vector<std::string> owner;  // Outermost first.
  std::string container_name;      // See SymbolNode.
};

// A name that does not have the style's form comes back whole, as `name`.
ParsedName Normalize(absl::string_view server_name, NameStyle style);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_SYMBOL_NAMES_H_
