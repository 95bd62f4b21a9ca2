// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_FIND_REFERENCING_SYMBOLS_H_
#define LSPD_QUERIES_FIND_REFERENCING_SYMBOLS_H_

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// SymbolService.FindReferencingSymbols, for a grant that was verified.
//
// Servers that know only what is open are given the files where the name
// stands, up to a bound. What a server names outside the root is dropped and
// counted; files where the word stands and no reference was named come as
// `text_only`.
absl::StatusOr<lsp::v1::FindReferencingSymbolsResponse> FindReferencingSymbols(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::FindReferencingSymbolsRequest& request);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_FIND_REFERENCING_SYMBOLS_H_
