// SPDX-License-Identifier: Apache-2.0
#include "edge/http/read_clock.h"

#include <gmock/gmock.h>

namespace banyan::edge {
namespace {

using Phase = RequestReader::Phase;
using Verdict = ReadClock::Verdict;

constexpr absl::Time kStart = absl::UnixEpoch();

absl::Time At(double seconds) { return kStart + absl::Seconds(seconds); }

class ReadClockTest : public ::testing::Test {
 protected:
  const ReadLimits limits_ = {};
  ReadClock clock_{limits_, absl::Seconds(75), kStart};
};

TEST_F(ReadClockTest, AConnectionWithoutAByteIsIdleNotSlow) {
  EXPECT_EQ(clock_.deadline(), At(75));
  EXPECT_EQ(clock_.Judge(At(74.9)), Verdict::kWait);
  EXPECT_EQ(clock_.Judge(At(75)), Verdict::kIdle);
}

TEST_F(ReadClockTest, NoByteExtendsTheTimeForAHead) {
  clock_.Observe(Phase::kHead, 0, At(1));
  for (int second = 2; second <= 10; ++second) {
    clock_.Observe(Phase::kHead, 0, At(second));
  }
  EXPECT_EQ(clock_.deadline(), At(11));
  EXPECT_EQ(clock_.Judge(At(10.9)), Verdict::kWait);
  EXPECT_EQ(clock_.Judge(At(11)), Verdict::kHeadTooSlow);
}

TEST_F(ReadClockTest, ABodyMustBringItsShareInEveryWindow) {
  clock_.Observe(Phase::kBody, 0, At(1));
  clock_.Observe(Phase::kBody, 30 << 10, At(20));
  EXPECT_EQ(clock_.Judge(At(31)), Verdict::kWait);
  clock_.Observe(Phase::kBody, (60 << 10) - 1, At(60));
  EXPECT_EQ(clock_.deadline(), At(61));
  EXPECT_EQ(clock_.Judge(At(61)), Verdict::kBodyTooSlow);
}

TEST_F(ReadClockTest, BytesThatCameBeforeTheWaitDoNotCount) {
  clock_.Observe(Phase::kHead, 0, At(1));
  clock_.Observe(Phase::kBody, 1 << 20, At(2));
  EXPECT_EQ(clock_.Judge(At(32)), Verdict::kBodyTooSlow);
}

TEST_F(ReadClockTest, TheNextRequestHasItsOwnTime) {
  clock_.Observe(Phase::kBody, 100, At(1));
  clock_.Restart(At(50));
  EXPECT_EQ(clock_.deadline(), At(125));
  clock_.Observe(Phase::kBody, 0, At(60));
  EXPECT_EQ(clock_.Judge(At(89)), Verdict::kWait);
  EXPECT_EQ(clock_.Judge(At(90)), Verdict::kBodyTooSlow);
}

}  // namespace
}  // namespace banyan::edge
