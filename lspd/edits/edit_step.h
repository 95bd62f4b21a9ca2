// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_EDIT_STEP_H_
#define LSPD_EDITS_EDIT_STEP_H_

#include <string>

#include "absl/status/status.h"
#include "banyan/lsp/v1/edit_service.pb.h"
#include "lspd/edits/draft.h"
#include "lspd/queries/question.h"
#include "lspd/workspace/shown_texts.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// What one step of an edit works with. It changes the draft and may say more in
// the answer; nothing is written before all steps are made.
struct EditStep {
  const QueryTools& tools;
  const Asker& asker;
  const rpc::CallContext& call;
  const std::string& handle_hash;
  ShownTexts& shown;
  Draft& draft;
  lsp::v1::ApplyEditResponse& answer;
  bool is_dry_run = false;
};

// Each makes the operation of its name; `path` is the operation's relative_path
// made clean. Errors are those that EditService names.
absl::Status CreateFile(EditStep& step, const std::string& path,
                        const lsp::v1::CreateFile& operation);
absl::Status ReplaceContent(EditStep& step, const std::string& path,
                            const lsp::v1::ReplaceContent& operation);
absl::Status EditLines(EditStep& step, const std::string& path,
                       const lsp::v1::EditLines& operation);
absl::Status EditSymbol(EditStep& step, const std::string& path,
                        const lsp::v1::EditSymbol& operation);
absl::Status RenameSymbol(EditStep& step, const std::string& path,
                          const lsp::v1::RenameSymbol& operation);
absl::Status DeleteSymbol(EditStep& step, const std::string& path,
                          const lsp::v1::DeleteSymbol& operation);
absl::Status MoveFile(EditStep& step, const std::string& path,
                      const lsp::v1::MoveFile& operation);
absl::Status ReplaceInFiles(EditStep& step, const std::string& path,
                            const lsp::v1::ReplaceInFiles& operation);
absl::Status FormatFile(EditStep& step, const std::string& path,
                        const lsp::v1::FormatFile& operation);
absl::Status ApplyCodeAction(EditStep& step, const std::string& path,
                             const lsp::v1::ApplyCodeAction& operation);
// One file of ApplyEditRequest.files.
absl::Status EditFile(EditStep& step, const lsp::v1::FileEdit& edit);

// Holds what is on disk against what the caller saw: `expected_hash`, or, when
// `uses_shown`, what this handle was shown last. A refusal shows the
// difference, and counts as showing the file.
//   CONFLICT
absl::Status CheckSeen(EditStep& step, const std::string& path,
                       const std::string& expected_hash, bool uses_shown);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_EDIT_STEP_H_
