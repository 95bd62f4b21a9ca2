// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_DIAGNOSTICS_DELTA_H_
#define LSPD_EDITS_DIAGNOSTICS_DELTA_H_

#include <string>
#include <vector>

#include "banyan/lsp/v1/edit_service.pb.h"
#include "lspd/edits/draft.h"
#include "lspd/queries/question.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

using Diagnostics = std::vector<lsp::v1::Diagnostic>;

// What is in `after` and not in `before`, whatever the lines: an edit moves
// them. Two alike count as two.
Diagnostics NewDiagnostics(const Diagnostics& before, const Diagnostics& after);

// What an edit breaks and mends in the files it changes: asks their servers
// when it is made, before the edit, and again for the report.
class DiagnosticsDelta {
 public:
  // All must outlive this.
  DiagnosticsDelta(const QueryTools& tools, const Asker& asker,
                   const rpc::CallContext& call,
                   const std::vector<DraftChange>& changes);

  // Adds new and fixed diagnostics, and why some may be missing.
  void Report(lsp::v1::ApplyEditResponse* answer) const;

 private:
  // Of the files that are there before (or after) the edit.
  Diagnostics Ask(bool is_after, lsp::v1::ApplyEditResponse* answer) const;

  const QueryTools& tools_;
  const Asker& asker_;
  const rpc::CallContext& call_;
  const std::vector<DraftChange>& changes_;
  Diagnostics before_;
};

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_DIAGNOSTICS_DELTA_H_
