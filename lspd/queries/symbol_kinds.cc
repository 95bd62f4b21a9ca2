// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/symbol_kinds.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lspd/protocol/lsp_types.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr int kKinds = 26;  // LSP, "SymbolKind".

absl::StatusOr<std::set<std::string>> ParseNames(
    const SymbolKinds::Names& names) {
  std::set<std::string> kinds;
  for (const std::string& name : names) {
    int number = 0;
    if (absl::SimpleAtoi(name, &number) && number >= 1 && number <= kKinds) {
      kinds.insert(SymbolKindName(number));
      continue;
    }
    const std::string lower = absl::AsciiStrToLower(name);
    if (!SymbolKindFromName(lower)) {
      std::vector<std::string> known;
      for (int kind = 1; kind <= kKinds; ++kind) {
        known.push_back(SymbolKindName(kind));
      }
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        absl::StrCat("\"", name,
                                     "\" is no kind of symbol; "
                                     "they are ",
                                     absl::StrJoin(known, ", "), "."));
    }
    kinds.insert(lower);
  }
  return kinds;
}

}  // namespace

absl::StatusOr<SymbolKinds> SymbolKinds::Parse(const Names& include,
                                               const Names& exclude) {
  SymbolKinds kinds;
  ASSIGN_OR_RETURN(kinds.include_, ParseNames(include));
  ASSIGN_OR_RETURN(kinds.exclude_, ParseNames(exclude));
  return kinds;
}

bool SymbolKinds::Wants(absl::string_view kind) const {
  const std::string name = kind.empty() ? "file" : std::string(kind);
  if (exclude_.count(name) > 0) return false;
  return include_.empty() || include_.count(name) > 0;
}

}  // namespace banyan::lspd
