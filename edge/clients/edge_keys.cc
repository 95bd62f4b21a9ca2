// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/edge_keys.h"

#include <utility>

#include "absl/time/clock.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

constexpr absl::Duration kMaxAge = absl::Minutes(10);
// A stranger's key id asks sessiond at most this often.
constexpr absl::Duration kMinAge = absl::Seconds(1);

}  // namespace

absl::StatusOr<EdgeKeys::Key> EdgeKeys::Newest(const rpc::CallContext& call) {
  RETURN_IF_ERROR(Refresh(call, kMaxAge));
  const std::lock_guard lock(mutex_);
  if (keys_.keys().empty()) return absl::InternalError("no edge key exists");
  return keys_.keys(0);
}

absl::StatusOr<EdgeKeys::Key> EdgeKeys::Find(absl::string_view key_id,
                                             const rpc::CallContext& call) {
  for (const absl::Duration max_age : {kMaxAge, kMinAge}) {
    RETURN_IF_ERROR(Refresh(call, max_age));
    const std::lock_guard lock(mutex_);
    for (const Key& key : keys_.keys()) {
      if (key.key_id() == key_id) return key;
    }
  }
  return absl::NotFoundError("no such edge key");
}

absl::Status EdgeKeys::Refresh(const rpc::CallContext& call,
                               absl::Duration max_age) {
  {
    const std::lock_guard lock(mutex_);
    if (absl::Now() - fetched_ < max_age) return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto keys, sessions_.GetEdgeKeys({}, call));
  const std::lock_guard lock(mutex_);
  keys_ = std::move(keys);
  fetched_ = absl::Now();
  return absl::OkStatus();
}

}  // namespace banyan::edge
