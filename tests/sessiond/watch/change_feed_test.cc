// SPDX-License-Identifier: Apache-2.0
#include "sessiond/watch/change_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fake_clock.h"
#include "tests/support/faulty_record_store.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ChangeFeedTest : public ::testing::Test {
 protected:
  void Write(RecordWrite::Verb verb, RecordKind kind, const std::string& key) {
    ASSERT_THAT(
        store_.Write({.verb = verb, .record = {.kind = kind, .key = key}}),
        IsOk());
  }
  void Create(RecordKind kind, const std::string& key) {
    Write(RecordWrite::Verb::kCreate, kind, key);
  }
  void Delete(RecordKind kind, const std::string& key) {
    Write(RecordWrite::Verb::kDelete, kind, key);
  }

  FakeClock clock_;
  FaultyRecordStore store_{clock_.AsFunction()};
  ChangeFeed feed_{store_};
};

TEST_F(ChangeFeedTest, EverySubscriberHearsEveryChangeUntilItLeaves) {
  std::vector<std::string> first;
  std::vector<std::string> second;
  auto one = feed_.Subscribe(
      [&](const RecordChange& change) { first.push_back(change.key); });
  const auto two = feed_.Subscribe(
      [&](const RecordChange& change) { second.push_back(change.key); });
  Create(RecordKind::kSession, "a");
  one.reset();
  Create(RecordKind::kSession, "b");
  EXPECT_THAT(first, ElementsAre("a"));
  EXPECT_THAT(second, ElementsAre("a", "b"));
}

TEST_F(ChangeFeedTest, HandlesThatEndedLatelyAreKnown) {
  Create(RecordKind::kWorkspace, "old");
  Delete(RecordKind::kWorkspace, "old");
  clock_.Advance(absl::Seconds(31));
  Create(RecordKind::kWorkspace, "live");
  Create(RecordKind::kWorkspace, "new");
  Delete(RecordKind::kWorkspace, "new");
  Create(RecordKind::kSession, "session");
  Delete(RecordKind::kSession, "session");
  EXPECT_THAT(*feed_.HandlesEndedSince(clock_.Now() - absl::Seconds(30)),
              ElementsAre("new"));
  EXPECT_THAT(*feed_.HandlesEndedSince(clock_.Now() + absl::Seconds(1)),
              IsEmpty());
}

TEST_F(ChangeFeedTest, AnUnreachableStoreIsAnError) {
  store_.fails_reads = true;
  EXPECT_THAT(feed_.HandlesEndedSince(clock_.Now()),
              HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE));
}

}  // namespace
}  // namespace banyan::sessiond
