// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/change_history.h"

#include <map>
#include <string>
#include <utility>

namespace banyan::lspd {
ChangeKind Joined(ChangeKind first, ChangeKind second) {
  if (first == ChangeKind::kCreated && second == ChangeKind::kChanged) {
    return ChangeKind::kCreated;
  }
  if (first == ChangeKind::kDeleted && second != ChangeKind::kDeleted) {
    return ChangeKind::kChanged;
  }
  return second;
}

void ChangeHistory::Note(std::string relative_path, ChangeKind kind) {
  entries_.push_back({++count_, {std::move(relative_path), kind}});
  if (entries_.size() > remembered_) {
    complete_since_ = entries_.front().count;
    entries_.pop_front();
  }
}

void ChangeHistory::Forget() {
  complete_since_ = ++count_;
  entries_.clear();
}

FileChanges ChangeHistory::Since(uint64_t count) const {
  FileChanges changes = {
      .count = count_,
      .changes = {},
      .is_everything_unknown = count < complete_since_ || count > count_};
  if (changes.is_everything_unknown) return changes;
  std::map<std::string, ChangeKind> kinds;
  for (const Entry& entry : entries_) {
    if (entry.count <= count) continue;
    const auto [found, is_new] =
        kinds.emplace(entry.change.relative_path, entry.change.kind);
    if (!is_new) found->second = Joined(found->second, entry.change.kind);
  }
  for (const auto& [path, kind] : kinds)
    changes.changes.push_back({path, kind});
  return changes;
}

}  // namespace banyan::lspd
