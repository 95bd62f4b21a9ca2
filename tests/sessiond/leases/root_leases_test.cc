// SPDX-License-Identifier: Apache-2.0
#include "sessiond/leases/root_leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fake_claims.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class RootLeasesTest : public ::testing::Test {
 protected:
  RootLeases::Connected Connect(const std::string& name,
                                const std::vector<std::string>& roots = {},
                                int64_t highest_epoch = 0) {
    return leases_.Connect(name, name + ":8432", highest_epoch, roots,
                           clock_.Now());
  }
  RootLease Acquire(const RootLeases::Connected& connected,
                    const std::string& root) {
    const auto lease =
        leases_.Acquire(connected.connection, root, clock_.Now());
    EXPECT_THAT(lease, IsOk());
    return *lease;
  }
  void Disconnect(const RootLeases::Connected& connected) {
    leases_.Disconnect(connected.connection, clock_.Now());
  }

  FakeClock clock_;
  RootLeases leases_{{}, clock_.Now()};
};

class ClaimedLeasesTest : public ::testing::Test {
 protected:
  RootLeases::Connected Connect(const std::string& name) {
    return leases_.Connect(name, name + ":1", 0, {}, clock_.Now(),
                           [this](const RootLease& lost) { lost_ = lost; });
  }

  FakeClock clock_;
  ClaimTable table_;
  FakeClaims claims_{table_};
  RootLeases leases_{{}, clock_.Now(), &claims_};
  std::optional<RootLease> lost_;
};

TEST_F(ClaimedLeasesTest, WhatAnotherDaemonHasGivenAwayIsTakenFromItsHolder) {
  const auto a = Connect("a");
  ASSERT_TRUE(leases_.Acquire(a.connection, "/x", clock_.Now())->is_granted);
  table_.claims["/x"].address = "b:1";  // Ours lapsed unseen.
  leases_.RenewClaims(clock_.Now());
  ASSERT_TRUE(lost_.has_value());
  EXPECT_EQ(lost_->root, "/x");
  EXPECT_EQ(lost_->address, "b:1");
  EXPECT_FALSE(lost_->is_granted);
  EXPECT_FALSE(leases_.OwnerOf("/x", clock_.Now()).has_value());
}

TEST_F(ClaimedLeasesTest, AClaimThatCannotBeRenewedIsGivenUpBeforeItLapses) {
  const auto a = Connect("a");
  ASSERT_TRUE(leases_.Acquire(a.connection, "/x", clock_.Now())->is_granted);
  claims_.is_down = true;
  clock_.Advance(absl::Seconds(30));
  leases_.RenewClaims(clock_.Now());
  EXPECT_FALSE(lost_.has_value());
  clock_.Advance(absl::Seconds(30));
  leases_.RenewClaims(clock_.Now());
  EXPECT_TRUE(lost_.has_value());
  EXPECT_FALSE(leases_.OwnerOf("/x", clock_.Now()).has_value());
}

TEST_F(ClaimedLeasesTest, ARenewedClaimIsKept) {
  const auto a = Connect("a");
  ASSERT_TRUE(leases_.Acquire(a.connection, "/x", clock_.Now())->is_granted);
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(absl::Seconds(30));
    leases_.RenewClaims(clock_.Now());
  }
  EXPECT_FALSE(lost_.has_value());
  EXPECT_TRUE(leases_.OwnerOf("/x", clock_.Now()).has_value());
}

TEST_F(ClaimedLeasesTest, AStreamThatHasEndedHearsNothing) {
  const auto a = Connect("a");
  ASSERT_TRUE(leases_.Acquire(a.connection, "/x", clock_.Now())->is_granted);
  leases_.Disconnect(a.connection, clock_.Now());
  table_.claims["/x"].address = "b:1";
  leases_.RenewClaims(clock_.Now());
  EXPECT_FALSE(lost_.has_value());
}

TEST_F(RootLeasesTest, ARootHasOneOwner) {
  const auto a = Connect("a");
  const auto b = Connect("b");
  const RootLease lease = Acquire(a, "/srv/x");
  EXPECT_TRUE(lease.is_granted);
  const RootLease refused = Acquire(b, "/srv/x/");
  EXPECT_FALSE(refused.is_granted);
  EXPECT_EQ(refused.address, "a:8432");
  EXPECT_EQ(refused.epoch, lease.epoch);
  EXPECT_TRUE(Acquire(b, "/srv/y").is_granted);
  EXPECT_EQ(leases_.OwnerOf("/srv/x", clock_.Now())->owner, "a");
}

TEST_F(RootLeasesTest, AskingAgainForOnesOwnIsTheSameLease) {
  const auto a = Connect("a");
  EXPECT_EQ(Acquire(a, "/x").epoch, Acquire(a, "/x").epoch);
}

TEST_F(RootLeasesTest, WhatIsReleasedIsFreeAtOnceWithAHigherEpoch) {
  const auto a = Connect("a");
  const auto b = Connect("b");
  const int64_t epoch = Acquire(a, "/x").epoch;
  leases_.Release(b.connection, "/x");  // Not its own: nothing happens.
  EXPECT_FALSE(Acquire(b, "/x").is_granted);
  leases_.Release(a.connection, "/x");
  const RootLease lease = Acquire(b, "/x");
  EXPECT_TRUE(lease.is_granted);
  EXPECT_GT(lease.epoch, epoch);
}

TEST_F(RootLeasesTest, ADeadStreamsRootsGoToWhoeverAsksAtOnce) {
  const auto a = Connect("a");
  const auto b = Connect("b");
  const int64_t epoch = Acquire(a, "/x").epoch;
  Disconnect(a);
  EXPECT_FALSE(leases_.OwnerOf("/x", clock_.Now()).has_value());
  const RootLease lease = Acquire(b, "/x");
  EXPECT_TRUE(lease.is_granted);
  EXPECT_GT(lease.epoch, epoch);
  // The one that comes back is told.
  EXPECT_THAT(Connect("a", {"/x"}).kept, IsEmpty());
  EXPECT_EQ(leases_.OwnerOf("/x", clock_.Now())->owner, "b");
}

TEST_F(RootLeasesTest, TheSameLspdThatComesBackKeepsWhatItNames) {
  const auto a = Connect("a");
  const int64_t epoch = Acquire(a, "/x").epoch;
  Acquire(a, "/y");
  Disconnect(a);
  clock_.Advance(absl::Seconds(5));
  const auto again = Connect("a", {"/x"});
  ASSERT_THAT(again.kept, SizeIs(1));
  EXPECT_EQ(again.kept[0].root, "/x");
  EXPECT_EQ(again.kept[0].epoch, epoch);
  EXPECT_TRUE(again.kept[0].is_granted);
  // What it names no more it has let go.
  EXPECT_TRUE(Acquire(Connect("b"), "/y").is_granted);
}

TEST_F(RootLeasesTest, TheWaitForTheOwnerEnds) {
  const auto a = Connect("a");
  const int64_t epoch = Acquire(a, "/x").epoch;
  Disconnect(a);
  clock_.Advance(absl::Seconds(30));
  const auto again = Connect("a", {"/x"});
  ASSERT_THAT(again.kept, SizeIs(1));
  EXPECT_GT(again.kept[0].epoch, epoch);
}

TEST_F(RootLeasesTest, ALaterStreamOfTheSameNameTakesTheEarlierOnesPlace) {
  const auto crashed = Connect("a");
  Acquire(crashed, "/x");
  const auto restarted = Connect("a", {"/x"});
  // The old stream's end is noticed late: it must not free anything.
  Disconnect(crashed);
  EXPECT_FALSE(Acquire(Connect("b"), "/x").is_granted);
  EXPECT_THAT(leases_.Acquire(crashed.connection, "/z", clock_.Now()),
              HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));
  leases_.Release(crashed.connection, "/x");
  EXPECT_TRUE(leases_.OwnerOf("/x", clock_.Now()).has_value());
  EXPECT_TRUE(Acquire(restarted, "/x").is_granted);
}

TEST_F(RootLeasesTest, EpochsStartAboveAllThatLspdsReport) {
  const int64_t far = absl::ToUnixMillis(clock_.Now()) * 2;
  const auto a = Connect("a", {}, far);
  EXPECT_GT(Acquire(a, "/x").epoch, far);
}

TEST_F(RootLeasesTest, ARestartOfOursGivesRootsBackWithHigherEpochs) {
  const auto a = Connect("a");
  const int64_t epoch = Acquire(a, "/x").epoch;
  clock_.Advance(absl::Milliseconds(10));
  RootLeases restarted({}, clock_.Now());
  const auto again =
      restarted.Connect("a", "a:8432", epoch, {"/x"}, clock_.Now());
  ASSERT_THAT(again.kept, SizeIs(1));
  EXPECT_GT(again.kept[0].epoch, epoch);
  // The second who claims it is refused.
  EXPECT_THAT(restarted.Connect("b", "b:8432", 0, {"/x"}, clock_.Now()).kept,
              IsEmpty());
}

TEST_F(RootLeasesTest, WhereLocksDoNotReachATakeoverWaits) {
  RootLeases leases({.takeover_delay = absl::Seconds(60)}, clock_.Now());
  const auto a = leases.Connect("a", "a:1", 0, {}, clock_.Now());
  const auto b = leases.Connect("b", "b:1", 0, {}, clock_.Now());
  ASSERT_TRUE(leases.Acquire(a.connection, "/x", clock_.Now())->is_granted);
  leases.Disconnect(a.connection, clock_.Now());
  clock_.Advance(absl::Seconds(59));
  EXPECT_FALSE(leases.Acquire(b.connection, "/x", clock_.Now())->is_granted);
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(leases.Acquire(b.connection, "/x", clock_.Now())->is_granted);
}

TEST_F(RootLeasesTest, OnlyCleanRootsAreLeased) {
  const auto a = Connect("a", {"relative", "/.."});
  EXPECT_THAT(a.kept, IsEmpty());
  for (const char* root : {"", "relative", "/..", "/a/../.."}) {
    EXPECT_THAT(leases_.Acquire(a.connection, root, clock_.Now()),
                HasReason(rpc::v1::ERROR_REASON_PATH_MALFORMED))
        << root;
  }
}

TEST_F(RootLeasesTest, OfManyThatAskAtOnceOneIsGranted) {
  std::vector<RootLeases::Connected> lspds;
  for (int i = 0; i < 8; ++i) lspds.push_back(Connect(std::to_string(i)));
  std::atomic<int> granted = 0;
  std::vector<std::thread> threads;
  for (const auto& lspd : lspds) {
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) {
        if (Acquire(lspd, "/" + std::to_string(n)).is_granted) ++granted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(granted, 50);
}

}  // namespace
}  // namespace banyan::sessiond
