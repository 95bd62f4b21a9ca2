// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/subscriptions.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/recording_sink.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kIdKey[] = "io.modelcontextprotocol/subscriptionId";

class SubscriptionsTest : public testing::Test {
 protected:
  std::shared_ptr<RecordingSink> Listen(json filter, json id = 7) {
    auto sink = std::make_shared<RecordingSink>();
    RpcMessage request;
    request.id = std::move(id);
    request.params = {{"notifications", std::move(filter)}};
    refused_ = subscriptions_.Listen(
        request, {.lists_change = true, .resources = true}, sink);
    return sink;
  }

  // The one event that was sent since the last look, without its id.
  static json Event(RecordingSink& sink) {
    std::vector<std::string> notes = sink.Take();
    if (!notes.empty() && notes.front() == "stay") notes.erase(notes.begin());
    EXPECT_EQ(notes.size(), 1U);
    if (notes.empty()) return nullptr;
    return json::parse(notes.front().substr(notes.front().find('{')), nullptr,
                       false);
  }

  const std::unique_ptr<EventRing> ring_ = NewMemoryEventRing();
  StandingStreams standing_{*ring_};
  Subscriptions subscriptions_{standing_, {}};
  std::optional<RpcError> refused_;
};

TEST_F(SubscriptionsTest, AcknowledgesFirstWhatItHonours) {
  const auto sink = Listen({{"toolsListChanged", true},
                            {"promptsListChanged", false},
                            {"unheardOf", true},
                            {"resourceSubscriptions", {"u:1"}}});
  ASSERT_FALSE(refused_.has_value());
  const json event = Event(*sink);
  EXPECT_EQ(event["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(
      event["params"]["notifications"],
      (json{{"toolsListChanged", true}, {"resourceSubscriptions", {"u:1"}}}));
  EXPECT_EQ(event["params"]["_meta"][kIdKey], 7);
}

TEST_F(SubscriptionsTest, NothingIsSentThatWasNotAskedFor) {
  const auto sink = Listen({{"toolsListChanged", true}});
  sink->Take();
  subscriptions_.ListChanged(ListKind::kPrompts);
  subscriptions_.ResourceUpdated("u:1");
  EXPECT_THAT(sink->Take(), IsEmpty());
  subscriptions_.ListChanged(ListKind::kTools);
  EXPECT_EQ(Event(*sink)["method"], "notifications/tools/list_changed");
}

TEST_F(SubscriptionsTest, EveryEventNamesItsSubscriptionInItsOwnType) {
  const auto number = Listen({{"resourceSubscriptions", {"u:1"}}}, 3);
  const auto text = Listen({{"resourceSubscriptions", {"u:1"}}}, "3");
  number->Take();
  text->Take();
  subscriptions_.ResourceUpdated("u:1");
  const json event = Event(*number);
  EXPECT_EQ(event["params"]["uri"], "u:1");
  EXPECT_EQ(event["params"]["_meta"][kIdKey], 3);
  EXPECT_EQ(Event(*text)["params"]["_meta"][kIdKey], "3");
}

TEST_F(SubscriptionsTest, ListsThatNeverChangeAreNotPromised) {
  auto sink = std::make_shared<RecordingSink>();
  RpcMessage request;
  request.id = 1;
  request.params = {{"notifications", {{"toolsListChanged", true}}}};
  ASSERT_FALSE(subscriptions_.Listen(request, {}, sink).has_value());
  EXPECT_EQ(Event(*sink)["params"]["notifications"], json::object());
}

TEST_F(SubscriptionsTest, MalformedFiltersAreRefusedBeforeTheStreamOpens) {
  for (const json& filter :
       {json(1), json{{"toolsListChanged", 1}},
        json{{"resourceSubscriptions", "u:1"}},
        json{{"resourceSubscriptions", json::array({1})}},
        json{{"resourceSubscriptions", std::vector<std::string>(1001, "u")}}}) {
    const auto sink = Listen(filter);
    ASSERT_TRUE(refused_.has_value()) << filter;
    EXPECT_EQ(refused_->code, kInvalidParams);
    EXPECT_THAT(sink->Take(), IsEmpty());
  }
}

TEST_F(SubscriptionsTest, AtTheEndEveryListenerGetsItsResponse) {
  const auto sink = Listen(json::object(), "listen:1");
  sink->Take();
  subscriptions_.EndAll();
  const std::vector<std::string> notes = sink->Take();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("close {"));
  const json response = json::parse(notes[0].substr(6), nullptr, false);
  EXPECT_EQ(response["id"], "listen:1");
  EXPECT_EQ(response["result"]["resultType"], "complete");
  EXPECT_EQ(response["result"]["_meta"][kIdKey], "listen:1");
}

TEST_F(SubscriptionsTest, AListenerThatLeftIsForgotten) {
  const auto sink = Listen({{"resourceSubscriptions", {"u:1"}}});
  EXPECT_EQ(subscriptions_.SubscribedUris().size(), 1U);
  sink->Leave();
  EXPECT_THAT(subscriptions_.SubscribedUris(), IsEmpty());
}

TEST_F(SubscriptionsTest, LegacySessionsHearOnTheirOwnStream) {
  const auto sink = std::make_shared<RecordingSink>();
  standing_.Open({.session = {.id = "a"},
                  .version = "2025-06-18",
                  .last_event_id = "",
                  .subscriptions = {"u:1"}},
                 sink);
  sink->Take();
  subscriptions_.ResourceUpdated("u:1");
  const json event = Event(*sink);
  EXPECT_EQ(event["params"], (json{{"uri", "u:1"}}));
  subscriptions_.ListChanged(ListKind::kTools);
  EXPECT_EQ(Event(*sink)["method"], "notifications/tools/list_changed");
}

}  // namespace
}  // namespace banyan::edge
