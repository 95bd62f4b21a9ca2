// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/change_counter.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/git_repo.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ChangeCounterTest : public ::testing::Test {
 protected:
  ChangeCounterTest() {
    Git(folder_.path(), "init -q");
    folder_.Write(".gitignore", "build/\n*.log\n");
    folder_.Write("src/a.cc", "a\n");
    folder_.Write("build/kept.cc", "k\n");
    folder_.Write("build/a.o", "o\n");
    Git(folder_.path(), "add -f .gitignore src/a.cc build/kept.cc");
    Git(folder_.path(), "commit -q -m first");
  }

  ChangeCounter& counter(ChangeCounter::Options options = {}) {
    counter_.reset();
    root_ = *RootDirectory::Open(folder_.path(), {});
    proposals_ = std::make_unique<FileProposals>(
        *root_, GitRepository::Find(*root_, folder_.path()),
        FileProposals::Options());
    counter_ = NewChangeCounter(*root_, *proposals_, std::move(options));
    return *counter_;
  }

  // "+path", "*path", "-path"; "?" when everything is unknown.
  static std::vector<std::string> Since(ChangeCounter& from, uint64_t count) {
    const FileChanges changes = from.ChangesSince(count);
    if (changes.is_everything_unknown) return {"?"};
    std::vector<std::string> told;
    for (const FileChange& change : changes.changes) {
      const char* const sign = change.kind == ChangeKind::kCreated   ? "+"
                               : change.kind == ChangeKind::kDeleted ? "-"
                                                                     : "*";
      told.push_back(absl::StrCat(sign, change.relative_path));
    }
    return told;
  }

  TempWorkspace folder_;
  std::shared_ptr<RootDirectory> root_;
  std::unique_ptr<FileProposals> proposals_;
  std::unique_ptr<ChangeCounter> counter_;
};

TEST_F(ChangeCounterTest, StandsStillWhileNothingHappens) {
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  EXPECT_TRUE(changes.has_notices());
  EXPECT_EQ(changes.Read(), before);
  EXPECT_EQ(root_->ReadFile("src/a.cc")->bytes, "a\n");
  EXPECT_EQ(changes.Read(), before);
}

TEST_F(ChangeCounterTest, TellsOfEachWriteAtTheNextRead) {
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  folder_.Write("src/a.cc", "b\n");
  const uint64_t after = changes.Read();
  EXPECT_GT(after, before);
  EXPECT_THAT(Since(changes, before), ElementsAre("*src/a.cc"));
  fs::remove(folder_.PathOf("src/a.cc"));
  folder_.Write("src/b.cc", "b\n");
  EXPECT_THAT(Since(changes, after), ElementsAre("-src/a.cc", "+src/b.cc"));
}

// How edits of ours, and some editors, put a new text in place: the kernel
// reports both names as come and gone.
TEST_F(ChangeCounterTest, FilesThatChangePlacesAreChanged) {
  folder_.Write("src/b.cc", "b\n");
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  ASSERT_EQ(::renameat2(AT_FDCWD, folder_.PathOf("src/a.cc").c_str(), AT_FDCWD,
                        folder_.PathOf("src/b.cc").c_str(), RENAME_EXCHANGE),
            0);
  EXPECT_THAT(Since(changes, before), ElementsAre("*src/a.cc", "*src/b.cc"));
}

TEST_F(ChangeCounterTest, TellsOfFilesInNewFolders) {
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  folder_.Write("new/deep/a.cc", "x\n");
  EXPECT_THAT(Since(changes, before), ElementsAre("+new/deep/a.cc"));
  const uint64_t then = changes.Read();
  folder_.Write("new/deep/a.cc", "y\n");
  EXPECT_THAT(Since(changes, then), ElementsAre("*new/deep/a.cc"));
}

TEST_F(ChangeCounterTest, TellsOfAFileThatComesIntoAnEmptyFolder) {
  fs::create_directory(folder_.PathOf("empty"));
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  folder_.Write("empty/a.cc", "x\n");
  EXPECT_THAT(Since(changes, before), ElementsAre("+empty/a.cc"));
}

TEST_F(ChangeCounterTest, PassesByWhatGitIgnores) {
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  folder_.Write("build/a.o", "other\n");
  folder_.Write("build/deep/b.o", "new\n");
  folder_.Write("run.log", "line\n");
  folder_.Write("src/run.log", "line\n");
  EXPECT_EQ(changes.Read(), before);
}

TEST_F(ChangeCounterTest, WatchesTrackedFilesThoughARuleNamesThem) {
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  folder_.Write("build/kept.cc", "other\n");
  EXPECT_THAT(Since(changes, before), ElementsAre("*build/kept.cc"));
}

TEST_F(ChangeCounterTest, MovesWithTheIndexAndHead) {
  ChangeCounter& changes = counter();
  const uint64_t start = changes.Read();
  Git(folder_.path(), "checkout -q -b other");
  const uint64_t on_branch = changes.Read();
  EXPECT_GT(on_branch, start);
  folder_.Write("src/b.cc", "b\n");
  const uint64_t written = changes.Read();
  Git(folder_.path(), "add src/b.cc");
  EXPECT_GT(changes.Read(), written);
  EXPECT_THAT(Since(changes, written), IsEmpty());
}

TEST_F(ChangeCounterTest, LooksAtTheWholeTreeAgainWhenRulesChange) {
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  folder_.Write(".gitignore", "*.log\n");
  EXPECT_THAT(Since(changes, before), ElementsAre("?"));
  const uint64_t then = changes.Read();
  folder_.Write("build/a.o", "now of interest\n");
  EXPECT_THAT(Since(changes, then), ElementsAre("*build/a.o"));
}

TEST_F(ChangeCounterTest, LosesNothingWhenAFolderMoves) {
  folder_.Write("src/deep/b.cc", "b\n");
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  fs::rename(folder_.PathOf("src"), folder_.PathOf("lib"));
  EXPECT_THAT(Since(changes, before), ElementsAre("?"));
  const uint64_t then = changes.Read();
  folder_.Write("lib/deep/b.cc", "c\n");
  EXPECT_THAT(Since(changes, then), ElementsAre("*lib/deep/b.cc"));
}

TEST_F(ChangeCounterTest, MovesAtOnceWithOurOwnWrites) {
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  changes.NoteOwnWrite("src/a.cc", ChangeKind::kChanged);
  EXPECT_GT(changes.Read(), before);
  EXPECT_THAT(Since(changes, before), ElementsAre("*src/a.cc"));
}

TEST_F(ChangeCounterTest, SaysSoWhenTheKernelDroppedNotices) {
  ChangeCounter& changes = counter();
  const uint64_t before = changes.Read();
  // More than the kernel queues (fs.inotify.max_queued_events).
  for (int i = 0; i < 20'000; ++i) {
    const std::string name =
        folder_.PathOf(absl::StrCat("src/f", i % 2, ".cc"));
    fs::rename(folder_.PathOf("src/a.cc"), name);
    fs::rename(name, folder_.PathOf("src/a.cc"));
  }
  EXPECT_THAT(Since(changes, before), ElementsAre("?"));
  const uint64_t then = changes.Read();
  EXPECT_EQ(changes.Read(), then);
  folder_.Write("src/a.cc", "c\n");
  EXPECT_THAT(Since(changes, then), ElementsAre("*src/a.cc"));
}

TEST_F(ChangeCounterTest, SweepsWhenThereAreTooManyFolders) {
  absl::Time now = absl::FromUnixSeconds(1000);
  ChangeCounter& changes =
      counter({.max_watches = 1, .now = [&now] { return now; }});
  const uint64_t before = changes.Read();
  EXPECT_FALSE(changes.has_notices());
  folder_.Write("src/a.cc", "longer\n");
  folder_.Write("src/b.cc", "b\n");
  folder_.Write("build/a.o", "ignored\n");
  // At most once in its interval.
  EXPECT_EQ(changes.Read(), before);
  now += absl::Seconds(1);
  EXPECT_THAT(Since(changes, before), ElementsAre("*src/a.cc", "+src/b.cc"));
  const uint64_t then = changes.Read();
  fs::remove(folder_.PathOf("src/b.cc"));
  now += absl::Seconds(1);
  EXPECT_THAT(Since(changes, then), ElementsAre("-src/b.cc"));
}

TEST_F(ChangeCounterTest, SweepsSeeHeadAndIndex) {
  absl::Time now = absl::FromUnixSeconds(1000);
  ChangeCounter& changes =
      counter({.may_use_notices = false, .now = [&now] { return now; }});
  const uint64_t before = changes.Read();
  Git(folder_.path(), "checkout -q -b other");
  now += absl::Seconds(1);
  EXPECT_GT(changes.Read(), before);
}

}  // namespace
}  // namespace banyan::lspd
