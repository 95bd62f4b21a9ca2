// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_CODE_ACTIONS_H_
#define LSPD_EDITS_CODE_ACTIONS_H_

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/edit_service.pb.h"
#include "lspd/edits/apply_edit.h"
#include "lspd/queries/question.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// EditService.ListCodeActions: what the file's server offers for a place.
absl::StatusOr<lsp::v1::ListCodeActionsResponse> ListCodeActions(
    const QueryTools& tools, const Editor& editor, const rpc::CallContext& call,
    const lsp::v1::ListCodeActionsRequest& request);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_CODE_ACTIONS_H_
