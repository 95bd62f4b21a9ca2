// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/answer_stream.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "edge/mcp/http_answer.h"
#include "edge/mcp/session_event_ring.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/recording_sink.h"

namespace banyan::edge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AnswerStreamTest : public testing::Test {
 protected:
  AnswerStream Make(absl::string_view version) {
    return AnswerStream(sink_, *ring_, {.id = "session"}, version);
  }

  std::vector<std::string> ResumeAfter(const std::string& id) {
    std::vector<std::string> seen;
    const auto following = ring_->Follow(
        {.id = "session"}, StreamOfEvent(id), id,
        {.on_event =
             [&](const EventRing::Event& event) {
               seen.push_back(event.data + (event.is_last ? "!" : ""));
             },
         .on_replaced = [] {}});
    EXPECT_TRUE(following.ok());
    return seen;
  }

  const std::shared_ptr<RecordingSink> sink_ =
      std::make_shared<RecordingSink>();
  const std::unique_ptr<EventRing> ring_ = NewMemoryEventRing();
};

// Field report 26.
TEST_F(AnswerStreamTest, WithoutAMessageTheAnswerIsJson) {
  AnswerStream stream = Make("2025-11-25");
  const McpResponse response = stream.Finish(ErrorAnswer(404, 1, {}));
  EXPECT_EQ(response.status, 404);
  EXPECT_NE(response.body, "");
  EXPECT_THAT(sink_->Take(), IsEmpty());
}

TEST_F(AnswerStreamTest, TheFirstMessageMakesItAStreamAndTheAnswerEndsIt) {
  AnswerStream stream = Make("2025-06-18");
  stream.Send("notice");
  EXPECT_EQ(stream.Finish(JsonAnswer("answer")).body, "");
  EXPECT_THAT(sink_->Take(),
              ElementsAre("open", "p1-1: notice", "p1-2: answer"));
}

// Field report 11: an idle limit ended sessions with a call in flight.
TEST_F(AnswerStreamTest, ASessionIsHeldWhileItsStreamIsOpen) {
  FakeSessionClient sessions;
  int held = 0;
  const auto ring = NewSessionEventRing(
      sessions, {.on_follow = [&](const std::string&) { ++held; },
                 .on_unfollow = [&](const std::string&) { --held; }});
  AnswerStream stream(sink_, *ring, {.id = "session"}, "2025-06-18");
  EXPECT_EQ(held, 0);
  stream.Send("notice");
  EXPECT_EQ(held, 1);
  stream.Finish(JsonAnswer("answer"));
  EXPECT_EQ(held, 0);
}

// Field report 17.
TEST_F(AnswerStreamTest, OnlyTheNewestLegacyRevisionIsPrimed) {
  AnswerStream stream = Make("2025-11-25");
  stream.Send("notice");
  EXPECT_THAT(sink_->Take(), ElementsAre("open", "prime p1-0", "p1-1: notice"));
}

TEST_F(AnswerStreamTest, ALostConnectionLosesNothing) {
  AnswerStream stream = Make("2025-11-25");
  stream.Send("one");
  sink_->Leave();
  stream.Send("two");
  stream.Finish(JsonAnswer("answer"));
  EXPECT_THAT(ResumeAfter("p1-1"), ElementsAre("two", "answer!"));
}

TEST_F(AnswerStreamTest, AClientThatPollsFindsTheAnswer) {
  AnswerStream stream = Make("2025-11-25");
  stream.LetClientPoll();
  EXPECT_THAT(sink_->Take(), ElementsAre("open", "prime p1-0", "close"));
  stream.Finish(JsonAnswer("answer"));
  EXPECT_THAT(sink_->Take(), IsEmpty());
  EXPECT_THAT(ResumeAfter("p1-0"), ElementsAre("answer!"));
}

TEST_F(AnswerStreamTest, OlderClientsAreNotSentAway) {
  AnswerStream stream = Make("2025-06-18");
  stream.LetClientPoll();
  EXPECT_EQ(stream.Finish(JsonAnswer("answer")).body, "answer");
  EXPECT_THAT(sink_->Take(), IsEmpty());
}

}  // namespace
}  // namespace banyan::edge
