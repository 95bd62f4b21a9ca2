// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_EDIT_JOURNAL_H_
#define LSPD_EDITS_EDIT_JOURNAL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::lspd {

// How a file becomes what it shall be.
enum class StepKind {
  kExchange,       // Changes places with the new file; what comes out is kept.
  kWriteInPlace,   // Where owner, links or a mount forbid a rename.
  kCreate,         // A rename to where nothing is.
  kCreateInPlace,  // On another mount.
  kDelete,         // A rename into the private folder.
  kDeleteInPlace,  // On another mount: a copy is kept.
};

struct JournalStep {
  std::string path;  // Relative to the root, without links.
  StepKind kind = StepKind::kExchange;
  std::string before;  // Hashes; empty where there is no file.
  std::string after;

  bool operator==(const JournalStep&) const = default;
};

// One transaction as it stands in its folder: enough to undo it, whoever does.
struct EditJournal {
  std::vector<JournalStep> steps;
  std::vector<std::string> new_folders;  // Outermost first.

  bool operator==(const EditJournal&) const = default;
};

// What the journal is called in its folder says how far its transaction is.
inline constexpr char kJournal[] = "journal";  // Not finished: to be undone.
inline constexpr char kDone[] = "done";
// Undone in part: what is left is for people.
inline constexpr char kUnsettled[] = "unsettled";

std::string ToText(const EditJournal& journal);
//   kInvalidArgument  not a journal, of a later version, or of a path where no
//                     edit may write (`.git`): such a one is not ours
absl::StatusOr<EditJournal> JournalFromText(absl::string_view text);

// Files of step `index` beside the journal: the text to come (after an
// exchange, the one that was displaced), and the saved one.
std::string StagedName(size_t index);
std::string SavedName(size_t index);

// What undoing a step has to do. A file is touched only when it is what the
// journal says it was or became: anything else is somebody's work.
enum class UndoAction { kNothing, kRestore, kReport };

// `now` is the hash of what stands there, if anything; `is_torn` says that it
// is our own write, cut off in the middle.
UndoAction JudgeUndo(const JournalStep& step,
                     const std::optional<std::string>& now, bool is_torn);

// `now` is `before` with a beginning of `after` written over it.
bool IsTornWrite(absl::string_view now, absl::string_view before,
                 absl::string_view after);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_EDIT_JOURNAL_H_
