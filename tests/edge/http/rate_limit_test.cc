// SPDX-License-Identifier: Apache-2.0
#include "edge/http/rate_limit.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

class RateLimitTest : public testing::Test {
 protected:
  bool May(RateLimit& limit, const std::string& caller) {
    return limit.Take(caller) == absl::ZeroDuration();
  }
  RateLimit Make(double per_second) {
    return RateLimit(
        {.per_second = per_second, .now = [this] { return now_; }});
  }

  absl::Time now_ = absl::UnixEpoch();
};

TEST_F(RateLimitTest, TwiceASecondsWorthAtOnceThenOnePerShare) {
  RateLimit limit = Make(10);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(May(limit, "a")) << i;
  EXPECT_EQ(limit.Take("a"), absl::Milliseconds(100));
  now_ += absl::Milliseconds(100);
  EXPECT_TRUE(May(limit, "a"));
  EXPECT_FALSE(May(limit, "a"));
}

TEST_F(RateLimitTest, OneCallersFloodIsNotAnothers) {
  RateLimit limit = Make(1);
  while (May(limit, "a")) {
  }
  EXPECT_TRUE(May(limit, "b"));
}

TEST_F(RateLimitTest, WithoutARateNobodyIsHeldBack) {
  RateLimit limit = Make(0);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(May(limit, "a"));
}

TEST_F(RateLimitTest, ForgettingCallersForgivesNone) {
  RateLimit limit = Make(1);
  while (May(limit, "a")) {
  }
  for (int i = 0; i < 3000; ++i) May(limit, absl::StrCat("other ", i));
  EXPECT_FALSE(May(limit, "a"));
}

}  // namespace
}  // namespace banyan::edge
