// SPDX-License-Identifier: Apache-2.0
#include "sessiond/leases/writer_leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/stores.h"

namespace banyan::sessiond {
namespace {

using ::testing::HasSubstr;

class WriterLeasesTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  static WriterLeases::Writer WriterOf(const std::string& name) {
    return {.handle_key = absl::StrCat("key of ", name),
            .session_public_id = absl::StrCat("session of ", name),
            .client_name = name};
  }

  int64_t Epoch(const std::string& name, const std::string& root = "/srv/a") {
    const auto turn = leases_.Take(root, WriterOf(name));
    EXPECT_THAT(turn, IsOk());
    return turn.ok() ? turn->epoch() : 0;
  }

  absl::Status Refusal(const std::string& name) {
    return leases_.Take("/srv/a", WriterOf(name)).status();
  }

  FakeClock clock_;
  MadeStore made_ = GetParam().make(clock_.AsFunction());
  WriterLeases leases_{*made_.records, {}, clock_.AsFunction()};
  // Another daemon on the same store.
  WriterLeases others_{*made_.records, {}, clock_.AsFunction()};
};

TEST_P(WriterLeasesTest, OneWritesAndTheOthersAreToldSinceWhenAndHowLong) {
  EXPECT_GT(Epoch("ada"), 0);
  clock_.Advance(absl::Minutes(4));
  const absl::Status refusal = Refusal("bob");
  EXPECT_THAT(refusal, HasReason(rpc::v1::ERROR_REASON_WRITER_HELD));
  EXPECT_EQ(rpc::DetailOf(refusal).retry_after_ms(), 6 * 60'000);
  EXPECT_THAT(std::string(refusal.message()),
              HasSubstr("ada has been writing since 2027-01-15T08:00:00Z; its "
                        "turn ends at 2027-01-15T08:10:00Z"));
}

TEST_P(WriterLeasesTest, UseGoesOnWithATurnAndKeepsItsEpoch) {
  const int64_t epoch = Epoch("ada");
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(absl::Minutes(9));
    EXPECT_EQ(Epoch("ada"), epoch);
  }
  EXPECT_THAT(Refusal("bob"), HasReason(rpc::v1::ERROR_REASON_WRITER_HELD));
}

TEST_P(WriterLeasesTest, TenMinutesWithoutUseEndItAndTheEpochRises) {
  const int64_t epoch = Epoch("ada");
  clock_.Advance(absl::Minutes(10) - absl::Milliseconds(1));
  EXPECT_THAT(Refusal("bob"), HasReason(rpc::v1::ERROR_REASON_WRITER_HELD));
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_FALSE(leases_.Of("/srv/a")->has_value());
  EXPECT_GT(Epoch("bob"), epoch);
  EXPECT_THAT(Refusal("ada"), HasReason(rpc::v1::ERROR_REASON_WRITER_HELD));
}

TEST_P(WriterLeasesTest, NobodyIsPromotedWhenTheWriterLeaves) {
  Epoch("ada");
  EXPECT_THAT(Refusal("bob"), HasReason(rpc::v1::ERROR_REASON_WRITER_HELD));
  ASSERT_THAT(leases_.Free("/srv/a", "key of ada"), IsOk());
  EXPECT_FALSE(leases_.Of("/srv/a")->has_value());
  Epoch("bob");
}

TEST_P(WriterLeasesTest, OnlyItsHolderGivesItBack) {
  Epoch("ada");
  ASSERT_THAT(leases_.Free("/srv/a", "key of bob"), IsOk());
  ASSERT_THAT(leases_.Free("/srv/unknown", "key of ada"), IsOk());
  ASSERT_THAT(leases_.FreeOfSession(""), IsOk());
  EXPECT_THAT(Refusal("bob"), HasReason(rpc::v1::ERROR_REASON_WRITER_HELD));
}

TEST_P(WriterLeasesTest, TheEndOfASessionEndsItsTurns) {
  Epoch("ada", "/srv/a");
  Epoch("ada", "/srv/b");
  Epoch("bob", "/srv/c");
  ASSERT_THAT(leases_.FreeOfSession("session of ada"), IsOk());
  EXPECT_FALSE(leases_.Of("/srv/a")->has_value());
  EXPECT_FALSE(leases_.Of("/srv/b")->has_value());
  EXPECT_TRUE(leases_.Of("/srv/c")->has_value());
}

TEST_P(WriterLeasesTest, AnotherDaemonKnowsTheTurn) {
  const int64_t epoch = Epoch("ada");
  EXPECT_THAT(others_.Take("/srv/a", WriterOf("bob")),
              HasReason(rpc::v1::ERROR_REASON_WRITER_HELD));
  EXPECT_EQ(others_.Take("/srv/a", WriterOf("ada"))->epoch(), epoch);
}

// An lspd may have seen epochs that this store has lost.
TEST_P(WriterLeasesTest, EpochsBeginAboveAllThatWereEverSeen) {
  const int64_t seen = absl::ToUnixMillis(clock_.Now()) + 1'000'000;
  leases_.RaiseEpochs(seen);
  leases_.RaiseEpochs(5);
  EXPECT_EQ(Epoch("ada"), seen + 1);
  ASSERT_THAT(leases_.Free("/srv/a", "key of ada"), IsOk());
  EXPECT_EQ(Epoch("bob"), seen + 2);
}

TEST_P(WriterLeasesTest, OfManyAtOnceOneGetsIt) {
  std::atomic<int> granted = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      WriterLeases& door = i % 2 == 0 ? leases_ : others_;
      if (door.Take("/srv/a", WriterOf(absl::StrCat("agent", i))).ok()) {
        ++granted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(granted, 1);
}

INSTANTIATE_TEST_SUITE_P(All, WriterLeasesTest, AllStores(), NameOfStore);

}  // namespace
}  // namespace banyan::sessiond
