// SPDX-License-Identifier: Apache-2.0
//
// Root leases of two session daemons, X and Y, that share a Redis.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sessiond/leases/root_leases.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/stores.h"

namespace banyan::sessiond {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class SharedLeasesTest : public ::testing::Test {
 protected:
  RootLeases::Connected Connect(RootLeases& at, const std::string& lspd,
                                const std::vector<std::string>& roots = {}) {
    return at.Connect(lspd, lspd + ":1", 0, roots, clock_.Now());
  }

  RootLease Acquire(RootLeases& at, const RootLeases::Connected& lspd,
                    const std::string& root = "/srv/a") {
    const auto lease = at.Acquire(lspd.connection, root, clock_.Now());
    EXPECT_THAT(lease, IsOk());
    return *lease;
  }

  FakeClock clock_;
  const Stores stores_x_ = OpenTestRedis(SharedRedis(), clock_.AsFunction());
  const Stores stores_y_ = OpenTestRedis(SharedRedis(), clock_.AsFunction());
  RootLeases x_{{}, clock_.Now(), stores_x_.claims.get()};
  RootLeases y_{{}, clock_.Now(), stores_y_.claims.get()};
};

TEST_F(SharedLeasesTest, WhatXGaveAwayYKnowsByAddress) {
  const auto a = Connect(x_, "a");
  const auto b = Connect(y_, "b");
  const RootLease given = Acquire(x_, a);
  EXPECT_TRUE(given.is_granted);
  const RootLease refused = Acquire(y_, b);
  EXPECT_FALSE(refused.is_granted);
  EXPECT_EQ(refused.address, "a:1");
  EXPECT_EQ(Acquire(x_, a).epoch, given.epoch);
}

TEST_F(SharedLeasesTest, AfterTheEndOfAStreamTheOtherSideTakesOverAtOnce) {
  const auto a = Connect(x_, "a");
  const auto b = Connect(y_, "b");
  const int64_t epoch = Acquire(x_, a).epoch;
  x_.Disconnect(a.connection, clock_.Now());
  const RootLease taken = Acquire(y_, b);
  EXPECT_TRUE(taken.is_granted);
  EXPECT_GT(taken.epoch, epoch);
  // Back again, it is told that the root is gone.
  const auto again = Connect(x_, "a", {"/srv/a"});
  EXPECT_THAT(again.kept, IsEmpty());
  EXPECT_EQ(Acquire(x_, again).address, "b:1");
}

// X died: its lspd registers at Y and goes on with what it holds.
TEST_F(SharedLeasesTest, AnOwnerKeepsItsRootsAtTheOtherDaemon) {
  const auto a = Connect(x_, "a");
  const int64_t epoch = Acquire(x_, a).epoch;
  const auto again = Connect(y_, "a", {"/srv/a"});
  ASSERT_THAT(again.kept, SizeIs(1));
  EXPECT_EQ(again.kept[0].epoch, epoch);
  EXPECT_FALSE(Acquire(x_, Connect(x_, "b")).is_granted);
}

// Its stream at X broke, it went on at Y, and only then X hears of the break.
TEST_F(SharedLeasesTest, ALateEndAtOneDaemonTakesNothingFromTheOther) {
  const auto at_x = Connect(x_, "a");
  Acquire(x_, at_x);
  const auto at_y = Connect(y_, "a", {"/srv/a"});
  ASSERT_THAT(at_y.kept, SizeIs(1));
  x_.RenewClaims(clock_.Now());
  x_.Disconnect(at_x.connection, clock_.Now());
  EXPECT_FALSE(Acquire(x_, Connect(x_, "b")).is_granted);
  y_.RenewClaims(clock_.Now());
  EXPECT_TRUE(y_.OwnerOf("/srv/a", clock_.Now()).has_value());
}

TEST_F(SharedLeasesTest, ALostClaimIsRenewedWithItsEpochUnlessItWasTaken) {
  const auto a = Connect(x_, "a");
  const int64_t epoch = Acquire(x_, a).epoch;
  SharedRedis();  // Everything is gone.
  x_.RenewClaims(clock_.Now());
  const RootLease refused = Acquire(y_, Connect(y_, "b"));
  EXPECT_FALSE(refused.is_granted);
  EXPECT_EQ(refused.epoch, epoch);

  SharedRedis();
  clock_.Advance(absl::Seconds(1));
  EXPECT_GT(Acquire(y_, Connect(y_, "b")).epoch, epoch);
  x_.RenewClaims(clock_.Now());
  EXPECT_FALSE(x_.OwnerOf("/srv/a", clock_.Now()).has_value());
}

TEST_F(SharedLeasesTest, WhatIsReleasedIsFreeEverywhere) {
  const auto a = Connect(x_, "a");
  Acquire(x_, a);
  x_.Release(a.connection, "/srv/a");
  EXPECT_TRUE(Acquire(y_, Connect(y_, "b")).is_granted);
}

TEST_F(SharedLeasesTest, OfManyOnBothSidesOneIsGranted) {
  std::vector<RootLeases::Connected> at_x;
  std::vector<RootLeases::Connected> at_y;
  for (int i = 0; i < 4; ++i) {
    at_x.push_back(Connect(x_, absl::StrCat("x", i)));
    at_y.push_back(Connect(y_, absl::StrCat("y", i)));
  }
  std::atomic<int> granted = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        if (Acquire(x_, at_x[i], absl::StrCat("/", n)).is_granted) ++granted;
      }
    });
    threads.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        if (Acquire(y_, at_y[i], absl::StrCat("/", n)).is_granted) ++granted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(granted, 20);
}

}  // namespace
}  // namespace banyan::sessiond
