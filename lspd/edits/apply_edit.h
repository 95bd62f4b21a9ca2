// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_APPLY_EDIT_H_
#define LSPD_EDITS_APPLY_EDIT_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "banyan/lsp/v1/edit_service.pb.h"
#include "lspd/queries/question.h"
#include "lspd/workspace/workspace.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// Who edits.
struct Editor {
  Asker asker;
  std::string handle_hash;
  bool may_write = false;
  // Looked at right before the first file changes: the grant still holds.
  std::function<absl::Status()> may_commit = [] { return absl::OkStatus(); };
};

// EditService.ApplyEdit: waits for its turn on the root, makes the steps on a
// draft, writes all of it as one transaction, and tells who did what. Blocks.
absl::StatusOr<lsp::v1::ApplyEditResponse> ApplyEdit(
    const QueryTools& tools, const Editor& editor, const rpc::CallContext& call,
    const lsp::v1::ApplyEditRequest& request);

// EditService.GetActivity.
absl::StatusOr<lsp::v1::GetActivityResponse> GetActivity(
    const QueryTools& tools, const Editor& editor, const rpc::CallContext& call,
    const lsp::v1::GetActivityRequest& request);

// Undoes what a process that died left unfinished in the root, before anybody
// is answered about it. REQUIRES: the root's lock is held.
void RecoverRoot(const Workspace& workspace);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_APPLY_EDIT_H_
