// SPDX-License-Identifier: Apache-2.0
#include "edge/http/write_clock.h"

#include <gtest/gtest.h>

namespace banyan::edge {
namespace {

class WriteClockTest : public testing::Test {
 protected:
  WriteClockTest() { clock_.Begin(1000, now_); }

  absl::Time now_ = absl::UnixEpoch();
  WriteClock clock_{100, absl::Seconds(30)};
};

TEST_F(WriteClockTest, AWindowThatRunsOnIsNotJudged) {
  EXPECT_EQ(clock_.deadline(), now_ + absl::Seconds(30));
  EXPECT_TRUE(clock_.Judge(1000, now_ + absl::Seconds(29)));
  EXPECT_EQ(clock_.deadline(), now_ + absl::Seconds(30));
}

TEST_F(WriteClockTest, WhoTakesItsShareGetsAnotherWindow) {
  now_ += absl::Seconds(31);
  EXPECT_TRUE(clock_.Judge(900, now_));
  EXPECT_EQ(clock_.deadline(), now_ + absl::Seconds(30));
}

TEST_F(WriteClockTest, WhoTakesAByteNowAndThenIsTooSlow) {
  now_ += absl::Seconds(30);
  EXPECT_FALSE(clock_.Judge(901, now_));
}

}  // namespace
}  // namespace banyan::edge
