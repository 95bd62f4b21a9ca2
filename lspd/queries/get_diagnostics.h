// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_GET_DIAGNOSTICS_H_
#define LSPD_QUERIES_GET_DIAGNOSTICS_H_

#include <string>

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/protocol/text_position.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// SymbolService.GetDiagnostics, for a grant that was verified. Of a folder, the
// files of known languages are checked, up to a bound; then `result_cap`.
absl::StatusOr<lsp::v1::GetDiagnosticsResponse> GetDiagnostics(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::GetDiagnosticsRequest& request);

// Of a text, without the symbol around it.
lsp::v1::Diagnostic ToProto(const LspDiagnostic& diagnostic,
                            const std::string& relative_path,
                            const LineIndex& text, PositionEncoding encoding);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_GET_DIAGNOSTICS_H_
