// SPDX-License-Identifier: Apache-2.0
//
// What rings keep to, wherever they are. A further implementation is one more
// row at the end.
#include "sessiond/store/event_rings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/fake_clock.h"
#include "tests/support/processes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/stores.h"

namespace banyan::sessiond {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Made {
  std::shared_ptr<void> shared;
  std::unique_ptr<EventRings> rings;
};

struct Implementation {
  std::string name;
  std::function<Made(EventRings::Limits, Clock)> make;
};

class EventRingsTest : public ::testing::TestWithParam<Implementation> {
 protected:
  Made Make(EventRings::Limits limits) {
    return GetParam().make(limits, clock_.AsFunction());
  }

  EventRings& rings() { return *made_.rings; }

  int64_t Append(const std::string& stream, const std::string& data,
                 const std::string& session = "session") {
    const auto ids = rings().Append(session, stream, {data}, false);
    EXPECT_THAT(ids, IsOk());
    return ids->front();
  }

  EventRings::Reading Read(const std::string& stream, int64_t after) {
    return *rings().Read("session", stream, after);
  }

  static std::vector<std::string> Data(const EventRings::Reading& reading) {
    std::vector<std::string> data;
    for (const EventRings::Event& event : reading.events) {
      data.push_back(event.data);
    }
    return data;
  }

  FakeClock clock_;
  Made made_ = Make({.events = 4, .bytes = 10'000, .total_bytes = 20'000});
};

TEST_P(EventRingsTest, AStreamIsTakenUpAfterAnyOfItsEvents) {
  const int64_t one = Append("s", "one");
  const int64_t two = Append("s", std::string("two\0", 4));
  EXPECT_LT(one, two);
  const auto all = Read("s", 0);
  EXPECT_TRUE(all.is_known && all.is_complete);
  EXPECT_THAT(Data(all), ElementsAre("one", std::string("two\0", 4)));
  EXPECT_THAT(Data(Read("s", one)), ElementsAre(std::string("two\0", 4)));
  const auto nothing = Read("s", two);
  EXPECT_TRUE(nothing.is_complete);
  EXPECT_THAT(nothing.events, IsEmpty());
}

TEST_P(EventRingsTest, StreamsOfOneSessionDoNotMix) {
  Append("a", "1");
  const int64_t two = Append("b", "2");
  Append("a", "3");
  EXPECT_THAT(Data(Read("a", 0)), ElementsAre("1", "3"));
  EXPECT_THAT(Data(Read("b", 0)), ElementsAre("2"));
  EXPECT_TRUE(Read("b", two).is_complete);
}

TEST_P(EventRingsTest, SessionsDoNotSeeEachOther) {
  Append("s", "mine");
  Append("s", "theirs", "another session");
  EXPECT_THAT(Data(Read("s", 0)), ElementsAre("mine"));
}

TEST_P(EventRingsTest, AStreamThatNobodyAppendedToIsUnknown) {
  EXPECT_FALSE(Read("made up", 0).is_known);
  Append("s", "1");
  EXPECT_FALSE(Read("made up", 0).is_known);
}

TEST_P(EventRingsTest, WhatWasDroppedIsSaid) {
  const int64_t one = Append("s", "1");
  const int64_t two = Append("s", "2");
  for (int i = 3; i <= 6; ++i) Append("s", absl::StrCat(i));
  EXPECT_FALSE(Read("s", 0).is_complete);
  EXPECT_FALSE(Read("s", one).is_complete);
  EXPECT_THAT(Data(Read("s", one)), ElementsAre("3", "4", "5", "6"));
  EXPECT_TRUE(Read("s", two).is_complete);
}

TEST_P(EventRingsTest, AnotherStreamsFloodIsNoGapInThisOne) {
  const int64_t one = Append("quiet", "1");
  for (int i = 0; i < 3; ++i) Append("loud", "x");
  EXPECT_TRUE(Read("quiet", one).is_complete);
  Append("loud", "x");
  // Nothing of it is left, so nobody can say what was missed.
  EXPECT_FALSE(Read("quiet", one).is_known);
}

TEST_P(EventRingsTest, BytesAreBoundedTooEvenByOneEvent) {
  const int64_t one = Append("s", std::string(6'000, 'a'));
  Append("s", std::string(6'000, 'b'));
  EXPECT_THAT(Read("s", 0).events, SizeIs(1));
  EXPECT_TRUE(Read("s", one).is_complete);
  Append("s", std::string(11'000, 'c'));
  EXPECT_FALSE(Read("s", 0).is_known);
}

// An id of another stream or a made-up one must not hide what was missed.
TEST_P(EventRingsTest, AnIdThatIsNoneOfThisStreamIsIncomplete) {
  const int64_t one = Append("s", "1");
  EXPECT_FALSE(Read("s", one - 1).is_complete);
  EXPECT_FALSE(Read("s", one + 1).is_complete);
  EXPECT_FALSE(Read("s", -5).is_complete);
}

TEST_P(EventRingsTest, TheEndOfAStreamIsKept) {
  ASSERT_THAT(rings().Append("session", "s", {"1"}, false), IsOk());
  EXPECT_FALSE(Read("s", 0).has_ended);
  ASSERT_THAT(rings().Append("session", "s", {"2"}, true), IsOk());
  EXPECT_TRUE(Read("s", 0).has_ended);
  // An end that comes alone is one too.
  Append("t", "1");
  EXPECT_THAT(*rings().Append("session", "t", {}, true), IsEmpty());
  EXPECT_TRUE(Read("t", 0).has_ended);
}

TEST_P(EventRingsTest, AForgottenSessionIsUnknownAndItsIdsAreNeverGivenAgain) {
  const int64_t old = Append("s", "old");
  rings().Forget("session");
  EXPECT_FALSE(Read("s", 0).is_known);
  clock_.Advance(absl::Seconds(1));
  EXPECT_GT(Append("s", "new"), old);
  EXPECT_FALSE(Read("s", old).is_complete);
}

TEST_P(EventRingsTest, GrowthIsTold) {
  std::mutex mutex;
  std::vector<std::string> heard;
  rings().SetGrowthListener(
      [&](absl::string_view session, absl::string_view stream, int64_t newest) {
        const std::lock_guard<std::mutex> lock(mutex);
        heard.push_back(absl::StrCat(session, "/", stream, "/", newest));
      });
  const std::string expected = absl::StrCat("session/s/", Append("s", "1"));
  EXPECT_TRUE(Eventually([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return heard == std::vector<std::string>{expected};
  }));
  rings().SetGrowthListener(nullptr);
  Append("s", "2");
  EXPECT_THAT(heard, SizeIs(1));
}

TEST_P(EventRingsTest, AppendersSideBySideLoseNothing) {
  made_.rings.reset();  // Before what it is built on.
  made_ = Make({.events = 1'000, .bytes = 1 << 20, .total_bytes = 1 << 20});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int n = 0; n < 50; ++n) Append("s", "x");
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto reading = Read("s", 0);
  ASSERT_THAT(reading.events, SizeIs(200));
  for (size_t i = 1; i < 200; ++i) {
    EXPECT_LT(reading.events[i - 1].id, reading.events[i].id);
  }
}

Made MakeRedis(EventRings::Limits limits, Clock now) {
  Stores stores = OpenTestRedis(SharedRedis(), std::move(now), limits);
  return {std::move(stores.shared), std::move(stores.rings)};
}

INSTANTIATE_TEST_SUITE_P(
    All, EventRingsTest,
    ::testing::Values(
        Implementation{
            "Memory",
            [](EventRings::Limits limits, Clock now) -> Made {
              return {nullptr, NewMemoryEventRings(limits, std::move(now))};
            }},
        Implementation{"Redis", MakeRedis}),
    [](const auto& row) { return row.param.name; });

// Thousands of sessions that once had a stream must not hold on to memory.
TEST(MemoryEventRingsTest, PastTheTotalTheIdlestRingGoes) {
  const auto rings = NewMemoryEventRings(
      {.events = 100, .bytes = 10'000, .total_bytes = 12'000});
  const auto append = [&rings](const std::string& session) {
    ASSERT_THAT(rings->Append(session, "s", {std::string(5'000, 'x')}, false),
                IsOk());
  };
  append("a");
  append("b");
  append("a");  // Now it has 10,000 bytes and more: its own oldest goes.
  append("c");
  EXPECT_FALSE(rings->Read("b", "s", 0)->is_known);
  EXPECT_TRUE(rings->Read("a", "s", 0)->is_known);
  EXPECT_TRUE(rings->Read("c", "s", 0)->is_known);
}

}  // namespace
}  // namespace banyan::sessiond
