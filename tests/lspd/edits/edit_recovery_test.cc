// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/edit_recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/edits/edit_journal.h"
#include "lspd/edits/edit_transaction.h"
#include "tests/lspd/edits/transaction_fixture.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;

using DropOldEditsTest = TransactionFixture;

TEST_F(DropOldEditsTest, WhatWasDisplacedGoesAfterAWhile) {
  folder_.Write("a.txt", "old");
  ASSERT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new")}), IsOk());
  DropOldEdits(*root_, absl::Now() + absl::Minutes(9));
  EXPECT_EQ(Stages(), 1);
  DropOldEdits(*root_, absl::Now() + absl::Minutes(11));
  EXPECT_EQ(Stages(), 0);
}

// The whole of a ten-file transaction, ended by SIGKILL at one step after the
// other.
class EditRecoveryTest : public TransactionFixture {
 protected:
  void Fill() {
    fs::remove_all(folder_.PathOf(".banyan"));
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      fs::remove_all(entry.path());
    }
    changes_.clear();
    for (int i = 0; i < 7; ++i) {
      const std::string path = absl::StrCat("f", i, ".txt");
      folder_.Write(path, absl::StrCat("old ", i));
      changes_.push_back(
          Change(path, absl::StrCat("old ", i), absl::StrCat("new text ", i)));
    }
    fs::create_hard_link(folder_.PathOf("f3.txt"), folder_.PathOf("link.txt"));
    folder_.Write("gone.txt", "old");
    changes_.push_back({.path = "gone.txt", .before = "old"});
    changes_.push_back({.path = "made/here.txt", .after = "new"});
    changes_.push_back({.path = "made/too.txt", .after = "new"});
  }

  std::map<std::string, std::string> Snapshot() const {
    std::map<std::string, std::string> texts;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      const std::string path =
          fs::relative(entry.path(), folder_.path()).string();
      if (path.rfind(".banyan", 0) == 0) continue;
      texts[path] = entry.is_directory() ? "(folder)" : Text(path);
    }
    return texts;
  }

  // Runs the transaction in a child that dies before its step `at`. False when
  // it had no such step and finished.
  bool DieAt(int at) {
    const pid_t child = ::fork();
    if (child == 0) {
      int step = 0;
      CommitOptions options;
      options.on_step = [&](absl::string_view) {
        if (step++ == at) ::kill(::getpid(), SIGKILL);
      };
      const bool is_done = CommitChanges(*root_, changes_, options).ok();
      ::_exit(is_done ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const bool is_dead = WIFSIGNALED(status);
    EXPECT_TRUE(is_dead || WEXITSTATUS(status) == 0);
    return is_dead;
  }

  std::vector<DraftChange> changes_;
};

TEST_F(EditRecoveryTest, AllFilesAreOldOrAllAreNewWhereverItDied) {
  Fill();
  const auto old_texts = Snapshot();
  ASSERT_THAT(CommitChanges(*root_, changes_), IsOk());
  const auto new_texts = Snapshot();
  int died = 0;
  for (int at = 0;; ++at) {
    Fill();
    const bool is_dead = DieAt(at);
    const Recovery recovery = RecoverEdits(*root_);
    EXPECT_THAT(recovery.unsettled, testing::IsEmpty()) << "step " << at;
    const auto texts = Snapshot();
    EXPECT_TRUE(texts == old_texts || texts == new_texts) << "step " << at;
    // Nothing is left to be undone by the next one.
    EXPECT_EQ(RecoverEdits(*root_).undone, 0);
    if (!is_dead) break;
    ++died;
  }
  EXPECT_GT(died, 20);
}

TEST_F(EditRecoveryTest, AFileThatSomebodyChangedSinceIsReportedAndLeft) {
  for (int at = 0;; ++at) {
    Fill();
    const bool is_dead = DieAt(at);
    folder_.Write("f2.txt", "a person's work");
    const Recovery recovery = RecoverEdits(*root_);
    EXPECT_EQ(Text("f2.txt"), "a person's work") << "step " << at;
    if (recovery.undone > 0) {
      EXPECT_THAT(recovery.unsettled, testing::ElementsAre("f2.txt"))
          << "step " << at;
      for (const char* path : {"f0.txt", "f1.txt", "f6.txt"}) {
        EXPECT_EQ(Text(path).substr(0, 3), "old") << path << " step " << at;
      }
    }
    if (!is_dead) break;
  }
}

// A repository may ship a journal of its own making, to have recovery write
// where no tool may: a hook of git's, say.
TEST_F(EditRecoveryTest, AJournalThatCameWithTheRepositoryWritesNoHook) {
  for (const char* path :
       {".git/hooks/pre-commit", "a/.git/config", ".banyan/project.json",
        "../outside", "x/../../outside", "x/..", ""}) {
    Fill();
    const std::string before = HashOf("#!/bin/sh\n");
    folder_.Write(".git/hooks/sample", "");
    folder_.Write(".banyan/edits/1-aa/0.old", "#!/bin/sh\n");
    folder_.Write(".banyan/edits/1-aa/0.new", "#!/bin/sh\n");
    folder_.Write(".banyan/edits/1-aa/journal",
                  ToText({.steps = {{.path = path,
                                     .kind = StepKind::kDeleteInPlace,
                                     .before = before,
                                     .after = ""}}}));
    const Recovery recovery = RecoverEdits(*root_);
    EXPECT_THAT(recovery.unsettled, testing::ElementsAre(".banyan/edits/1-aa"))
        << path;
    EXPECT_EQ(Text(".git/hooks/pre-commit"), "(none)");
    EXPECT_EQ(Text(".banyan/project.json"), "(none)");
    EXPECT_EQ(Text("../outside"), "(none)");
    fs::remove_all(folder_.PathOf(".git"));
  }
}

TEST_F(EditRecoveryTest, AJournalThatCannotBeReadIsReportedNotGuessed) {
  Fill();
  folder_.Write(".banyan/edits/1-aa/journal", "{\"version\": 9}");
  const Recovery recovery = RecoverEdits(*root_);
  EXPECT_THAT(recovery.unsettled, testing::ElementsAre(".banyan/edits/1-aa"));
}

}  // namespace
}  // namespace banyan::lspd
