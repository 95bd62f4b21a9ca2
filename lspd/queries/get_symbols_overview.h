// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_GET_SYMBOLS_OVERVIEW_H_
#define LSPD_QUERIES_GET_SYMBOLS_OVERVIEW_H_

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// SymbolService.GetSymbolsOverview, for a grant that was verified.
absl::StatusOr<lsp::v1::GetSymbolsOverviewResponse> GetSymbolsOverview(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::GetSymbolsOverviewRequest& request);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_GET_SYMBOLS_OVERVIEW_H_
