// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_SEARCH_PLACES_H_
#define LSPD_WORKSPACE_SEARCH_PLACES_H_

#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/status/statusor.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// How many searches run at once; the others wait for a place. Thread-safe.
class SearchPlaces {
 public:
  // A place that gives itself back. The places must outlive it.
  class Place {
   public:
    explicit Place(SearchPlaces* places) : places_(places) {}
    Place(Place&& other) noexcept
        : places_(std::exchange(other.places_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place();

   private:
    SearchPlaces* places_;
  };

  explicit SearchPlaces(int count) : free_(count) {}

  // Waits for a place.
  //   DEADLINE, CANCELLED
  absl::StatusOr<Place> Take(const rpc::CallContext& call);

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  int free_;  // Guarded by mutex_.
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_SEARCH_PLACES_H_
