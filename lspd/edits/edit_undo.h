// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_EDIT_UNDO_H_
#define LSPD_EDITS_EDIT_UNDO_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lspd/edits/edit_journal.h"
#include "lspd/workspace/root_directory.h"

namespace banyan::lspd {

// Takes back the first `made` steps of the journal, the last one first; a crash
// leaves open which were made, so then all of them are looked at. `stage` is the
// folder of the transaction. Returns the files that are neither what they were
// nor what they became: those are left alone.
std::vector<std::string> UndoSteps(const RootDirectory& root, int stage,
                                   const EditJournal& journal, size_t made);

// Removes a folder and the files in it; it holds no folders.
void RemoveStage(int edits, const std::string& name);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_EDIT_UNDO_H_
