// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_PREVIEW_DIAGNOSTICS_H_
#define LSPD_EDITS_PREVIEW_DIAGNOSTICS_H_

#include <vector>

#include "banyan/lsp/v1/edit_service.pb.h"
#include "lspd/edits/draft.h"
#include "lspd/queries/question.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// What changes that are not on disk would break and mend in the files that they
// change. Texts that nobody saved must not reach a server that others ask, so
// each language gets a process of its own, which is ended before this returns:
// slower than asking after the edit, and nothing of it stays anywhere.
//
// Adds new and fixed diagnostics to the answer, and why some may be missing.
// Previews of one root go one by one. Blocks.
void AddPreviewDiagnostics(const QueryTools& tools, const Asker& asker,
                           const rpc::CallContext& call,
                           const std::vector<DraftChange>& changes,
                           lsp::v1::ApplyEditResponse* answer);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_PREVIEW_DIAGNOSTICS_H_
