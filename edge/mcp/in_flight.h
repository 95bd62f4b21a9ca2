// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_IN_FLIGHT_H_
#define EDGE_MCP_IN_FLIGHT_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace banyan::edge {

// The requests of legacy sessions that run here, so that
// notifications/cancelled finds them. Clients choose request ids, so the key is
// the session with the id: no client reaches another's. Thread-safe.
class InFlight {
 public:
  using Key = std::pair<std::string, std::string>;  // Session, id as JSON.

  // A running request; is out of the table once this is gone. The table must
  // outlive it. Moved-from leases do nothing.
  class Lease {
   public:
    Lease(InFlight* table, Key key, std::shared_ptr<std::atomic<bool>> flag);
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    // May outlive the lease.
    std::function<bool()> IsCancelled() const;

   private:
    InFlight* table_;
    Key key_;
    std::shared_ptr<std::atomic<bool>> flag_;
  };

  Lease Begin(const std::string& session_id, const nlohmann::json& id);

  // Nothing happens when no such request runs here.
  void Cancel(const std::string& session_id, const nlohmann::json& id);

 private:
  void End(const Key& key, const std::shared_ptr<std::atomic<bool>>& flag);

  std::mutex mutex_;
  // Guarded by mutex_. A client may wrongly use one id twice at a time.
  std::multimap<Key, std::shared_ptr<std::atomic<bool>>> running_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_IN_FLIGHT_H_
