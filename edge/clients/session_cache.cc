// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/session_cache.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/grant.h"

namespace banyan::edge {
namespace {

constexpr int64_t kDefaultCapacity = 1'000;

// Its own caller has left, which says nothing of the session.
bool WasGivenUp(const absl::Status& status) {
  const rpc::ErrorReason reason = rpc::ReasonOf(status);
  return reason == rpc::v1::ERROR_REASON_CANCELLED ||
         reason == rpc::v1::ERROR_REASON_DEADLINE;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SessionCache>> SessionCache::Create(
    Options options) {
  if (options.capacity < 0) {
    return absl::InvalidArgumentError(
        "--session_cache_capacity is a number of sessions; 0 is the default");
  }
  if (options.is_in_sync == nullptr || options.now == nullptr) {
    return absl::InvalidArgumentError(
        "a cache needs a clock and somebody who knows whether it is in sync");
  }
  if (options.capacity == 0) options.capacity = kDefaultCapacity;
  return std::unique_ptr<SessionCache>(new SessionCache(std::move(options)));
}

absl::StatusOr<SessionCache::Entry> SessionCache::Get(
    const session::v1::Principal& principal, absl::string_view session_id,
    const Load& load) {
  const Key key = KeyOf(principal, session_id);
  const bool is_in_sync = options_.is_in_sync();
  std::vector<Entry> out;  // Outlives every lock below.
  std::shared_ptr<Flight> flight;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      if (is_in_sync) {
        if (Entry entry = Find(key); entry != nullptr) return entry;
      }
      const auto running = flights_.find(key);
      if (running == flights_.end()) break;
      const std::shared_ptr<Flight> joined = running->second;
      landed_.wait(lock, [&joined] { return joined->is_over; });
      if (joined->result.ok() || !WasGivenUp(joined->result.status())) {
        return joined->result;
      }
    }
    flight = std::make_shared<Flight>();
    flights_[key] = flight;
  }
  absl::StatusOr<session::v1::Session> loaded = load();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (loaded.ok()) {
      flight->result =
          std::make_shared<const session::v1::Session>(*std::move(loaded));
      if (is_in_sync && !flight->is_stale) Keep(key, *flight->result, out);
    } else {
      flight->result = loaded.status();
      const auto kept = kept_.find(key);
      if (kept != kept_.end() && !flight->is_stale) Remove(kept, out);
    }
    flight->is_over = true;
    const auto running = flights_.find(key);
    if (running != flights_.end() && running->second == flight) {
      flights_.erase(running);
    }
  }
  landed_.notify_all();
  return flight->result;
}

void SessionCache::Put(const session::v1::Principal& principal,
                       absl::string_view session_id,
                       session::v1::Session session) {
  const Key key = KeyOf(principal, session_id);
  const bool is_in_sync = options_.is_in_sync();
  auto entry = std::make_shared<const session::v1::Session>(std::move(session));
  std::vector<Entry> out;
  const std::lock_guard<std::mutex> lock(mutex_);
  Disown([&key](const Key& other) {
    return other.session_hash == key.session_hash;
  });
  if (is_in_sync) Keep(key, std::move(entry), out);
}

void SessionCache::OnSession(absl::string_view session_hash) {
  std::vector<Entry> out;
  const std::lock_guard<std::mutex> lock(mutex_);
  auto kept = kept_.lower_bound(Key{std::string(session_hash), ""});
  while (kept != kept_.end() && kept->first.session_hash == session_hash) {
    Remove(kept++, out);
  }
  Disown([session_hash](const Key& key) {
    return key.session_hash == session_hash;
  });
}

void SessionCache::OnWorkspace(absl::string_view handle_hash) {
  std::vector<Entry> out;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    const auto one = kept++;
    if (one->second.workspace_hash == handle_hash) Remove(one, out);
  }
  // Which default a load will find is not known yet.
  Disown([](const Key&) { return true; });
}

void SessionCache::Clear() {
  std::vector<Entry> out;
  const std::lock_guard<std::mutex> lock(mutex_);
  while (!kept_.empty()) Remove(kept_.begin(), out);
  Disown([](const Key&) { return true; });
}

size_t SessionCache::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return kept_.size();
}

SessionCache::Key SessionCache::KeyOf(const session::v1::Principal& principal,
                                      absl::string_view session_id) {
  return {rpc::HashId(session_id),
          absl::StrCat(principal.issuer(), absl::string_view("\0", 1),
                       principal.subject())};
}

SessionCache::Entry SessionCache::Find(const Key& key) {
  const auto found = kept_.find(key);
  if (found == kept_.end()) return nullptr;
  if (options_.now() >= found->second.loaded + options_.age) return nullptr;
  by_use_.splice(by_use_.end(), by_use_, found->second.use);
  return found->second.entry;
}

void SessionCache::Keep(const Key& key, Entry entry, std::vector<Entry>& out) {
  const auto known = kept_.find(key);
  if (known != kept_.end()) Remove(known, out);
  const std::string& workspace = entry->default_workspace();
  Kept kept{.workspace_hash = workspace.empty() ? "" : rpc::HashId(workspace),
            .loaded = options_.now(),
            .use = by_use_.insert(by_use_.end(), key)};
  kept.entry = std::move(entry);
  kept_.emplace(key, std::move(kept));
  // Whoever holds an entry has a call in flight: the next oldest goes instead.
  auto oldest = by_use_.begin();
  while (kept_.size() > static_cast<size_t>(options_.capacity) &&
         oldest != std::prev(by_use_.end())) {
    const auto candidate = kept_.find(*oldest++);
    if (candidate->second.entry.use_count() == 1) Remove(candidate, out);
  }
}

void SessionCache::Remove(std::map<Key, Kept>::iterator kept,
                          std::vector<Entry>& out) {
  out.push_back(std::move(kept->second.entry));
  by_use_.erase(kept->second.use);
  kept_.erase(kept);
}

// A load that began before something happened may bring what was before: those
// who wait for it get it, nobody who comes from now on.
void SessionCache::Disown(const std::function<bool(const Key&)>& is_meant) {
  for (auto flight = flights_.begin(); flight != flights_.end();) {
    if (is_meant(flight->first)) {
      flight->second->is_stale = true;
      flight = flights_.erase(flight);
    } else {
      ++flight;
    }
  }
}

}  // namespace banyan::edge
