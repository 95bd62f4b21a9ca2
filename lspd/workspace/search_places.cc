// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/search_places.h"

#include <chrono>

#include "absl/time/clock.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

// How often whoever waits looks whether anybody still waits for it.
constexpr std::chrono::milliseconds kTick(20);

}  // namespace

SearchPlaces::Place::~Place() {
  if (places_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(places_->mutex_);
  ++places_->free_;
  places_->freed_.notify_one();
}

absl::StatusOr<SearchPlaces::Place> SearchPlaces::Take(
    const rpc::CallContext& call) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (free_ == 0) {
    freed_.wait_for(lock, kTick);
    if (call.is_cancelled()) {
      return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "cancelled");
    }
    if (absl::Now() >= call.deadline) {
      return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE,
                        "too many searches run on this workspace; try again");
    }
  }
  --free_;
  return Place(this);
}

}  // namespace banyan::lspd
