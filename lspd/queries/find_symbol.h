// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_FIND_SYMBOL_H_
#define LSPD_QUERIES_FIND_SYMBOL_H_

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// SymbolService.FindSymbol, for a grant that was verified. See symbol_search.h
// for how symbols are found.
absl::StatusOr<lsp::v1::FindSymbolResponse> FindSymbol(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::FindSymbolRequest& request);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_FIND_SYMBOL_H_
