// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_SESSION_CACHE_H_
#define EDGE_CLIENTS_SESSION_CACHE_H_

#include <compare>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/session/v1/session_service.pb.h"

namespace banyan::edge {

// Sessions as sessiond described them last, so that protocol data costs no
// round trip. Never an authority: every tool call asks sessiond itself.
//
// An entry is believed while the watch is in sync, until anything is heard of
// its session, and no longer than its age allows, so that sessiond learns of
// the use. Out of sync everybody asks. So what another edge has ended is served
// for as long as the word takes, and at most for the watch's grace.
//
// Callers that miss the same entry wait for one look-up: only those of the same
// principal, for a look-up says what its own principal may see. An entry that a
// caller holds is not pushed out. Thread-safe.
class SessionCache {
 public:
  using Entry = std::shared_ptr<const session::v1::Session>;
  using Load = std::function<absl::StatusOr<session::v1::Session>()>;

  struct Options {
    int64_t capacity = 1'000;  // Entries; 0 means this default.
    absl::Duration age = absl::Seconds(10);
    std::function<bool()> is_in_sync;
    std::function<absl::Time()> now;
  };

  //   kInvalidArgument  a negative capacity; no is_in_sync or now
  static absl::StatusOr<std::unique_ptr<SessionCache>> Create(Options options);

  // The cached entry, or what `load` brings; an error of `load` is given to all
  // who waited for it and is not kept. A load that was cancelled by its own
  // caller is begun anew by the next.
  absl::StatusOr<Entry> Get(const session::v1::Principal& principal,
                            absl::string_view session_id, const Load& load);

  // What sessiond answered a change with. It wins over a load that runs.
  void Put(const session::v1::Principal& principal,
           absl::string_view session_id, session::v1::Session session);

  // Something happened to the session with this SHA-256, or to a workspace that
  // may be somebody's default. What is being loaded is not kept either.
  void OnSession(absl::string_view session_hash);
  void OnWorkspace(absl::string_view handle_hash);
  // Anything may have happened.
  void Clear();

  size_t size() const;

 private:
  // Session and principal: nobody finds what another one has loaded.
  struct Key {
    std::string session_hash;
    std::string owner;
    auto operator<=>(const Key&) const = default;
  };
  struct Kept {
    Entry entry;
    std::string workspace_hash;  // Of the default; empty for none.
    absl::Time loaded;
    std::list<Key>::iterator use;
  };
  // A look-up that somebody makes and others may wait for.
  struct Flight {
    bool is_over = false;
    bool is_stale = false;  // Something was heard of it meanwhile.
    absl::StatusOr<Entry> result;
  };

  explicit SessionCache(Options options) : options_(std::move(options)) {}

  static Key KeyOf(const session::v1::Principal& principal,
                   absl::string_view session_id);
  // With mutex_ held. What goes out is given to the caller, to be destroyed
  // when the lock is not held any more.
  Entry Find(const Key& key);
  void Keep(const Key& key, Entry entry, std::vector<Entry>& out);
  void Remove(std::map<Key, Kept>::iterator kept, std::vector<Entry>& out);
  void Disown(const std::function<bool(const Key&)>& is_meant);

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable landed_;
  std::map<Key, Kept> kept_;                        // Guarded by mutex_.
  std::list<Key> by_use_;                           // Oldest first. Guarded.
  std::map<Key, std::shared_ptr<Flight>> flights_;  // Guarded by mutex_.
};

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_SESSION_CACHE_H_
