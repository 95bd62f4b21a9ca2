// SPDX-License-Identifier: Apache-2.0
//
// What every record store keeps to, whatever it stores in. A further
// implementation is one more row of AllStores().
#include "sessiond/store/record_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/stores.h"

namespace banyan::sessiond {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr RecordKind kSession = RecordKind::kSession;
constexpr RecordKind kWorkspace = RecordKind::kWorkspace;

class RecordStoreTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  RecordStoreTest() : made_(GetParam().make(clock_.AsFunction())) {}

  RecordStore& store() { return *made_.records; }

  WriteResult Create(RecordKind kind, const std::string& key,
                     const std::string& principal = "p", Quota quota = {},
                     bool is_over = false) {
    return *store().Write({.record = {.kind = kind,
                                      .key = key,
                                      .principal = principal,
                                      .is_over = is_over,
                                      .body = "first"},
                           .quota = quota});
  }

  WriteResult Update(RecordKind kind, const std::string& key,
                     int64_t expected_version, const std::string& body,
                     bool is_over = false) {
    return *store().Write({.verb = RecordWrite::Verb::kUpdate,
                           .record = {.kind = kind,
                                      .key = key,
                                      .principal = "p",
                                      .is_over = is_over,
                                      .body = body},
                           .expected_version = expected_version});
  }

  WriteResult Delete(RecordKind kind, const std::string& key,
                     int64_t expected_version = 0) {
    return *store().Write({.verb = RecordWrite::Verb::kDelete,
                           .record = {.kind = kind, .key = key},
                           .expected_version = expected_version});
  }

  std::optional<Record> Load(RecordKind kind, const std::string& key) {
    return *store().Load(kind, key);
  }

  std::vector<std::string> Keys(RecordKind kind,
                                std::optional<std::string> principal) {
    std::vector<std::string> keys;
    const std::vector<Record> records =
        *store().List(kind, std::move(principal));
    for (const Record& record : records) {
      keys.push_back(record.key);
    }
    return keys;
  }

  FakeClock clock_;
  MadeStore made_;
};

TEST_P(RecordStoreTest, Behaviour68OfConcurrentCreatesOfOneIdExactlyOneWins) {
  std::atomic<int> done = 0;
  std::atomic<int> exists = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20; ++n) {
        const WriteResult result = Create(kSession, absl::StrCat("key", n));
        (result == WriteResult::kDone ? done : exists)++;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 20);
  EXPECT_EQ(exists, 140);
}

TEST_P(RecordStoreTest,
       Behaviour69AnUpdateAfterADeleteIsRefusedAndMakesNothing) {
  Create(kSession, "key");
  EXPECT_EQ(Delete(kSession, "key"), WriteResult::kDone);
  EXPECT_EQ(Update(kSession, "key", 1, "late"), WriteResult::kAbsent);
  EXPECT_EQ(Load(kSession, "key"), std::nullopt);
}

TEST_P(RecordStoreTest, AnUpdateWithAnOldVersionChangesNothing) {
  Create(kSession, "key");
  EXPECT_EQ(Update(kSession, "key", 1, "second"), WriteResult::kDone);
  EXPECT_EQ(Update(kSession, "key", 1, "lost update"), WriteResult::kConflict);
  const std::optional<Record> record = Load(kSession, "key");
  EXPECT_EQ(record->body, "second");
  EXPECT_EQ(record->version, 2);
}

TEST_P(RecordStoreTest, ConcurrentIncrementsAreNeverLost) {
  Create(kWorkspace, "key");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 25;) {
        const int64_t version = Load(kWorkspace, "key")->version;
        const auto result = Update(kWorkspace, "key", version, "more");
        if (result == WriteResult::kDone) ++n;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Load(kWorkspace, "key")->version, 101);
}

TEST_P(RecordStoreTest, ADeleteIsIdempotentAndCanInsistOnAVersion) {
  Create(kSession, "key");
  EXPECT_EQ(Delete(kSession, "key", 7), WriteResult::kConflict);
  EXPECT_EQ(Delete(kSession, "key", 1), WriteResult::kDone);
  EXPECT_EQ(Delete(kSession, "key"), WriteResult::kAbsent);
}

TEST_P(RecordStoreTest, ARecordComesBackAsItWasBytesAndAll) {
  const std::string key("\0\xff key", 6);
  const std::string body("\0binary\xfe", 8);
  ASSERT_EQ(*store().Write({.record = {.kind = kWorkspace,
                                       .key = key,
                                       .principal = std::string("\0", 1),
                                       .is_over = true,
                                       .body = body}}),
            WriteResult::kDone);
  const std::optional<Record> record = Load(kWorkspace, key);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->kind, kWorkspace);
  EXPECT_EQ(record->key, key);
  EXPECT_EQ(record->principal, std::string("\0", 1));
  EXPECT_TRUE(record->is_over);
  EXPECT_EQ(record->body, body);
}

TEST_P(RecordStoreTest, KindsDoNotMeet) {
  Create(kSession, "key");
  EXPECT_EQ(Load(kWorkspace, "key"), std::nullopt);
  EXPECT_EQ(Create(kWorkspace, "key"), WriteResult::kDone);
  Delete(kWorkspace, "key");
  EXPECT_NE(Load(kSession, "key"), std::nullopt);
}

TEST_P(RecordStoreTest, ListsKnowTheirPrincipal) {
  Create(kSession, "a1", "a");
  Create(kSession, "a2", "a");
  Create(kSession, "b1", "b");
  Create(kWorkspace, "a3", "a");
  EXPECT_THAT(Keys(kSession, std::nullopt),
              UnorderedElementsAre("a1", "a2", "b1"));
  EXPECT_THAT(Keys(kSession, "a"), UnorderedElementsAre("a1", "a2"));
  EXPECT_THAT(Keys(kSession, "nobody"), IsEmpty());
  Delete(kSession, "a1");
  EXPECT_THAT(Keys(kSession, "a"), UnorderedElementsAre("a2"));
}

TEST_P(RecordStoreTest, AChangeOfOwnerMovesTheRecordBetweenLists) {
  Create(kSession, "key", "old");
  Update(kSession, "key", 1, "rehashed");
  EXPECT_THAT(Keys(kSession, "old"), IsEmpty());
  EXPECT_THAT(Keys(kSession, "p"), ElementsAre("key"));
}

TEST_P(RecordStoreTest, QuotasCountWhatLivesOfOneKind) {
  const Quota quota = {.per_principal = 2, .total = 3};
  EXPECT_EQ(Create(kSession, "a1", "a", quota), WriteResult::kDone);
  EXPECT_EQ(Create(kSession, "a2", "a", quota), WriteResult::kDone);
  EXPECT_EQ(Create(kSession, "a3", "a", quota), WriteResult::kPrincipalFull);
  EXPECT_EQ(Create(kWorkspace, "a3", "a", quota), WriteResult::kDone);
  EXPECT_EQ(Create(kSession, "b1", "b", quota), WriteResult::kDone);
  EXPECT_EQ(Create(kSession, "c1", "c", quota), WriteResult::kStoreFull);
  // One that is over makes place, though it is still there.
  EXPECT_EQ(Update(kSession, "b1", 1, "over", /*is_over=*/true),
            WriteResult::kDone);
  EXPECT_EQ(Create(kSession, "c1", "c", quota), WriteResult::kDone);
  EXPECT_EQ(Delete(kSession, "b1"), WriteResult::kDone);
  EXPECT_EQ(Create(kSession, "d1", "d", quota), WriteResult::kStoreFull);
}

TEST_P(RecordStoreTest, ConcurrentCreatesDoNotExceedAQuota) {
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 10; ++n) {
        const auto result = Create(kSession, absl::StrCat(i, "/", n), "p",
                                   {.per_principal = 15, .total = 100});
        if (result == WriteResult::kDone) ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 15);
}

TEST_P(RecordStoreTest, EveryChangeIsInTheHistoryOnceAndInOrder) {
  const int64_t before = store().ChangesSince(0)->newest_revision;
  Create(kSession, "s");
  Create(kWorkspace, "w");
  Update(kSession, "s", 1, "second");
  Update(kSession, "s", 1, "refused");
  Delete(kWorkspace, "w");
  const History history = *store().ChangesSince(before);
  EXPECT_TRUE(history.is_complete);
  EXPECT_EQ(history.newest_revision, before + 4);
  ASSERT_THAT(history.changes, SizeIs(4));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(history.changes[static_cast<size_t>(i)].revision, before + 1 + i);
  }
  EXPECT_EQ(history.changes[2].key, "s");
  EXPECT_EQ(history.changes[2].version, 2);
  EXPECT_FALSE(history.changes[2].is_over);
  EXPECT_EQ(history.changes[3].kind, kWorkspace);
  EXPECT_EQ(history.changes[3].version, 2);
  EXPECT_TRUE(history.changes[3].is_over);
  EXPECT_THAT(store().ChangesSince(before + 3)->changes, SizeIs(1));
}

TEST_P(RecordStoreTest, AHistoryThatIsKeptNoMoreSaysSo) {
  const int64_t before = store().ChangesSince(0)->newest_revision;
  Create(kSession, "old");
  clock_.Advance(kHistoryLife + absl::Seconds(1));
  Create(kSession, "new");
  EXPECT_FALSE(store().ChangesSince(before)->is_complete);
  EXPECT_TRUE(store().ChangesSince(before + 1)->is_complete);
  EXPECT_TRUE(store().ChangesSince(before + 2)->is_complete);
}

TEST_P(RecordStoreTest, ARevisionThatWasNeverGivenOutIsNotComplete) {
  Create(kSession, "key");
  const int64_t newest = store().ChangesSince(0)->newest_revision;
  EXPECT_FALSE(store().ChangesSince(newest + 1)->is_complete);
}

TEST_P(RecordStoreTest, TheListenerHearsBeforeTheWriterIsAnswered) {
  std::atomic<int64_t> heard = 0;
  store().SetChangeListener(
      [&heard](const RecordChange& change) { heard = change.revision; });
  for (int i = 0; i < 20; ++i) {
    Create(kSession, absl::StrCat("key", i));
    EXPECT_EQ(heard, store().ChangesSince(heard)->newest_revision);
    EXPECT_EQ(heard, store().ChangesSince(0)->newest_revision);
  }
  store().SetChangeListener(nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, RecordStoreTest, AllStores(), NameOfStore);

}  // namespace
}  // namespace banyan::sessiond
