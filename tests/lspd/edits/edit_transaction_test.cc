// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/edit_transaction.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/edits/edit_journal.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;

class EditTransactionTest : public testing::Test {
 protected:
  EditTransactionTest() : root_(*RootDirectory::Open(folder_.path(), {})) {}

  std::string Text(const std::string& path) const {
    std::ifstream file(folder_.PathOf(path), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : "(none)";
  }

  mode_t ModeOf(const std::string& path) const {
    struct stat info {};
    ::stat(folder_.PathOf(path).c_str(), &info);
    return info.st_mode & 07777;
  }

  static DraftChange Change(const std::string& path, const std::string& before,
                            const std::string& after) {
    return {.path = path, .before = before, .after = after};
  }

  // Files of transactions that are still to be judged.
  size_t Stages() const {
    size_t count = 0;
    const std::string edits = folder_.PathOf(".banyan/edits");
    if (!fs::exists(edits)) return 0;
    for (const auto& entry : fs::directory_iterator(edits)) {
      if (entry.is_directory()) ++count;
    }
    return count;
  }

  TempWorkspace folder_;
  std::shared_ptr<RootDirectory> root_;
};

TEST_F(EditTransactionTest, ChangesCreatesAndDeletesTogether) {
  folder_.Write("a.txt", "old");
  folder_.Write("gone.txt", "bye");
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new"),
                                     {.path = "deep/er/b.txt", .after = "b"},
                                     {.path = "gone.txt", .before = "bye"}}),
              IsOk());
  EXPECT_EQ(Text("a.txt"), "new");
  EXPECT_EQ(Text("deep/er/b.txt"), "b");
  EXPECT_EQ(Text("gone.txt"), "(none)");
}

TEST_F(EditTransactionTest, OneFileThatIsAnotherStopsAllAndShowsTheDifference) {
  folder_.Write("a.txt", "old");
  folder_.Write("b.txt", "theirs");
  const auto result = CommitChanges(*root_, {Change("a.txt", "old", "new"),
                                             {.path = "c.txt", .after = "c"},
                                             Change("b.txt", "ours", "newer")});
  EXPECT_THAT(result, HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_THAT(std::string(result.status().message()),
              testing::AllOf(testing::HasSubstr("-ours"),
                             testing::HasSubstr("+theirs")));
  EXPECT_EQ(Text("a.txt"), "old");
  EXPECT_EQ(Text("b.txt"), "theirs");
  EXPECT_EQ(Text("c.txt"), "(none)");
  EXPECT_EQ(Stages(), 0);
}

// Somebody saves between our look and our rename: the gap that a check alone
// leaves open.
TEST_F(EditTransactionTest, ASaveRightBeforeTheRenameIsSeenAndKept) {
  for (const bool replaces_file : {false, true}) {
    folder_.Write("a.txt", "old");
    folder_.Write("b.txt", "old");
    CommitOptions options;
    options.on_step = [&](absl::string_view step) {
      if (step != "change 1") return;
      if (replaces_file) {
        folder_.Write("b.tmp", "theirs");
        fs::rename(folder_.PathOf("b.tmp"), folder_.PathOf("b.txt"));
      } else {
        folder_.Write("b.txt", "theirs");
      }
    };
    EXPECT_THAT(CommitChanges(*root_,
                              {Change("a.txt", "old", "new"),
                               Change("b.txt", "old", "new")},
                              options),
                HasReason(rpc::v1::ERROR_REASON_CONFLICT));
    EXPECT_EQ(Text("a.txt"), "old");
    EXPECT_EQ(Text("b.txt"), "theirs");
  }
}

TEST_F(EditTransactionTest, AWriteThroughADescriptorThatWasOpenIsNotLost) {
  folder_.Write("a.txt", "old");
  folder_.Write("b.txt", "old");
  const int fd = ::open(folder_.PathOf("a.txt").c_str(), O_WRONLY);
  CommitOptions options;
  options.on_step = [&](absl::string_view step) {
    if (step == "change 1") {
      EXPECT_EQ(::pwrite(fd, "theirs", 6, 0), 6);
    }
  };
  EXPECT_THAT(CommitChanges(*root_,
                            {Change("a.txt", "old", "new"),
                             Change("b.txt", "old", "new")},
                            options),
              HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  ::close(fd);
  EXPECT_EQ(Text("a.txt"), "theirs");
  EXPECT_EQ(Text("b.txt"), "old");
}

TEST_F(EditTransactionTest, AFileThatAppearsMeanwhileIsNotOverwritten) {
  CommitOptions options;
  options.on_step = [&](absl::string_view step) {
    if (step == "change 0") folder_.Write("new.txt", "theirs");
  };
  EXPECT_THAT(
      CommitChanges(*root_, {{.path = "new.txt", .after = "ours"}}, options),
      HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_EQ(Text("new.txt"), "theirs");
}

TEST_F(EditTransactionTest, ModeAndAttributesStay) {
  folder_.Write("run.sh", "old");
  ASSERT_EQ(::chmod(folder_.PathOf("run.sh").c_str(), 0755), 0);
  const bool has_attributes = ::setxattr(folder_.PathOf("run.sh").c_str(),
                                         "user.banyan", "x", 1, 0) == 0;
  ASSERT_THAT(CommitChanges(*root_, {Change("run.sh", "old", "new")}), IsOk());
  EXPECT_EQ(Text("run.sh"), "new");
  EXPECT_EQ(ModeOf("run.sh"), 0755);
  if (!has_attributes) GTEST_SKIP() << "no extended attributes here";
  char value = 0;
  EXPECT_EQ(
      ::getxattr(folder_.PathOf("run.sh").c_str(), "user.banyan", &value, 1),
      1);
}

TEST_F(EditTransactionTest, TheOwnerStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs another owner";
  folder_.Write("theirs.txt", "old");
  ASSERT_EQ(::chown(folder_.PathOf("theirs.txt").c_str(), 1234, 4321), 0);
  ASSERT_THAT(CommitChanges(*root_, {Change("theirs.txt", "old", "new")}),
              IsOk());
  struct stat info {};
  ASSERT_EQ(::stat(folder_.PathOf("theirs.txt").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1234);
  EXPECT_EQ(info.st_gid, 4321);
}

TEST_F(EditTransactionTest, AHardLinkStaysOneFile) {
  folder_.Write("a.txt", "old");
  fs::create_hard_link(folder_.PathOf("a.txt"), folder_.PathOf("same.txt"));
  ASSERT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "newer text")}),
              IsOk());
  EXPECT_EQ(Text("same.txt"), "newer text");
  EXPECT_EQ(fs::hard_link_count(folder_.PathOf("a.txt")), 2);
}

TEST_F(EditTransactionTest, AWriteProtectedFileIsLeftAlone) {
  folder_.Write("a.txt", "old");
  folder_.Write("b.txt", "old");
  ASSERT_EQ(::chmod(folder_.PathOf("b.txt").c_str(), 0444), 0);
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new"),
                                     Change("b.txt", "old", "new")}),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
  EXPECT_EQ(Text("a.txt"), "old");
}

TEST_F(EditTransactionTest, TheGrantIsLookedAtOnceMoreBeforeTheFirstFile) {
  folder_.Write("a.txt", "old");
  CommitOptions options;
  options.may_commit = [] {
    return rpc::Error(rpc::v1::ERROR_REASON_HANDLE_GONE, "released");
  };
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new")}, options),
              HasReason(rpc::v1::ERROR_REASON_HANDLE_GONE));
  EXPECT_EQ(Text("a.txt"), "old");
  EXPECT_EQ(Stages(), 0);
}

// Without a journal that is believed, a crash would leave half an edit.
TEST_F(EditTransactionTest, NothingIsChangedWhenTheJournalCannotBeNamed) {
  folder_.Write("a.txt", "old");
  CommitOptions options;
  options.on_step = [&](absl::string_view step) {
    if (step != "name the journal") return;
    for (const auto& entry :
         fs::directory_iterator(folder_.PathOf(".banyan/edits"))) {
      if (entry.is_directory()) std::ofstream(entry.path() / "journal") << "x";
    }
  };
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new")}, options),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
  EXPECT_EQ(Text("a.txt"), "old");
  EXPECT_EQ(Stages(), 0);
}

TEST_F(EditTransactionTest, AFolderOfOursThatIsALinkIsRefused) {
  folder_.Write("a.txt", "old");
  fs::create_directories(folder_.PathOf(".banyan"));
  fs::create_directories(folder_.PathOf("elsewhere"));
  fs::create_directory_symlink("../elsewhere", folder_.PathOf(".banyan/edits"));
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new")}),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
  EXPECT_EQ(Text("a.txt"), "old");
}

TEST_F(EditTransactionTest, WhatWasDisplacedGoesAfterAWhile) {
  folder_.Write("a.txt", "old");
  ASSERT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new")}), IsOk());
  DropOldEdits(*root_, absl::Now() + absl::Minutes(9));
  EXPECT_EQ(Stages(), 1);
  DropOldEdits(*root_, absl::Now() + absl::Minutes(11));
  EXPECT_EQ(Stages(), 0);
}

// The whole of a ten-file transaction, ended by SIGKILL at one step after the
// other.
class EditRecoveryTest : public EditTransactionTest {
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
