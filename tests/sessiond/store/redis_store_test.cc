// SPDX-License-Identifier: Apache-2.0
//
// What is Redis' own: several daemons, restarts, forgers, full memory. What
// every store keeps to is in record_store_test.cc.
#include "sessiond/store/redis_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/support/fake_clock.h"
#include "tests/support/processes.h"
#include "tests/support/stores.h"

namespace banyan::sessiond {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Hears what a store tells.
class Ear {
 public:
  explicit Ear(RecordStore& store) : store_(store) {
    store_.SetChangeListener([this](const RecordChange& change) {
      const std::lock_guard<std::mutex> lock(mutex_);
      heard_.push_back(change);
    });
  }
  ~Ear() { store_.SetChangeListener(nullptr); }

  std::vector<RecordChange> heard() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return heard_;
  }

 private:
  RecordStore& store_;
  std::mutex mutex_;
  std::vector<RecordChange> heard_;  // Guarded by mutex_.
};

class RedisStoreTest : public ::testing::Test {
 protected:
  static absl::StatusOr<WriteResult> Create(RecordStore& store,
                                            const std::string& key) {
    return store.Write({.record = {.kind = RecordKind::kSession,
                                   .key = key,
                                   .principal = "p",
                                   .body = "body"}});
  }

  static absl::StatusOr<WriteResult> Delete(RecordStore& store,
                                            const std::string& key) {
    return store.Write({.verb = RecordWrite::Verb::kDelete,
                        .record = {.kind = RecordKind::kSession, .key = key}});
  }

  static bool Has(RecordStore& store, const std::string& key) {
    const auto record = store.Load(RecordKind::kSession, key);
    EXPECT_THAT(record, IsOk());
    return record->has_value();
  }

  FakeClock clock_;
};

TEST_F(RedisStoreTest, OneDaemonHearsWhatAnotherDoesBeforeItCatchesUp) {
  const TestRedis& server = SharedRedis();
  const Stores a = OpenTestRedis(server, clock_.AsFunction());
  const Stores b = OpenTestRedis(server, clock_.AsFunction());
  Ear ear(*b.records);
  for (int i = 0; i < 50; ++i) {
    ASSERT_THAT(Create(*a.records, absl::StrCat(i)), IsOk());
    ASSERT_THAT(b.records->CatchUp(), IsOk());
    ASSERT_THAT(ear.heard(), SizeIs(i + 1));
    EXPECT_EQ(ear.heard().back().key, absl::StrCat(i));
  }
}

TEST_F(RedisStoreTest, RivalsOnTwoDaemonsLoseNoIncrement) {
  const TestRedis& server = SharedRedis();
  const Stores a = OpenTestRedis(server, clock_.AsFunction());
  const Stores b = OpenTestRedis(server, clock_.AsFunction());
  ASSERT_THAT(Create(*a.records, "key"), IsOk());
  std::vector<std::thread> threads;
  for (RecordStore* store : {a.records.get(), b.records.get()}) {
    threads.emplace_back([store] {
      for (int n = 0; n < 50;) {
        const auto record = store->Load(RecordKind::kSession, "key");
        const auto result =
            store->Write({.verb = RecordWrite::Verb::kUpdate,
                          .record = **record,
                          .expected_version = (*record)->version});
        if (*result == WriteResult::kDone) ++n;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ((*a.records->Load(RecordKind::kSession, "key"))->version, 101);
}

TEST_F(RedisStoreTest, WhileRedisIsDownNothingIsAcknowledged) {
  TestRedis server({"--appendonly", "yes", "--appendfsync", "always"});
  const Stores stores = OpenTestRedis(server, clock_.AsFunction());
  ASSERT_EQ(*Create(*stores.records, "kept"), WriteResult::kDone);
  server.Kill();
  EXPECT_THAT(Create(*stores.records, "lost"),
              HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE));
  EXPECT_THAT(stores.records->Load(RecordKind::kSession, "kept"),
              HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE));
  EXPECT_THAT(stores.records->CatchUp(),
              HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE));
  server.Start();
  EXPECT_TRUE(Has(*stores.records, "kept"));
  EXPECT_EQ(*Create(*stores.records, "new"), WriteResult::kDone);
}

// A restart may have lost the newest changes: whoever resumes is told.
TEST_F(RedisStoreTest, AfterARestartThereIsAGapAndNoOldRevisionResumes) {
  TestRedis server({"--appendonly", "yes", "--appendfsync", "always"});
  const Stores stores = OpenTestRedis(server, clock_.AsFunction());
  ASSERT_THAT(Create(*stores.records, "key"), IsOk());
  const int64_t before = stores.records->ChangesSince(0)->newest_revision;
  Ear ear(*stores.records);
  server.Kill();
  server.Start();
  ASSERT_TRUE(Eventually(
      [&] { return !ear.heard().empty() && ear.heard().front().is_gap; }));
  const auto history = stores.records->ChangesSince(before);
  ASSERT_THAT(history, IsOk());
  EXPECT_FALSE(history->is_complete);
  EXPECT_GT(history->newest_revision, before);
  const int64_t after = history->newest_revision;
  ASSERT_THAT(Create(*stores.records, "later"), IsOk());
  EXPECT_TRUE(stores.records->ChangesSince(after)->is_complete);
}

TEST_F(RedisStoreTest, AStoreThatIsEmptiedUnderUsIsAGapToo) {
  const TestRedis server;
  const Stores stores = OpenTestRedis(server, clock_.AsFunction());
  ASSERT_THAT(Create(*stores.records, "key"), IsOk());
  Ear ear(*stores.records);
  server.Call({"FLUSHALL"});
  clock_.Advance(absl::Hours(1));
  ASSERT_THAT(Create(*stores.records, "later"), IsOk());
  ASSERT_THAT(ear.heard(), SizeIs(2));
  EXPECT_TRUE(ear.heard()[0].is_gap);
  EXPECT_EQ(ear.heard()[1].key, "later");
  EXPECT_FALSE(Has(*stores.records, "key"));
}

// Somebody else reaches this Redis and writes himself a session.
TEST_F(RedisStoreTest, AForgedRecordIsNotUsedAndHidesNoOther) {
  const TestRedis& server = SharedRedis();
  const Stores stores = OpenTestRedis(server, clock_.AsFunction());
  ASSERT_THAT(Create(*stores.records, "mine"), IsOk());
  ASSERT_THAT(Create(*stores.records, "stolen"), IsOk());
  server.Call(
      {"HSET",
       absl::StrCat("banyan:record:1:", absl::BytesToHexString("stolen")), "p",
       absl::BytesToHexString("intruder")});
  EXPECT_THAT(stores.records->Load(RecordKind::kSession, "stolen"),
              HasReason(rpc::v1::ERROR_REASON_INTERNAL));
  const auto records = stores.records->List(RecordKind::kSession, std::nullopt);
  ASSERT_THAT(*records, SizeIs(1));
  EXPECT_EQ(records->front().key, "mine");
  EXPECT_TRUE(Has(*stores.records, "mine"));
}

// W14 at the store: full is refused, live records stay.
TEST_F(RedisStoreTest,
       WeakSpot14WhenMemoryIsFullWritesAreRefusedAndRecordsStay) {
  const TestRedis server({"--save", "", "--maxmemory", "4mb"});
  const Stores stores = OpenTestRedis(server, clock_.AsFunction());
  ASSERT_THAT(Create(*stores.records, "first"), IsOk());
  absl::Status refusal;
  for (int i = 0; i < 10'000 && refusal.ok(); ++i) {
    refusal = stores.records
                  ->Write({.record = {.kind = RecordKind::kSession,
                                      .key = absl::StrCat(i),
                                      .body = std::string(10'000, 'x')}})
                  .status();
  }
  EXPECT_THAT(refusal, HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("out of memory"));
  EXPECT_TRUE(Has(*stores.records, "first"));
}

TEST_F(RedisStoreTest, ARedisThatThrowsLiveRecordsAwayIsRefused) {
  const TestRedis server({"--save", "", "--maxmemory-policy", "allkeys-lru"});
  const auto stores = OpenRedisStore(
      {.redis = server.Options(), .seal_keys = {std::string(32, 's')}});
  EXPECT_EQ(stores.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(stores.status().message()), HasSubstr("noeviction"));
}

TEST_F(RedisStoreTest, AWrongPasswordIsSaid) {
  const TestRedis& server = SharedRedis();
  RedisStoreOptions options{.redis = server.Options(),
                            .seal_keys = {std::string(32, 's')}};
  options.redis.password = "wrong";
  EXPECT_FALSE(OpenRedisStore(options).ok());
}

TEST_F(RedisStoreTest, APrefixEndsWithAColonAndKeysAreNeeded) {
  const TestRedis& server = SharedRedis();
  EXPECT_EQ(OpenRedisStore({.redis = server.Options(), .prefix = "banyan"})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(OpenRedisStore({.redis = server.Options()}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(RedisStoreTest, Behaviour71KeysAreAPrefixAndAHashOfTheId) {
  const TestRedis& server = SharedRedis();
  const Stores stores = OpenTestRedis(server, clock_.AsFunction());
  ASSERT_THAT(Create(*stores.records, "key"), IsOk());
  const auto connection = server.Connect();
  const auto keys = (*connection)->Call({"KEYS", "*"});
  ASSERT_THAT(keys, IsOk());
  for (const RedisReply& key : keys->elements) {
    EXPECT_EQ(key.text.rfind("banyan:", 0), 0u) << key.text;
  }
  ASSERT_THAT(Delete(*stores.records, "key"), IsOk());
  EXPECT_FALSE(Has(*stores.records, "key"));
}

TEST_F(RedisStoreTest, RingsOfOneDaemonAreReadAndHeardOfOnAnother) {
  const TestRedis& server = SharedRedis();
  const Stores a = OpenTestRedis(server, clock_.AsFunction());
  const Stores b = OpenTestRedis(server, clock_.AsFunction());
  std::mutex mutex;
  std::string grown;
  b.rings->SetGrowthListener(
      [&](absl::string_view session, absl::string_view stream, int64_t) {
        const std::lock_guard<std::mutex> lock(mutex);
        grown = absl::StrCat(session, "/", stream);
      });
  ASSERT_THAT(a.rings->Append("session", "s", {"one"}, false), IsOk());
  EXPECT_TRUE(Eventually([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return grown == "session/s";
  }));
  EXPECT_THAT(b.rings->Read("session", "s", 0)->events, SizeIs(1));
  b.rings->SetGrowthListener(nullptr);
}

}  // namespace
}  // namespace banyan::sessiond
