// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_SERVER_EDIT_H_
#define LSPD_EDITS_SERVER_EDIT_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lspd/edits/draft.h"
#include "lspd/edits/text_change.h"
#include "lspd/protocol/workspace_edit.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// A server's edit with the texts that it was computed on, which the server had
// open while it was asked.
struct ServerEdit {
  WorkspaceEdit edit;
  PositionEncoding encoding = PositionEncoding::kUtf16;
  // By relative path. Each file that an edit of a text names.
  std::map<std::string, std::shared_ptr<const SourceFile>> texts;
};

// Asks until the set of files that the edit names is one that the server had
// open from disk when it answered (contracts: "stable set").
//   CONFLICT           the set does not come to rest
//   PATH_OUTSIDE_ROOT  it would change files outside the root: all of it is
//                      refused
//   those of `ask`
absl::StatusOr<ServerEdit> AskUntilStable(
    Question& question, LanguageServer& server,
    const std::function<absl::StatusOr<nlohmann::json>()>& ask);

// Makes the changes on the draft, in their order. Edits of one text all refer
// to the text that the server had.
//   CONFLICT  a file is not that text any more, or the server speaks of places
//             that it does not have
absl::Status ApplyServerEdit(const ServerEdit& edit, const std::string& root,
                             Draft& draft);

// The byte ranges of a server's edits of one text.
//   CONFLICT  a place that the text does not have
absl::StatusOr<std::vector<TextChange>> ChangesOf(
    const LineIndex& text, PositionEncoding encoding,
    const std::vector<LspTextEdit>& edits);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_SERVER_EDIT_H_
