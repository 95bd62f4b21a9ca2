// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_SYMBOL_KINDS_H_
#define LSPD_QUERIES_SYMBOL_KINDS_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_ptr_field.h"

namespace banyan::lspd {

// Which kinds of symbols a caller wants to see.
class SymbolKinds {
 public:
  using Names = google::protobuf::RepeatedPtrField<std::string>;

  // Names as "class" or "enum_member", or LSP's numbers as text. No name in
  // `include` includes all; `exclude` wins.
  //   ARGUMENT_INVALID  a name that is no kind; the message lists them
  static absl::StatusOr<SymbolKinds> Parse(const Names& include,
                                           const Names& exclude);

  // "" is the file itself, for what stands in no symbol.
  bool Wants(absl::string_view kind) const;

 private:
  std::set<std::string> include_;
  std::set<std::string> exclude_;
};

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_SYMBOL_KINDS_H_
