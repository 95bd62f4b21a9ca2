// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_FIND_IMPLEMENTATIONS_H_
#define LSPD_QUERIES_FIND_IMPLEMENTATIONS_H_

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// SymbolService.FindImplementations, for a grant that was verified. UNSUPPORTED
// where the server does not announce it, never an empty answer.
absl::StatusOr<lsp::v1::FindImplementationsResponse> FindImplementations(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::FindImplementationsRequest& request);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_FIND_IMPLEMENTATIONS_H_
