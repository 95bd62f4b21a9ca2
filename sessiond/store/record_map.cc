// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/record_map.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace banyan::sessiond {
namespace {

template <typename Map, typename Key>
int64_t CountOf(const Map& counts, const Key& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

void RecordMap::Pending::Add(const RecordWrite& write) {
  if (write.verb != RecordWrite::Verb::kCreate) return;
  ++of_principal_[{write.record.kind, write.record.principal}];
  ++total_[write.record.kind];
}

int64_t RecordMap::Pending::Of(RecordKind kind,
                               const std::string& principal) const {
  return CountOf(of_principal_, std::make_pair(kind, principal));
}

int64_t RecordMap::Pending::Total(RecordKind kind) const {
  return CountOf(total_, kind);
}

WriteResult RecordMap::Judge(const RecordWrite& write,
                             const Pending& pending) const {
  const Record& record = write.record;
  const auto found = records_.find(Key(record.kind, record.key));
  if (write.verb != RecordWrite::Verb::kCreate) {
    if (found == records_.end()) return WriteResult::kAbsent;
    const bool takes_any =
        write.verb == RecordWrite::Verb::kDelete && write.expected_version == 0;
    return takes_any || found->second.version == write.expected_version
               ? WriteResult::kDone
               : WriteResult::kConflict;
  }
  if (found != records_.end()) return WriteResult::kExists;
  if (write.quota.total > 0 &&
      CountOf(living_, record.kind) + pending.Total(record.kind) >=
          write.quota.total) {
    return WriteResult::kStoreFull;
  }
  const auto owned = owned_.find(Key(record.kind, record.principal));
  const int64_t living = owned == owned_.end() ? 0 : owned->second.living;
  if (write.quota.per_principal > 0 &&
      living + pending.Of(record.kind, record.principal) >=
          write.quota.per_principal) {
    return WriteResult::kPrincipalFull;
  }
  return WriteResult::kDone;
}

RecordChange RecordMap::Describe(const RecordWrite& write, int64_t revision,
                                 absl::Time now) const {
  const Record& record = write.record;
  const auto found = records_.find(Key(record.kind, record.key));
  return {.revision = revision,
          .kind = record.kind,
          .key = record.key,
          .version = found == records_.end() ? 1 : found->second.version + 1,
          .is_over = write.verb == RecordWrite::Verb::kDelete || record.is_over,
          .at = now};
}

void RecordMap::Apply(RecordWrite write, const RecordChange& change) {
  Remove(Key(change.kind, change.key));
  if (write.verb != RecordWrite::Verb::kDelete) {
    write.record.version = change.version;
    Insert(std::move(write.record));
  }
  Remember(change);
}

void RecordMap::RestoreChange(const RecordChange& change) { Remember(change); }

std::optional<Record> RecordMap::Load(RecordKind kind,
                                      absl::string_view key) const {
  const auto found = records_.find(Key(kind, std::string(key)));
  if (found == records_.end()) return std::nullopt;
  return found->second;
}

std::vector<Record> RecordMap::List(
    RecordKind kind, const std::optional<std::string>& principal) const {
  std::vector<Record> list;
  if (!principal.has_value()) {
    for (const auto& [key, record] : records_) {
      if (key.first == kind) list.push_back(record);
    }
    return list;
  }
  const auto owned = owned_.find(Key(kind, *principal));
  if (owned == owned_.end()) return list;
  for (const std::string& key : owned->second.keys) {
    list.push_back(records_.at(Key(kind, key)));
  }
  return list;
}

History RecordMap::ChangesSince(int64_t revision) const {
  History answer;
  answer.newest_revision = revision_;
  const int64_t oldest_kept =
      history_.empty() ? revision_ + 1 : history_.front().revision;
  answer.is_complete = revision >= oldest_kept - 1 && revision <= revision_;
  const auto first =
      std::upper_bound(history_.begin(), history_.end(), revision,
                       [](int64_t asked, const RecordChange& change) {
                         return asked < change.revision;
                       });
  answer.changes.assign(first, history_.end());
  return answer;
}

void RecordMap::Insert(Record record) {
  Owned& owned = owned_[Key(record.kind, record.principal)];
  owned.keys.insert(record.key);
  if (!record.is_over) {
    ++owned.living;
    ++living_[record.kind];
  }
  Key key(record.kind, record.key);
  records_.insert_or_assign(std::move(key), std::move(record));
}

void RecordMap::Remove(const Key& key) {
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  const Record& record = found->second;
  const auto owned = owned_.find(Key(record.kind, record.principal));
  owned->second.keys.erase(record.key);
  if (!record.is_over) {
    --owned->second.living;
    --living_[record.kind];
  }
  if (owned->second.keys.empty()) owned_.erase(owned);
  records_.erase(found);
}

void RecordMap::Remember(const RecordChange& change) {
  revision_ = change.revision;
  history_.push_back(change);
  while (history_.size() > kHistoryLimit ||
         history_.front().at + kHistoryLife < change.at) {
    history_.pop_front();
  }
}

}  // namespace banyan::sessiond
