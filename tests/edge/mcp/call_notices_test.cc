// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/call_notices.h"

#include <gmock/gmock.h>

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr absl::Duration kLong = absl::Seconds(1);

json ParamsOf(const std::optional<std::string>& notice) {
  return notice.has_value() ? json::parse(*notice)["params"] : json();
}

TEST(CallNoticesTest, ProgressRisesAndCarriesItsToken) {
  CallNotices notices(7, "");
  const absl::Time now = absl::UnixEpoch();
  EXPECT_EQ(ParamsOf(notices.Progress(1, 2, "m", now)),
            (json{{"progressToken", 7},
                  {"progress", 1},
                  {"total", 2},
                  {"message", "m"}}));
  EXPECT_FALSE(notices.Progress(1, 2, "", now + kLong).has_value());
  EXPECT_FALSE(notices.Progress(0.5, 2, "", now + kLong).has_value());
  EXPECT_EQ(ParamsOf(notices.Progress(1.5, std::nullopt, "", now + kLong)),
            (json{{"progressToken", 7}, {"progress", 1.5}}));
}

TEST(CallNoticesTest, WithoutATokenThereIsNoProgress) {
  for (const json& token : {json(), json(1.5), json::object()}) {
    CallNotices notices(token, "");
    EXPECT_FALSE(notices.Progress(1, 2, "", absl::UnixEpoch()).has_value());
  }
}

TEST(CallNoticesTest, ProgressIsRateLimited) {
  CallNotices notices("t", "");
  absl::Time now = absl::UnixEpoch();
  int sent = 0;
  for (int i = 0; i < 1000; ++i) {
    now += absl::Milliseconds(1);
    if (notices.Progress(i, std::nullopt, "", now).has_value()) ++sent;
  }
  EXPECT_EQ(sent, 50);
}

TEST(CallNoticesTest, LogsAtOrAboveTheLevelOnly) {
  const CallNotices notices(nullptr, "warning");
  EXPECT_FALSE(notices.Log("notice", "l", "x").has_value());
  EXPECT_EQ(ParamsOf(notices.Log("warning", "l", "x")),
            (json{{"level", "warning"}, {"logger", "l"}, {"data", "x"}}));
  EXPECT_TRUE(notices.Log("emergency", "l", "x").has_value());
  EXPECT_FALSE(notices.Log("loud", "l", "x").has_value());
  EXPECT_FALSE(CallNotices(nullptr, "").Log("emergency", "l", "x").has_value());
}

}  // namespace
}  // namespace banyan::edge
