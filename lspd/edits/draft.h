// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_DRAFT_H_
#define LSPD_EDITS_DRAFT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/workspace/root_directory.h"

namespace banyan::lspd {

// What is to become of one file.
struct DraftChange {
  std::string path;                   // Relative to the root, links resolved.
  std::optional<std::string> before;  // Its bytes; nothing: there is no file.
  std::optional<std::string> after;   // Nothing: it goes.
  // A new file takes mode, owner and attributes of this one; "": a fresh file.
  std::string attributes_of;
};

// Whether an edit may write there: a clean path of UTF-8, not `.git`,
// `.banyan/edits` or `.banyan/project.json`.
bool IsWritablePath(absl::string_view real_path);

// A root with changes that are not on disk yet: steps are made on it one after
// the other, then all of them are written or shown. Each file is read once.
//
// Errors of every call with a path: those of RootDirectory, and
//   PATH_FORBIDDEN  nothing may write there (`.banyan/project.json`)
//
// Not thread-safe.
class Draft {
 public:
  // `root` must outlive this.
  explicit Draft(const RootDirectory& root) : root_(root) {}

  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // As it stands in the draft. The reference holds until the next change.
  //   FILE_NOT_FOUND  it is not there, or was deleted in the draft
  absl::StatusOr<absl::string_view> Read(absl::string_view path);

  // As Read, for a text that is going to be edited.
  //   NOT_UTF8
  absl::StatusOr<absl::string_view> ReadText(absl::string_view path);

  // The hash of what is on disk, not of the draft; nothing: no file.
  absl::StatusOr<std::optional<std::string>> DiskHash(absl::string_view path);

  // An existing file gets this text.
  absl::Status Write(absl::string_view path, std::string text);

  // A file that is not there yet, or, if `may_overwrite`, is.
  //   CONFLICT  it is there
  absl::Status Create(absl::string_view path, std::string text,
                      bool may_overwrite);

  //   ARGUMENT_INVALID  the file is a link: what would go is another file
  absl::Status Delete(absl::string_view path);

  // Keeps what the draft made of it.
  //   CONFLICT          `to` is there
  //   ARGUMENT_INVALID  `from` is a link
  absl::Status Move(absl::string_view from, absl::string_view to);

  // Drops what was read and not changed: who looks through many files keeps
  // only those that matter.
  void Forget(absl::string_view path);

  // The draft differs from the disk there.
  bool IsChanged(absl::string_view path);

  // Links resolved; also of a file that is not there yet.
  absl::StatusOr<std::string> RealPath(absl::string_view path) const;

  // By path. Files that came back to what they were are no changes.
  std::vector<DraftChange> Changes() const;

 private:
  struct Entry {
    std::optional<std::string> before;
    std::string before_hash;
    std::optional<std::string> now;
    std::string attributes_of;
  };

  absl::Status CheckNoLink(absl::string_view path) const;
  // Reads it from disk at the first time.
  absl::StatusOr<Entry*> At(absl::string_view path);
  absl::StatusOr<Entry*> Existing(absl::string_view path);

  const RootDirectory& root_;
  std::map<std::string, Entry> entries_;  // By real path.
};

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_DRAFT_H_
