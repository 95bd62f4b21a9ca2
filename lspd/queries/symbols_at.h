// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_SYMBOLS_AT_H_
#define LSPD_QUERIES_SYMBOLS_AT_H_

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol.pb.h"
#include "lspd/queries/locations.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// What a definition or implementation was found as: the symbol whose name
// stands at the place. Where none does (a parameter, a local) a symbol without
// a kind, whose range is the name alone.
absl::StatusOr<lsp::v1::Symbol> SymbolAtPlace(Question& question,
                                              const PlaceInRoot& place,
                                              bool include_body);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_SYMBOLS_AT_H_
