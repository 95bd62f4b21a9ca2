// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "edge/mcp/event_ring.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MemoryEventRingTest : public testing::Test {
 protected:
  EventRing::Reader Into(std::vector<std::string>& seen) {
    return {.on_event =
                [&seen](const EventRing::Event& event) {
                  seen.push_back(event.data + (event.is_last ? "!" : ""));
                },
            .on_replaced = [&seen] { seen.push_back("replaced"); }};
  }

  std::unique_ptr<EventRing> ring_ =
      NewMemoryEventRing({.max_events = 4, .max_bytes = 100});
};

TEST_F(MemoryEventRingTest, AResumedReaderGetsExactlyWhatItMissed) {
  const std::string stream = *ring_->NewStream({"a"});
  const std::string first = *ring_->Append({"a"}, stream, "1", false);
  ring_->Append({"a"}, stream, "2", false).status().IgnoreError();
  ring_->Append({"a"}, stream, "3", true).status().IgnoreError();
  std::vector<std::string> seen;
  const auto following = ring_->Follow({"a"}, stream, first, Into(seen));
  ASSERT_THAT(following, IsOk());
  EXPECT_THAT(seen, ElementsAre("2", "3!"));
}

// Field report 21.
TEST_F(MemoryEventRingTest, ReplayCrossesNeitherStreamsNorSessions) {
  const std::string one = *ring_->NewStream({"a"});
  const std::string other = *ring_->NewStream({"a"});
  EXPECT_NE(one, other);
  const std::string start = *ring_->Position({"a"}, one);
  ring_->Append({"a"}, other, "other stream", false).status().IgnoreError();
  ring_->Append({"b"}, one, "other session", false).status().IgnoreError();
  ring_->Append({"a"}, one, "mine", false).status().IgnoreError();
  std::vector<std::string> seen;
  const auto following = ring_->Follow({"a"}, one, start, Into(seen));
  ASSERT_THAT(following, IsOk());
  EXPECT_THAT(seen, ElementsAre("mine"));
}

TEST_F(MemoryEventRingTest, WithoutAnIdOnlyWhatComesIsRead) {
  ring_->Append({"a"}, kStandingStream, "before", false).status().IgnoreError();
  std::vector<std::string> seen;
  const auto following = ring_->Follow({"a"}, kStandingStream, "", Into(seen));
  ring_->Append({"a"}, kStandingStream, "after", false).status().IgnoreError();
  EXPECT_THAT(seen, ElementsAre("after"));
}

TEST_F(MemoryEventRingTest, TheNewestReaderTakesOver) {
  std::vector<std::string> old_one;
  std::vector<std::string> new_one;
  auto first = ring_->Follow({"a"}, kStandingStream, "", Into(old_one));
  const auto second = ring_->Follow({"a"}, kStandingStream, "", Into(new_one));
  ring_->Append({"a"}, kStandingStream, "1", false).status().IgnoreError();
  EXPECT_THAT(old_one, ElementsAre("replaced"));
  EXPECT_THAT(new_one, ElementsAre("1"));
  first->reset();
  ring_->Append({"a"}, kStandingStream, "2", false).status().IgnoreError();
  EXPECT_THAT(new_one, ElementsAre("1", "2")) << "the old one took it away";
}

TEST_F(MemoryEventRingTest, AReaderThatStopsHearsNothingMore) {
  std::vector<std::string> seen;
  auto following = ring_->Follow({"a"}, kStandingStream, "", Into(seen));
  following->reset();
  ring_->Append({"a"}, kStandingStream, "1", false).status().IgnoreError();
  EXPECT_THAT(seen, IsEmpty());
}

TEST_F(MemoryEventRingTest, WhatWasForgottenCannotBeResumed) {
  const std::string stream = *ring_->NewStream({"a"});
  const std::string first = *ring_->Append({"a"}, stream, "1", false);
  for (int i = 0; i < 5; ++i) {
    ring_->Append({"a"}, stream, "x", false).status().IgnoreError();
  }
  std::vector<std::string> seen;
  EXPECT_THAT(ring_->Follow({"a"}, stream, first, Into(seen)),
              HasCode(absl::StatusCode::kNotFound));
}

TEST_F(MemoryEventRingTest, EventsAreBoundedByTheirBytesToo) {
  const std::string stream = *ring_->NewStream({"a"});
  const std::string first = *ring_->Position({"a"}, stream);
  ring_->Append({"a"}, stream, std::string(80, 'x'), false)
      .status()
      .IgnoreError();
  ring_->Append({"a"}, stream, std::string(80, 'y'), false)
      .status()
      .IgnoreError();
  std::vector<std::string> seen;
  EXPECT_THAT(ring_->Follow({"a"}, stream, first, Into(seen)),
              HasCode(absl::StatusCode::kNotFound));
}

TEST_F(MemoryEventRingTest, IdsOfNoStreamOfOursAreRefused) {
  for (const std::string id : {"zz-1", "p1-99", "p1-", "p1-x"}) {
    std::vector<std::string> seen;
    EXPECT_THAT(ring_->Follow({"a"}, StreamOfEvent(id), id, Into(seen)),
                HasCode(absl::StatusCode::kNotFound))
        << id;
  }
  EXPECT_EQ(StreamOfEvent(""), "");
  EXPECT_EQ(StreamOfEvent("-1"), "");
  EXPECT_EQ(StreamOfEvent("no dash"), "");
  EXPECT_EQ(StreamOfEvent("r-1"), "") << "a stream of our own";
  EXPECT_EQ(StreamOfEvent("p" + std::string(64, '1') + "-1"), "");
  EXPECT_EQ(PlaceOfEvent("g-9223372036854775807"), 9223372036854775807u);
  EXPECT_EQ(PlaceOfEvent("g-9223372036854775808"), 0u);
}

TEST_F(MemoryEventRingTest, AReaderMayStopWhileItIsTold) {
  std::unique_ptr<EventRing::Following> following;
  std::vector<std::string> seen;
  following = *ring_->Follow({"a"}, kStandingStream, "",
                             {.on_event =
                                  [&](const EventRing::Event& event) {
                                    seen.push_back(event.data);
                                    following.reset();
                                  },
                              .on_replaced = [] {}});
  ring_->Append({"a"}, kStandingStream, "1", false).status().IgnoreError();
  ring_->Append({"a"}, kStandingStream, "2", false).status().IgnoreError();
  EXPECT_THAT(seen, ElementsAre("1"));
}

TEST_F(MemoryEventRingTest, TheOldestSessionsLoseTheirEvents) {
  ring_ = NewMemoryEventRing({.max_sessions = 1});
  const std::string stream = *ring_->NewStream({"a"});
  const std::string first = *ring_->Append({"a"}, stream, "1", false);
  ring_->NewStream({"b"}).status().IgnoreError();
  std::vector<std::string> seen;
  EXPECT_THAT(ring_->Follow({"a"}, stream, first, Into(seen)),
              HasCode(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace banyan::edge
