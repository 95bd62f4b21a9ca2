// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_CHANGE_COUNTER_H_
#define LSPD_WORKSPACE_CHANGE_COUNTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/workspace/file_proposals.h"
#include "lspd/workspace/root_directory.h"

namespace banyan::lspd {

enum class ChangeKind { kCreated, kChanged, kDeleted };

struct FileChange {
  std::string relative_path;
  ChangeKind kind = ChangeKind::kChanged;
};

struct FileChanges {
  uint64_t count = 0;               // To ask from the next time.
  std::vector<FileChange> changes;  // Each path once, with its last kind.
  bool is_everything_unknown =
      false;  // Too much happened, or too long ago: anything may have changed.
};

// A number that moves whenever something beneath a root may have changed: a
// file that git does not ignore, HEAD or the index. An answer holds for one
// state of the tree when the number before its first step and after its last
// are the same.
//
// What changed before Read() was called is in what it returns (the kernel
// queues notices while the change is made), except where notices cannot be
// trusted: there a sweep over all files is made, at most once a second.
//
// Thread-safe.
class ChangeCounter {
 public:
  struct Options {
    size_t max_watches = 20'000;  // Folders; past it, sweeps.
    bool may_use_notices = true;  // Off: sweeps only.
    absl::Duration sweep_interval = absl::Seconds(1);
    size_t remembered_changes = 10'000;
    std::function<absl::Time()> now;  // Null: absl::Now.
  };

  // What the first Read() of all answers: ChangesSince() it is everything since
  // the tree is watched.
  static constexpr uint64_t kBeginning = 1;

  virtual ~ChangeCounter() = default;

  // The first call looks at the whole tree.
  virtual uint64_t Read() = 0;

  // What happened after `count` was read.
  virtual FileChanges ChangesSince(uint64_t count) = 0;

  // We wrote the file ourselves: moves the number at once.
  virtual void NoteOwnWrite(absl::string_view relative_path,
                            ChangeKind kind) = 0;

  // Kernel notices are in use (not sweeps).
  virtual bool has_notices() const = 0;
};

// Both must outlive it.
std::unique_ptr<ChangeCounter> NewChangeCounter(const RootDirectory& root,
                                                FileProposals& proposals,
                                                ChangeCounter::Options options);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_CHANGE_COUNTER_H_
