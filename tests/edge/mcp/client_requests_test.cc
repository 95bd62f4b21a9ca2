// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/client_requests.h"

#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

RpcMessage Response(const std::string& id, json result, json error = nullptr) {
  RpcMessage message;
  message.kind = RpcMessage::Kind::kResponse;
  message.id = id;
  message.result = std::move(result);
  message.error = std::move(error);
  return message;
}

TEST(ClientRequestsTest, GivesTheAnswerToWhoeverAsked) {
  ClientRequests requests;
  const std::string one = requests.Begin("a");
  const std::string two = requests.Begin("a");
  EXPECT_NE(one, two);
  EXPECT_TRUE(requests.Answer("a", Response(two, 2)));
  EXPECT_TRUE(requests.Answer("a", Response(one, 1)));
  EXPECT_EQ(*requests.Await("a", one, {}), 1);
  EXPECT_EQ(*requests.Await("a", two, {}), 2);
}

TEST(ClientRequestsTest, AnotherSessionCannotAnswer) {
  ClientRequests requests;
  const std::string id = requests.Begin("a");
  EXPECT_FALSE(requests.Answer("b", Response(id, "forged")));
  EXPECT_TRUE(requests.Answer("a", Response(id, "true one")));
  EXPECT_FALSE(requests.Answer("a", Response(id, "again")));
  EXPECT_EQ(*requests.Await("a", id, {}), "true one");
}

TEST(ClientRequestsTest, AnAnswerWakesWhoeverWaits) {
  ClientRequests requests;
  const std::string id = requests.Begin("a");
  std::thread client([&] { requests.Answer("a", Response(id, "later")); });
  EXPECT_EQ(*requests.Await("a", id, {}), "later");
  client.join();
}

TEST(ClientRequestsTest, ARefusalIsAnErrorThatSaysWhy) {
  ClientRequests requests;
  const std::string id = requests.Begin("a");
  requests.Answer("a", Response(id, nullptr, {{"message", "user said no"}}));
  const auto answer = requests.Await("a", id, {});
  EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_THAT(answer.status().message(), testing::HasSubstr("user said no"));
}

TEST(ClientRequestsTest, WaitsNoLongerThanTheCall) {
  ClientRequests requests;
  rpc::CallContext call;
  call.deadline = absl::Now();
  EXPECT_THAT(requests.Await("a", requests.Begin("a"), call),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  call.deadline = absl::InfiniteFuture();
  call.is_cancelled = [] { return true; };
  const std::string id = requests.Begin("a");
  EXPECT_THAT(requests.Await("a", id, call),
              HasReason(rpc::v1::ERROR_REASON_CANCELLED));
  EXPECT_FALSE(requests.Answer("a", Response(id, "too late")));
}

}  // namespace
}  // namespace banyan::edge
