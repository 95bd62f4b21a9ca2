// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_FIND_DECLARATION_H_
#define LSPD_QUERIES_FIND_DECLARATION_H_

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// SymbolService.FindDeclaration, for a grant that was verified. A definition
// outside the root comes as external: its path and line, nothing of its text.
absl::StatusOr<lsp::v1::FindDeclarationResponse> FindDeclaration(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::FindDeclarationRequest& request);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_FIND_DECLARATION_H_
