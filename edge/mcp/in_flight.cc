// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/in_flight.h"

namespace banyan::edge {

InFlight::Lease::Lease(InFlight* table, Key key,
                       std::shared_ptr<std::atomic<bool>> flag)
    : table_(table), key_(std::move(key)), flag_(std::move(flag)) {}

InFlight::Lease::Lease(Lease&& other) noexcept
    : table_(std::exchange(other.table_, nullptr)),
      key_(std::move(other.key_)),
      flag_(std::move(other.flag_)) {}

InFlight::Lease::~Lease() {
  if (table_ != nullptr) table_->End(key_, flag_);
}

std::function<bool()> InFlight::Lease::IsCancelled() const {
  return [flag = flag_] { return flag->load(); };
}

InFlight::Lease InFlight::Begin(const std::string& session_id,
                                const nlohmann::json& id) {
  Key key(session_id, id.dump());
  auto flag = std::make_shared<std::atomic<bool>>(false);
  const std::lock_guard lock(mutex_);
  running_.emplace(key, flag);
  return Lease(this, std::move(key), std::move(flag));
}

void InFlight::Cancel(const std::string& session_id, const nlohmann::json& id) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = running_.equal_range({session_id, id.dump()});
  for (auto request = first; request != last; ++request) {
    request->second->store(true);
  }
}

void InFlight::End(const Key& key,
                   const std::shared_ptr<std::atomic<bool>>& flag) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = running_.equal_range(key);
  for (auto request = first; request != last; ++request) {
    if (request->second == flag) {
      running_.erase(request);
      return;
    }
  }
}

}  // namespace banyan::edge
