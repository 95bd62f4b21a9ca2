// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_RECORD_MAP_H_
#define SESSIOND_STORE_RECORD_MAP_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

// Records and their history in memory: what the memory store is, and what the
// SQLite store reads from. A write is judged, then described, then applied, so
// that a store can make it durable in between. Not thread-safe.
class RecordMap {
 public:
  // Creations that were judged but not applied yet: they take places too.
  class Pending {
   public:
    void Add(const RecordWrite& write);
    int64_t Of(RecordKind kind, const std::string& principal) const;
    int64_t Total(RecordKind kind) const;

   private:
    std::map<std::pair<RecordKind, std::string>, int64_t> of_principal_;
    std::map<RecordKind, int64_t> total_;
  };

  // The first change gets the revision after this one.
  explicit RecordMap(int64_t revision) : revision_(revision) {}

  WriteResult Judge(const RecordWrite& write, const Pending& pending) const;

  // REQUIRES: Judge(write) is kDone.
  RecordChange Describe(const RecordWrite& write, int64_t revision,
                        absl::Time now) const;
  void Apply(RecordWrite write, const RecordChange& change);

  // Fills an empty map from durable storage, oldest change first.
  void Restore(Record record) { Insert(std::move(record)); }
  void RestoreChange(const RecordChange& change);

  std::optional<Record> Load(RecordKind kind, absl::string_view key) const;
  std::vector<Record> List(RecordKind kind,
                           const std::optional<std::string>& principal) const;
  History ChangesSince(int64_t revision) const;
  int64_t revision() const { return revision_; }

 private:
  using Key = std::pair<RecordKind, std::string>;
  struct Owned {
    std::set<std::string> keys;
    int64_t living = 0;
  };

  void Insert(Record record);
  void Remove(const Key& key);
  void Remember(const RecordChange& change);

  std::map<Key, Record, std::less<>> records_;
  std::map<Key, Owned> owned_;  // By kind and principal.
  std::map<RecordKind, int64_t> living_;
  std::deque<RecordChange> history_;
  int64_t revision_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_RECORD_MAP_H_
