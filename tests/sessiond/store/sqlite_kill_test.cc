// SPDX-License-Identifier: Apache-2.0
//
// The store in a process of its own, killed with SIGKILL under writes, again
// and again on one file. The pipe is the client: what it heard is acknowledged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sessiond/store/sqlite_record_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::sessiond {
namespace {

constexpr int kKills = 20;
constexpr int kWriters = 4;

// One line of the client's log. Small enough for an atomic write to a pipe.
struct Line {
  char what;  // c/C create asked / acknowledged, u/U update, d/D delete.
  int32_t round;
  int32_t writer;
  int32_t number;
};

std::string KeyOf(const Line& line) {
  return absl::StrCat(line.round, "/", line.writer, "/", line.number);
}

void Say(int pipe, Line line, char what) {
  line.what = what;
  if (::write(pipe, &line, sizeof(line)) != sizeof(line)) ::_exit(3);
}

// Creates, updates every second one, deletes every third one.
void WriteOn(RecordStore& store, int pipe, int round, int writer) {
  for (int number = 0;; ++number) {
    const Line line{' ', round, writer, number};
    const Record record = {
        .kind = RecordKind::kSession, .key = KeyOf(line), .body = "created"};
    Say(pipe, line, 'c');
    if (*store.Write({.record = record}) != WriteResult::kDone) ::_exit(4);
    Say(pipe, line, 'C');
    if (number % 2 == 0) {
      Record updated = record;
      updated.body = "updated";
      Say(pipe, line, 'u');
      if (*store.Write({.verb = RecordWrite::Verb::kUpdate,
                        .record = updated,
                        .expected_version = 1}) != WriteResult::kDone) {
        ::_exit(5);
      }
      Say(pipe, line, 'U');
    }
    if (number % 3 == 0) {
      Say(pipe, line, 'd');
      if (*store.Write({.verb = RecordWrite::Verb::kDelete,
                        .record = record}) != WriteResult::kDone) {
        ::_exit(6);
      }
      Say(pipe, line, 'D');
    }
  }
}

[[noreturn]] void RunChild(const std::string& path, int pipe, int round) {
  auto store = NewSqliteRecordStore({.path = path});
  if (!store.ok()) ::_exit(2);
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back(
        [&, writer] { WriteOn(**store, pipe, round, writer); });
  }
  for (std::thread& writer : writers) writer.join();
  ::_exit(0);
}

// What the client knows of one record.
using Heard = std::map<std::string, std::set<char>>;

// Lets a child write until `lines` were heard, kills it, hears the rest.
void RunRound(const std::string& path, int round, int lines, Heard& heard) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::close(ends[0]);
    RunChild(path, ends[1], round);
  }
  ::close(ends[1]);
  Line line{};
  int count = 0;
  while (::read(ends[0], &line, sizeof(line)) ==
         static_cast<ssize_t>(sizeof(line))) {
    heard[KeyOf(line)].insert(line.what);
    if (++count == lines) ::kill(child, SIGKILL);
  }
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status);
  ASSERT_GE(count, lines);
}

void ExpectNothingLost(RecordStore& store, const Heard& heard) {
  for (const auto& [key, lines] : heard) {
    const std::optional<Record> record = *store.Load(RecordKind::kSession, key);
    if (lines.contains('D')) {
      EXPECT_FALSE(record.has_value()) << key << " came back";
      continue;
    }
    if (!lines.contains('C') || lines.contains('d')) continue;
    ASSERT_TRUE(record.has_value()) << key << " is lost";
    if (lines.contains('U')) {
      EXPECT_EQ(record->body, "updated") << key;
      EXPECT_EQ(record->version, 2) << key;
    }
    if (!lines.contains('u')) {
      EXPECT_EQ(record->body, "created") << key;
    }
  }
}

TEST(SqliteKillTest, TwentyKillsLoseNothingAcknowledgedAndBringNothingBack) {
  const TempWorkspace folder;
  const std::string path = folder.PathOf("records.db");
  Heard heard;
  for (int round = 0; round < kKills; ++round) {
    ASSERT_NO_FATAL_FAILURE(
        RunRound(path, round, 20 + round * 37 % 300, heard));
    ASSERT_OK_AND_ASSIGN(const auto store,
                         NewSqliteRecordStore({.path = path}));
    ASSERT_NO_FATAL_FAILURE(ExpectNothingLost(*store, heard));
    // And nothing is there that nobody asked for.
    ASSERT_OK_AND_ASSIGN(const std::vector<Record> records,
                         store->List(RecordKind::kSession, std::nullopt));
    for (const Record& record : records) {
      EXPECT_TRUE(heard.contains(record.key)) << record.key;
    }
  }
}

}  // namespace
}  // namespace banyan::sessiond
