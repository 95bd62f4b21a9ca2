// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/http_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

std::string HeaderOf(const McpResponse& response, const std::string& name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(HttpAnswerTest, TheReasonNamesTheStatus) {
  const auto status_of = [](rpc::ErrorReason reason) {
    return HttpStatusOf(rpc::Error(reason, "m"));
  };
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_SESSION_GONE), 404);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_ID_MALFORMED), 404);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_STORE_UNREACHABLE), 503);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE), 503);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_WATCH_OUT_OF_SYNC), 503);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_DEADLINE), 503);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_RATE_LIMITED), 429);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_SESSION_LIMIT), 429);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_UNAUTHENTICATED), 401);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_SCOPE_MISSING), 403);
  EXPECT_EQ(status_of(rpc::v1::ERROR_REASON_INTERNAL), 200);
  EXPECT_EQ(HttpStatusOf(absl::InternalError("x")), 200);
}

TEST(HttpAnswerTest, RetriesAreSpread) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE);
  detail.set_retry_after_ms(5000);
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const McpResponse response =
        RefusalAnswer(1, rpc::Error(detail, "m"), "trace");
    EXPECT_EQ(response.status, 503);
    seen.insert(HeaderOf(response, "Retry-After"));
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre("5", "6", "7", "8"));
}

TEST(HttpAnswerTest, RefusalsRepeatTheIdAndHideAddresses) {
  const McpResponse response = RefusalAnswer(
      "id-1",
      rpc::Error(rpc::v1::ERROR_REASON_STORE_UNREACHABLE, "10.0.0.7:6379"),
      "trace");
  const auto body = nlohmann::json::parse(response.body);
  EXPECT_EQ(body["id"], "id-1");
  EXPECT_THAT(response.body, testing::Not(testing::HasSubstr("10.0.0.7")));
}

TEST(HttpAnswerTest, AcceptedHasNotOneByteAndNoType) {
  const McpResponse response = AcceptedAnswer();
  EXPECT_EQ(response.status, 202);
  EXPECT_TRUE(response.body.empty());
  EXPECT_TRUE(response.headers.empty());
}

}  // namespace
}  // namespace banyan::edge
