// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/sqlite_record_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sessiond/store/sqlite_database.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_sqlite_vfs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::sessiond {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr RecordKind kSession = RecordKind::kSession;

MATCHER_P(SaysThat, words, "") {
  *result_listener << StatusOf(arg).ToString();
  return std::string(StatusOf(arg).message()).find(words) != std::string::npos;
}

class SqliteRecordStoreTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<RecordStore>> Open(
      const std::string& vfs = "") {
    return NewSqliteRecordStore(
        {.path = path_, .now = clock_.AsFunction(), .vfs = vfs});
  }

  static absl::StatusOr<WriteResult> Create(RecordStore& store,
                                            const std::string& key) {
    return store.Write(
        {.record = {.kind = kSession, .key = key, .body = "body of " + key}});
  }

  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  FakeClock clock_;
  TempWorkspace folder_;
  const std::string path_ = folder_.PathOf("records.db");
};

TEST_F(SqliteRecordStoreTest, RecordsVersionsAndHistorySurviveARestart) {
  int64_t revision = 0;
  {
    ASSERT_OK_AND_ASSIGN(auto store, Open());
    ASSERT_EQ(*Create(*store, "kept"), WriteResult::kDone);
    ASSERT_EQ(*Create(*store, "deleted"), WriteResult::kDone);
    ASSERT_EQ(*store->Write({.verb = RecordWrite::Verb::kDelete,
                             .record = {.kind = kSession, .key = "deleted"}}),
              WriteResult::kDone);
    ASSERT_EQ(*store->Write({.verb = RecordWrite::Verb::kUpdate,
                             .record = {.kind = kSession,
                                        .key = "kept",
                                        .principal = "p",
                                        .body = "second"},
                             .expected_version = 1}),
              WriteResult::kDone);
    revision = store->ChangesSince(0)->newest_revision;
  }
  ASSERT_OK_AND_ASSIGN(auto store, Open());
  const auto record = *store->Load(kSession, "kept");
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->body, "second");
  EXPECT_EQ(record->version, 2);
  EXPECT_THAT(*store->List(kSession, "p"), SizeIs(1));
  EXPECT_FALSE(store->Load(kSession, "deleted")->has_value());
  const History history = *store->ChangesSince(revision - 2);
  EXPECT_TRUE(history.is_complete);
  EXPECT_EQ(history.newest_revision, revision);
  EXPECT_THAT(history.changes, SizeIs(2));
  ASSERT_EQ(*Create(*store, "next"), WriteResult::kDone);
  EXPECT_EQ(store->ChangesSince(0)->newest_revision, revision + 1);
}

TEST_F(SqliteRecordStoreTest, RevisionsGoOnAfterAllHistoryWasPruned) {
  int64_t revision = 0;
  {
    ASSERT_OK_AND_ASSIGN(auto store, Open());
    ASSERT_EQ(*Create(*store, "one"), WriteResult::kDone);
    clock_.Advance(absl::Hours(1));
    ASSERT_EQ(*Create(*store, "two"), WriteResult::kDone);
    revision = store->ChangesSince(0)->newest_revision;
  }
  clock_.Advance(absl::Hours(1));
  ASSERT_OK_AND_ASSIGN(auto store, Open());
  EXPECT_EQ(store->ChangesSince(0)->newest_revision, revision);
  EXPECT_FALSE(store->ChangesSince(revision - 2)->is_complete);
}

TEST_F(SqliteRecordStoreTest, TheFileIsForItsOwnerOnly) {
  ASSERT_OK_AND_ASSIGN(auto store, Open());
  ASSERT_THAT(Create(*store, "key"), IsOk());
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_.path())) {
    struct stat about;
    ASSERT_EQ(::stat(entry.path().c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u) << entry.path();
  }
}

TEST_F(SqliteRecordStoreTest, ASecondOpenIsRefused) {
  ASSERT_OK_AND_ASSIGN(auto store, Open());
  EXPECT_THAT(Open(),
              AllOf(HasCode(absl::StatusCode::kFailedPrecondition),
                    SaysThat("another process has it open"), SaysThat(path_)));
}

TEST_F(SqliteRecordStoreTest, AFileOfANewerSchemaIsLeftAlone) {
  { ASSERT_THAT(Open(), IsOk()); }
  {
    ASSERT_OK_AND_ASSIGN(SqliteDatabase database,
                         SqliteDatabase::Open(path_, ""));
    ASSERT_THAT(database.Execute("PRAGMA user_version = 2"), IsOk());
  }
  EXPECT_THAT(Open(), AllOf(HasCode(absl::StatusCode::kFailedPrecondition),
                            SaysThat("newer version wrote it (schema 2")));
}

TEST_F(SqliteRecordStoreTest, TheDatabaseOfAnotherProgramIsLeftAlone) {
  {
    ASSERT_OK_AND_ASSIGN(SqliteDatabase database,
                         SqliteDatabase::Open(path_, ""));
    ASSERT_THAT(database.Execute("CREATE TABLE theirs(a); "
                                 "INSERT INTO theirs VALUES (1)"),
                IsOk());
  }
  EXPECT_THAT(Open(), AllOf(HasCode(absl::StatusCode::kFailedPrecondition),
                            SaysThat("another program")));
}

TEST_F(SqliteRecordStoreTest, AFileThatIsNoDatabaseIsNotOverwritten) {
  const std::string text(5'000, 'x');
  folder_.Write("records.db", text);
  EXPECT_THAT(Open(), AllOf(HasCode(absl::StatusCode::kFailedPrecondition),
                            SaysThat("damaged"), SaysThat("restore a copy")));
  EXPECT_EQ(Read(path_), text);
}

TEST_F(SqliteRecordStoreTest, ADamagedPageIsFoundAtTheStart) {
  {
    ASSERT_OK_AND_ASSIGN(auto store, Open());
    for (int i = 0; i < 500; ++i) {
      ASSERT_THAT(Create(*store, absl::StrCat("key", i)), IsOk());
    }
  }
  std::string bytes = Read(path_);
  ASSERT_GT(bytes.size(), 3 * 4096u);
  std::fill(bytes.begin() + 4096, bytes.end() - 4096, '\x5a');
  folder_.Write("records.db", bytes);
  EXPECT_THAT(Open(), AllOf(HasCode(absl::StatusCode::kFailedPrecondition),
                            SaysThat("damaged")));
}

TEST_F(SqliteRecordStoreTest, AMissingFolderIsNamed) {
  EXPECT_THAT(
      NewSqliteRecordStore({.path = folder_.PathOf("missing/records.db")}),
      AllOf(HasCode(absl::StatusCode::kUnavailable), SaysThat("missing")));
}

TEST_F(SqliteRecordStoreTest, NetworkFileSystemsAreKnown) {
  EXPECT_TRUE(IsNetworkFileSystem(0x6969));
  EXPECT_TRUE(IsNetworkFileSystem(0xff534d42));
  // As a signed 32-bit f_type shows it.
  EXPECT_TRUE(IsNetworkFileSystem(static_cast<int32_t>(0xff534d42)));
  EXPECT_TRUE(IsNetworkFileSystem(0x01021997));
  EXPECT_FALSE(IsNetworkFileSystem(0xef53));      // ext4
  EXPECT_FALSE(IsNetworkFileSystem(0x58465342));  // XFS
  EXPECT_FALSE(IsNetworkFileSystem(0x01021994));  // tmpfs
}

TEST_F(SqliteRecordStoreTest, AFullDiskRefusesWritesKeepsReadsAndRecovers) {
  const FaultySqliteVfs vfs;
  ASSERT_OK_AND_ASSIGN(auto store, Open(FaultySqliteVfs::kName));
  ASSERT_EQ(*Create(*store, "before"), WriteResult::kDone);
  const int64_t revision = store->ChangesSince(0)->newest_revision;

  FaultySqliteVfs::is_full = true;
  EXPECT_THAT(Create(*store, "while"),
              AllOf(HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE),
                    SaysThat("disk is full")));
  EXPECT_FALSE(store->Load(kSession, "while")->has_value());
  EXPECT_TRUE(store->Load(kSession, "before")->has_value());
  EXPECT_EQ(store->ChangesSince(0)->newest_revision, revision);
  // What changes nothing needs no disk.
  EXPECT_EQ(*Create(*store, "before"), WriteResult::kExists);

  FaultySqliteVfs::is_full = false;
  EXPECT_EQ(*Create(*store, "after"), WriteResult::kDone);
  store.reset();
  ASSERT_OK_AND_ASSIGN(auto reopened, Open());
  EXPECT_TRUE(reopened->Load(kSession, "after")->has_value());
  EXPECT_FALSE(reopened->Load(kSession, "while")->has_value());
}

TEST_F(SqliteRecordStoreTest, AFailedSyncAcknowledgesNothingAnyMore) {
  const FaultySqliteVfs vfs;
  ASSERT_OK_AND_ASSIGN(auto store, Open(FaultySqliteVfs::kName));
  ASSERT_EQ(*Create(*store, "before"), WriteResult::kDone);

  FaultySqliteVfs::fails_sync = true;
  EXPECT_THAT(Create(*store, "while"),
              AllOf(HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE),
                    SaysThat("restarted")));
  FaultySqliteVfs::fails_sync = false;
  // A sync that works now proves nothing about the pages of the one before.
  EXPECT_THAT(Create(*store, "after"),
              HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE));
  EXPECT_TRUE(store->Load(kSession, "before")->has_value());
  EXPECT_FALSE(store->Load(kSession, "while")->has_value());
  store.reset();
  ASSERT_OK_AND_ASSIGN(auto reopened, Open());
  EXPECT_TRUE(reopened->Load(kSession, "before")->has_value());
  EXPECT_EQ(*Create(*reopened, "after"), WriteResult::kDone);
}

TEST_F(SqliteRecordStoreTest, EveryAnswerHasSeenASync) {
  const FaultySqliteVfs vfs;
  ASSERT_OK_AND_ASSIGN(auto store, Open(FaultySqliteVfs::kName));
  for (int i = 0; i < 10; ++i) {
    const int before = FaultySqliteVfs::syncs;
    ASSERT_EQ(*Create(*store, absl::StrCat("key", i)), WriteResult::kDone);
    EXPECT_GT(FaultySqliteVfs::syncs, before);
  }
}

TEST_F(SqliteRecordStoreTest, ManyWritersShareCommits) {
  std::atomic<int> commits = 0;
  ASSERT_OK_AND_ASSIGN(
      auto store,
      NewSqliteRecordStore(
          {.path = path_, .on_commit = [&](absl::Duration) { ++commits; }}));
  std::vector<std::thread> writers;
  for (int i = 0; i < 16; ++i) {
    writers.emplace_back([&store, i] {
      for (int n = 0; n < 20; ++n) {
        ASSERT_EQ(*Create(*store, absl::StrCat(i, "/", n)), WriteResult::kDone);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_GT(commits, 0);
  EXPECT_LT(commits, 320);
  EXPECT_THAT(*store->List(kSession, std::nullopt), SizeIs(320));
}

// The last transaction is torn at every place: everything before it stays, and
// it is there whole or not at all.
TEST_F(SqliteRecordStoreTest, ATornLastWriteLosesNothingBeforeIt) {
  const std::string log = path_ + "-wal";
  std::string database_bytes;
  std::string whole;
  size_t start = 0;
  {
    ASSERT_OK_AND_ASSIGN(auto store, Open());
    ASSERT_EQ(*Create(*store, "first"), WriteResult::kDone);
    start = Read(log).size();
    ASSERT_EQ(*Create(*store, "last"), WriteResult::kDone);
    whole = Read(log);
    database_bytes = Read(path_);
  }
  ASSERT_GT(whole.size(), start);
  const auto open_with = [&](const std::string& log_bytes) {
    folder_.Write("records.db", database_bytes);
    folder_.Write("records.db-wal", log_bytes);
    return Open();
  };
  for (size_t at = start; at < whole.size(); at += 211) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x40);
    for (const std::string& torn : {whole.substr(0, at), flipped}) {
      ASSERT_OK_AND_ASSIGN(auto store, open_with(torn));
      ASSERT_TRUE(store->Load(kSession, "first")->has_value()) << at;
      ASSERT_FALSE(store->Load(kSession, "last")->has_value()) << at;
      ASSERT_THAT(store->ChangesSince(0)->changes, SizeIs(1)) << at;
      store.reset();
      std::filesystem::remove(log);
    }
  }
  ASSERT_OK_AND_ASSIGN(auto store, open_with(whole));
  EXPECT_TRUE(store->Load(kSession, "last")->has_value());
}

}  // namespace
}  // namespace banyan::sessiond
