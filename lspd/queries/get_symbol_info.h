// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_GET_SYMBOL_INFO_H_
#define LSPD_QUERIES_GET_SYMBOL_INFO_H_

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// SymbolService.GetSymbolInfo, for a grant that was verified.
absl::StatusOr<lsp::v1::GetSymbolInfoResponse> GetSymbolInfo(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::GetSymbolInfoRequest& request);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_GET_SYMBOL_INFO_H_
