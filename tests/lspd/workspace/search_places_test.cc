// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/search_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

rpc::CallContext Within(absl::Duration limit) {
  rpc::CallContext call;
  call.deadline = absl::Now() + limit;
  return call;
}

TEST(SearchPlacesTest, APlaceGivesItselfBackOnce) {
  SearchPlaces places(1);
  {
    ASSERT_OK_AND_ASSIGN(SearchPlaces::Place place, places.Take({}));
    const SearchPlaces::Place moved = std::move(place);
    EXPECT_THAT(places.Take(Within(absl::Milliseconds(1))),
                HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  }
  ASSERT_OK_AND_ASSIGN(const SearchPlaces::Place again, places.Take({}));
  EXPECT_THAT(places.Take(Within(absl::Milliseconds(1))),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
}

TEST(SearchPlacesTest, NobodyWaitsWhoIsNotWaitedFor) {
  SearchPlaces places(1);
  ASSERT_OK_AND_ASSIGN(const SearchPlaces::Place place, places.Take({}));
  rpc::CallContext call;
  call.is_cancelled = [] { return true; };
  EXPECT_THAT(places.Take(call), HasReason(rpc::v1::ERROR_REASON_CANCELLED));
}

TEST(SearchPlacesTest, NeverMoreThanItsNumberAtOnce) {
  SearchPlaces places(2);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        const auto place = places.Take({});
        ASSERT_THAT(place, IsOk());
        const int now = ++inside;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 2);
}

}  // namespace
}  // namespace banyan::lspd
