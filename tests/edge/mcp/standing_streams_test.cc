// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/standing_streams.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "tests/support/recording_sink.h"

namespace banyan::edge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StandingStreamsTest : public testing::Test {
 protected:
  std::shared_ptr<RecordingSink> Open(
      const std::string& session, const std::string& last_event_id = "",
      absl::string_view version = "2025-06-18") {
    auto sink = std::make_shared<RecordingSink>();
    EXPECT_TRUE(streams_
                    .Open({.session = {.id = session},
                           .version = version,
                           .last_event_id = last_event_id,
                           .subscriptions = {"u:1"}},
                          sink)
                    .stays_open);
    return sink;
  }

  const std::unique_ptr<EventRing> ring_ = NewMemoryEventRing();
  StandingStreams streams_{*ring_};
};

TEST_F(StandingStreamsTest, OpensAtOnceAndCarriesWhatComes) {
  const auto sink = Open("a");
  EXPECT_THAT(sink->Take(), ElementsAre("stay"));
  streams_.SendToAll("n");
  EXPECT_THAT(sink->Take(), ElementsAre("g-1: n"));
}

TEST_F(StandingStreamsTest, TheNewestTakesOverAndTheOldOneIsClosed) {
  const auto old_one = Open("a");
  const auto new_one = Open("a");
  EXPECT_THAT(old_one->Take(), ElementsAre("stay", "close"));
  streams_.SendToAll("n");
  EXPECT_THAT(new_one->Take(), ElementsAre("stay", "g-1: n"));
}

TEST_F(StandingStreamsTest, ResumingGivesTheRestOfThatStream) {
  const std::string stream = *ring_->NewStream({"a"});
  const std::string first = *ring_->Append({"a"}, stream, "1", false);
  ring_->Append({"a"}, stream, "2", false).status().IgnoreError();
  const auto sink = Open("a", first);
  EXPECT_THAT(sink->Take(), ElementsAre("stay", stream + "-2: 2"));
  streams_.SendToAll("not for a resumed answer");
  ring_->Append({"a"}, stream, "3", true).status().IgnoreError();
  EXPECT_THAT(sink->Take(), ElementsAre(stream + "-3: 3", "close"));
}

TEST_F(StandingStreamsTest, AnIdThatIsGoneOpensAFreshStream) {
  const auto sink = Open("a", "p77-3");
  EXPECT_THAT(sink->Take(), ElementsAre("stay"));
  streams_.SendToAll("n");
  EXPECT_THAT(sink->Take(), ElementsAre("g-1: n"));
}

TEST_F(StandingStreamsTest, AnotherSessionsIdOpensAFreshStream) {
  const std::string stream = *ring_->NewStream({"b"});
  const std::string id = *ring_->Append({"b"}, stream, "secret of b", false);
  ring_->Append({"b"}, stream, "more of b", true).status().IgnoreError();
  EXPECT_THAT(Open("a", stream + "-0")->Take(), ElementsAre("stay"));
  EXPECT_THAT(Open("a", id)->Take(), ElementsAre("stay"));
}

TEST_F(StandingStreamsTest, OnlySubscribersHearOfAResource) {
  const auto subscribed = Open("a");
  const auto other = Open("b");
  streams_.Unsubscribe("b", "u:1");
  streams_.Subscribe("b", "u:2");
  subscribed->Take();
  other->Take();
  streams_.SendToSubscribers("u:1", "n");
  EXPECT_THAT(subscribed->Take(), ElementsAre("g-1: n"));
  EXPECT_THAT(other->Take(), IsEmpty());
  EXPECT_THAT(streams_.SubscribedUris(), ElementsAre("u:1", "u:2"));
}

TEST_F(StandingStreamsTest, AClientThatLeftIsForgotten) {
  const auto sink = Open("a");
  sink->Leave();
  EXPECT_THAT(streams_.SubscribedUris(), IsEmpty());
}

TEST_F(StandingStreamsTest, EndingASessionClosesItsStreamAndNoOther) {
  const auto ended = Open("a");
  const auto other = Open("b");
  streams_.EndSession("a");
  EXPECT_THAT(ended->Take(), ElementsAre("stay", "close"));
  EXPECT_THAT(other->Take(), ElementsAre("stay"));
}

TEST_F(StandingStreamsTest, StreamsOfOurOwnCannotBeResumed) {
  const std::string id = *ring_->Append({"a"}, "r", "which reader", false);
  ring_->Append({"a"}, "r", "another", false).status().IgnoreError();
  EXPECT_THAT(Open("a", id)->Take(), ElementsAre("stay"));
}

TEST_F(StandingStreamsTest, WhoeverBringsAnIdThatIsGoneGetsOneThatHolds) {
  EXPECT_THAT(Open("a", "p77-3", "2025-11-25")->Take(),
              ElementsAre("stay", "prime p77-3", "prime g-0"));
}

TEST_F(StandingStreamsTest, TheNewestRevisionIsPrimed) {
  EXPECT_THAT(Open("a", "", "2025-11-25")->Take(),
              ElementsAre("stay", "prime g-0"));
}

}  // namespace
}  // namespace banyan::edge
