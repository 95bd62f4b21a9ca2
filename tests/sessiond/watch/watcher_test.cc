// SPDX-License-Identifier: Apache-2.0
#include "sessiond/watch/watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_record_store.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

using session::v1::WatchRequest;
using session::v1::WatchResponse;

class WatcherTest : public ::testing::Test {
 protected:
  void Create(const std::string& key, RecordKind kind = RecordKind::kSession) {
    ASSERT_THAT(store_.Write({.record = {.kind = kind, .key = key}}), IsOk());
  }
  void Delete(const std::string& key, RecordKind kind = RecordKind::kSession) {
    ASSERT_THAT(store_.Write({.verb = RecordWrite::Verb::kDelete,
                              .record = {.kind = kind, .key = key}}),
                IsOk());
  }
  int64_t Revision() { return store_.ChangesSince(0)->newest_revision; }

  FakeClock clock_;
  FaultyRecordStore store_{clock_.AsFunction()};
  ChangeFeed feed_{store_};
  const std::unique_ptr<EventRings> rings_ = NewMemoryEventRings({});
  RingFeed ring_feed_{*rings_};
  Watcher watcher_{feed_, ring_feed_};
};

TEST_F(WatcherTest, FromNowOnNothingOldIsSent) {
  Create("old");
  ASSERT_THAT(watcher_.Start(0), IsOk());
  Create("new");
  const auto synced = watcher_.Next();
  EXPECT_TRUE(synced->has_synced());
  EXPECT_EQ(synced->revision(), Revision() - 1);
  const auto event = watcher_.Next();
  EXPECT_EQ(event->session().session_hash(), "new");
  EXPECT_EQ(event->session().version(), 1);
  EXPECT_FALSE(event->session().is_terminated());
  EXPECT_EQ(event->revision(), Revision());
}

TEST_F(WatcherTest, FromARevisionWhatWasMissedComesBeforeSynced) {
  Create("a");
  const int64_t seen = Revision();
  Create("ws", RecordKind::kWorkspace);
  Delete("ws", RecordKind::kWorkspace);
  ASSERT_THAT(watcher_.Start(seen), IsOk());
  EXPECT_FALSE(watcher_.Next()->workspace().is_revoked());
  const auto revoked = watcher_.Next();
  EXPECT_EQ(revoked->workspace().handle_hash(), "ws");
  EXPECT_TRUE(revoked->workspace().is_revoked());
  EXPECT_TRUE(watcher_.Next()->has_synced());
}

TEST_F(WatcherTest, ARevisionThatIsKeptNoMoreMeansResync) {
  Create("a");
  const int64_t seen = Revision();
  Create("b");
  clock_.Advance(absl::Minutes(11));
  Create("c");
  ASSERT_THAT(watcher_.Start(seen), IsOk());
  const auto resync = watcher_.Next();
  EXPECT_TRUE(resync->has_resync());
  EXPECT_EQ(resync->revision(), Revision());
  EXPECT_TRUE(watcher_.Next()->has_synced());
}

// A store that was replaced, or the revision of another server.
TEST_F(WatcherTest, ARevisionFromTheFutureMeansResync) {
  Create("a");
  ASSERT_THAT(watcher_.Start(Revision() + 100), IsOk());
  EXPECT_TRUE(watcher_.Next()->has_resync());
}

TEST_F(WatcherTest, AnEchoComesAfterAllThatWasAcknowledgedBefore) {
  ASSERT_THAT(watcher_.Start(0), IsOk());
  Create("a");
  WatchRequest ping;
  ping.set_ping(42);
  watcher_.Hear(ping);
  EXPECT_TRUE(watcher_.Next()->has_synced());
  EXPECT_TRUE(watcher_.Next()->has_session());
  EXPECT_EQ(watcher_.Next()->pong(), 42);
}

TEST_F(WatcherTest, OnlyWhoFollowsASessionHearsOfItsRing) {
  ASSERT_THAT(watcher_.Start(0), IsOk());
  WatchRequest request;
  request.add_follow_session_hashes("mine");
  watcher_.Hear(request);
  EXPECT_TRUE(ring_feed_.IsFollowed("mine"));
  ASSERT_THAT(rings_->Append("theirs", "s", {"x"}, false), IsOk());
  const int64_t id = rings_->Append("mine", "s", {"x"}, false)->front();
  request.Clear();
  request.add_unfollow_session_hashes("mine");
  watcher_.Hear(request);
  ASSERT_THAT(rings_->Append("mine", "s", {"y"}, false), IsOk());
  watcher_.Stop();

  EXPECT_TRUE(watcher_.Next()->has_synced());
  const auto growth = watcher_.Next();
  EXPECT_EQ(growth->ring_growth().session_hash(), "mine");
  EXPECT_EQ(growth->ring_growth().stream(), "s");
  EXPECT_EQ(growth->ring_growth().newest_event_id(), id);
  EXPECT_FALSE(watcher_.Next().has_value());
  EXPECT_FALSE(ring_feed_.IsFollowed("mine"));
}

// A flood of growth must not push a revocation out, nor close the watch.
TEST_F(WatcherTest, HintsAreLeftOutBeforeAnythingElseIs) {
  ASSERT_THAT(watcher_.Start(0), IsOk());
  WatchRequest request;
  request.add_follow_session_hashes("mine");
  watcher_.Hear(request);
  for (size_t i = 0; i < Watcher::kCapacity + 10; ++i) {
    ASSERT_THAT(rings_->Append("mine", "s", {""}, false), IsOk());
  }
  Create("a");
  EXPECT_FALSE(watcher_.was_too_slow());
  watcher_.Stop();
  bool heard = false;
  while (const std::optional<WatchResponse> response = watcher_.Next()) {
    heard = heard || response->has_session();
  }
  EXPECT_TRUE(heard);
}

TEST_F(WatcherTest, AStopEndsIt) {
  ASSERT_THAT(watcher_.Start(0), IsOk());
  watcher_.Stop();
  EXPECT_TRUE(watcher_.Next()->has_synced());
  EXPECT_EQ(watcher_.Next().has_value(), false);
}

TEST_F(WatcherTest, AnUnreachableStoreIsAnError) {
  store_.fails_reads = true;
  EXPECT_THAT(watcher_.Start(0),
              HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE));
}

// Watches that begin in the middle of writes: nothing is missed, nothing comes
// twice, all is in order.
TEST_F(WatcherTest, NoChangeIsMissedOrDoubledAtTheStart) {
  Create("first");
  const int64_t start = Revision();
  std::thread writer([this] {
    for (int i = 0; i < 2'000; ++i) Create(absl::StrCat("key", i));
  });
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (int i = 0; i < 50; ++i) {
    watchers.push_back(std::make_unique<Watcher>(feed_, ring_feed_));
    ASSERT_THAT(watchers.back()->Start(start), IsOk());
  }
  writer.join();
  for (const auto& watcher : watchers) {
    watcher->Stop();
    int64_t last = start;
    int events = 0;
    while (const std::optional<WatchResponse> response = watcher->Next()) {
      if (!response->has_session()) continue;
      ++events;
      ASSERT_EQ(response->revision(), last + 1);
      last = response->revision();
    }
    EXPECT_EQ(events, 2'000);
  }
}

}  // namespace
}  // namespace banyan::sessiond
