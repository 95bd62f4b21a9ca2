// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_CHANGE_HISTORY_H_
#define LSPD_WORKSPACE_CHANGE_HISTORY_H_

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "lspd/workspace/change_counter.h"

namespace banyan::lspd {

// One kind for two changes of one file: created and then changed is created,
// deleted and then created is changed.
ChangeKind Joined(ChangeKind first, ChangeKind second);

// The number of a ChangeCounter and what moved it. Not thread-safe.
class ChangeHistory {
 public:
  explicit ChangeHistory(size_t remembered) : remembered_(remembered) {}

  uint64_t count() const { return count_; }

  void Note(std::string relative_path, ChangeKind kind);

  // Something moved that is no file of the tree (HEAD).
  void Move() { ++count_; }

  // Anything may have changed.
  void Forget();

  FileChanges Since(uint64_t count) const;

 private:
  struct Entry {
    uint64_t count;
    FileChange change;
  };

  const size_t remembered_;
  uint64_t count_ = ChangeCounter::kBeginning;
  uint64_t complete_since_ =
      ChangeCounter::kBeginning;  // What happened before is not all known.
  std::deque<Entry> entries_;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_CHANGE_HISTORY_H_
