// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/session_event_ring.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "proto/rpc/grant.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two edges on one sessiond, which tells both of every growth.
class SessionEventRingTest : public testing::Test {
 protected:
  SessionEventRingTest() {
    sessions_.on_growth = [this](const std::string& session,
                                 const std::string& stream, int64_t newest) {
      one_->Grew(rpc::HashId(session), stream, newest);
      other_->Grew(rpc::HashId(session), stream, newest);
    };
  }

  static EventRing::Reader Into(std::vector<std::string>& seen) {
    return {.on_event =
                [&seen](const EventRing::Event& event) {
                  seen.push_back(event.is_last ? "end" : event.data);
                },
            .on_replaced = [&seen] { seen.push_back("replaced"); }};
  }

  FakeSessionClient sessions_;
  std::vector<std::string> followed_;
  const std::unique_ptr<SessionEventRing> one_ = NewSessionEventRing(
      sessions_,
      {.on_follow = [this](const auto& id) { followed_.push_back(id); },
       .on_unfollow =
           [this](const auto& id) { followed_.push_back("not " + id); }});
  const std::unique_ptr<SessionEventRing> other_ =
      NewSessionEventRing(sessions_, {});
  const RingSession session_ = {.id = "a"};
};

TEST_F(SessionEventRingTest, WhatOneEdgeKeepsAnotherResumes) {
  const std::string stream = *one_->NewStream(session_);
  const std::string start = *one_->Position(session_, stream);
  const std::string first = *one_->Append(session_, stream, "1", false);
  one_->Append(session_, stream, "2", true).status().IgnoreError();
  std::vector<std::string> seen;
  {
    const auto following = other_->Follow(session_, stream, first, Into(seen));
    ASSERT_THAT(following, IsOk());
    EXPECT_THAT(seen, ElementsAre("2", "end"));
  }
  seen.clear();
  const auto following = other_->Follow(session_, stream, start, Into(seen));
  EXPECT_THAT(seen, ElementsAre("1", "2", "end"));
}

TEST_F(SessionEventRingTest, ASessionThatIsHeldIsFollowed) {
  {
    const auto holding = one_->Hold(session_);
    EXPECT_THAT(followed_, ElementsAre("a"));
  }
  EXPECT_THAT(followed_, ElementsAre("a", "not a"));
}

TEST_F(SessionEventRingTest, WhatComesOnAnotherEdgeIsHeard) {
  std::vector<std::string> seen;
  one_->Append(session_, kStandingStream, "before", false)
      .status()
      .IgnoreError();
  const auto following =
      one_->Follow(session_, kStandingStream, "", Into(seen));
  ASSERT_THAT(following, IsOk());
  other_->Append(session_, kStandingStream, "after", false)
      .status()
      .IgnoreError();
  EXPECT_THAT(seen, ElementsAre("after"));
}

TEST_F(SessionEventRingTest, TheNewestReaderTakesOverOnWhateverEdge) {
  std::vector<std::string> first;
  std::vector<std::string> second;
  std::vector<std::string> third;
  const auto a = one_->Follow(session_, kStandingStream, "", Into(first));
  const auto b = other_->Follow(session_, kStandingStream, "", Into(second));
  EXPECT_THAT(first, ElementsAre("replaced"));
  const auto c = other_->Follow(session_, kStandingStream, "", Into(third));
  EXPECT_THAT(second, ElementsAre("replaced"));
  one_->Append(session_, kStandingStream, "n", false).status().IgnoreError();
  EXPECT_THAT(third, ElementsAre("n"));
  EXPECT_THAT(first, ElementsAre("replaced"));
}

TEST_F(SessionEventRingTest, AMissedHintIsMadeUpFor) {
  std::vector<std::string> seen;
  const auto following =
      one_->Follow(session_, kStandingStream, "", Into(seen));
  sessions_.on_growth = [](const auto&, const auto&, int64_t) {};
  other_->Append(session_, kStandingStream, "n", false).status().IgnoreError();
  EXPECT_THAT(seen, IsEmpty());
  one_->MayHaveGrown();
  EXPECT_THAT(seen, ElementsAre("n"));
  one_->MayHaveGrown();
  EXPECT_THAT(seen, ElementsAre("n")) << "told twice";
}

TEST_F(SessionEventRingTest, WhatCameBeforeItWasFollowedIsMadeUpFor) {
  std::vector<std::string> seen;
  const auto following =
      one_->Follow(session_, kStandingStream, "", Into(seen));
  sessions_.on_growth = [](const auto&, const auto&, int64_t) {};
  other_->Append(session_, kStandingStream, "n", false).status().IgnoreError();
  one_->MayHaveGrown(rpc::HashId("another"));
  EXPECT_THAT(seen, IsEmpty());
  one_->MayHaveGrown(rpc::HashId(session_.id));
  EXPECT_THAT(seen, ElementsAre("n"));
}

TEST_F(SessionEventRingTest, IdsThatAreNoneAreNotFound) {
  std::vector<std::string> seen;
  for (const std::string id : {"p0-1", "g-99", "g-", "x-y", "g-0"}) {
    EXPECT_THAT(one_->Follow(session_, StreamOfEvent(id), id, Into(seen)),
                HasCode(absl::StatusCode::kNotFound))
        << id;
  }
}

TEST_F(SessionEventRingTest, ASessionIsFollowedWhileItIsRead) {
  std::vector<std::string> seen;
  {
    const auto following =
        one_->Follow(session_, kStandingStream, "", Into(seen));
    EXPECT_THAT(followed_, ElementsAre("a"));
  }
  EXPECT_THAT(followed_, ElementsAre("a", "not a"));
}

TEST_F(SessionEventRingTest, ARingThatDoesNotAnswerIsAnError) {
  sessions_.failures["AppendEvents"] =
      rpc::Error(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE, "down");
  EXPECT_THAT(one_->Append(session_, "p1", "x", false),
              HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
}

}  // namespace
}  // namespace banyan::edge
