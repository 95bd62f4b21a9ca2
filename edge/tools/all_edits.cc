// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"

namespace banyan::edge {

std::vector<EditDefinition> AllEdits() {
  std::vector<EditDefinition> edits;
  edits.push_back(CreateTextFileEdit());
  edits.push_back(ReplaceContentEdit());
  edits.push_back(ReplaceLinesEdit());
  edits.push_back(InsertAtLineEdit());
  edits.push_back(DeleteLinesEdit());
  edits.push_back(ReplaceSymbolBodyEdit());
  edits.push_back(InsertBeforeSymbolEdit());
  edits.push_back(InsertAfterSymbolEdit());
  edits.push_back(RenameSymbolEdit());
  edits.push_back(SafeDeleteSymbolEdit());
  edits.push_back(ReplaceInFilesEdit());
  edits.push_back(DeleteFileEdit());
  edits.push_back(MoveFileEdit());
  edits.push_back(FormatFileEdit());
  edits.push_back(ApplyCodeActionEdit());
  return edits;
}

}  // namespace banyan::edge
