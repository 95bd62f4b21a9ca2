// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/git_repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "tests/support/git_repo.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;

class GitRepositoryTest : public ::testing::Test {
 protected:
  GitRepositoryTest() {
    folder_.Write("repo/a.cc", "x\n");
    Git(repo(), "init -q");
    Git(repo(), "add -A");
    Git(repo(), "commit -q -m first");
  }

  std::string repo() const { return folder_.PathOf("repo"); }

  std::optional<GitRepository> Find(const std::string& path) const {
    return GitRepository::Find(**RootDirectory::Open(path, {}), folder_.path());
  }

  std::string Commit() const {
    return std::string(
        absl::StripTrailingAsciiWhitespace(Git(repo(), "rev-parse HEAD")));
  }

  int Uncommitted(const std::string& path) const {
    return Find(path)->CountUncommitted(**RootDirectory::Open(path, {}),
                                        rpc::CallContext());
  }

  TempWorkspace folder_;
};

TEST_F(GitRepositoryTest, ReadsBranchAndCommit) {
  const auto found = Find(repo());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->top(), repo());
  EXPECT_EQ(found->ReadHead().branch, "main");
  EXPECT_EQ(found->ReadHead().commit, Commit());
  EXPECT_EQ(found->ReadHead().commit.size(), 40u);
}

TEST_F(GitRepositoryTest, ReadsPackedReferencesAndDetachedHeads) {
  Git(repo(), "pack-refs --all");
  EXPECT_EQ(Find(repo())->ReadHead().commit, Commit());
  Git(repo(), "checkout -q --detach");
  EXPECT_EQ(Find(repo())->ReadHead().branch, "");
  EXPECT_EQ(Find(repo())->ReadHead().commit, Commit());
  Git(repo(), "checkout -q -b topic/one");
  EXPECT_EQ(Find(repo())->ReadHead().branch, "topic/one");
}

TEST_F(GitRepositoryTest, FindsItFromAFolderInside) {
  fs::create_directories(folder_.PathOf("repo/src/deep"));
  EXPECT_EQ(Find(folder_.PathOf("repo/src/deep"))->top(), repo());
}

TEST_F(GitRepositoryTest, NeverLooksAboveTheHighestFolder) {
  fs::create_directories(folder_.PathOf("repo/src"));
  const auto root = *RootDirectory::Open(folder_.PathOf("repo/src"), {});
  EXPECT_FALSE(
      GitRepository::Find(*root, folder_.PathOf("repo/src")).has_value());
}

TEST_F(GitRepositoryTest, DoesNotBelieveAStrangersRepositoryAboveTheRoot) {
  fs::create_directories(folder_.PathOf("repo/src"));
  if (::lchown(folder_.PathOf("repo/.git").c_str(), 4711, 4711) != 0) {
    GTEST_SKIP() << "owners cannot be changed here";
  }
  EXPECT_FALSE(Find(folder_.PathOf("repo/src")).has_value());
  // The root's own is what it is.
  EXPECT_TRUE(Find(repo()).has_value());
}

TEST_F(GitRepositoryTest, FollowsTheFileOfAWorktree) {
  Git(repo(), "worktree add -q ../tree -b other");
  const auto found = Find(folder_.PathOf("tree"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->common_dir(), folder_.PathOf("repo/.git"));
  EXPECT_EQ(found->ReadHead().branch, "other");
  EXPECT_EQ(found->ReadHead().commit, Commit());
}

TEST_F(GitRepositoryTest, FollowsTheFileOfASubmodule) {
  fs::create_directory(folder_.PathOf("super"));
  Git(folder_.PathOf("super"), "init -q");
  Git(folder_.PathOf("super"),
      "-c protocol.file.allow=always submodule --quiet add ../repo sub");
  const auto found = Find(folder_.PathOf("super/sub"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->ReadHead().commit, Commit());
}

TEST_F(GitRepositoryTest, DoesNotBelieveAGitFileThatNothingPointsBackTo) {
  folder_.Write("thief/.git",
                absl::StrCat("gitdir: ", folder_.PathOf("repo/.git"), "\n"));
  EXPECT_FALSE(Find(folder_.PathOf("thief")).has_value());
  Git(repo(), "worktree add -q ../tree -b other");
  folder_.Write("thief/.git",
                absl::StrCat("gitdir: ",
                             folder_.PathOf("repo/.git/worktrees/tree"), "\n"));
  EXPECT_FALSE(Find(folder_.PathOf("thief")).has_value());
}

TEST_F(GitRepositoryTest, DoesNotFollowALinkToAnotherRepository) {
  fs::create_directory(folder_.PathOf("thief"));
  fs::create_symlink(folder_.PathOf("repo/.git"), folder_.PathOf("thief/.git"));
  EXPECT_FALSE(Find(folder_.PathOf("thief")).has_value());
}

TEST_F(GitRepositoryTest, AHeadThatLeadsOutIsNone) {
  folder_.Write("repo/.git/HEAD", "ref: refs/../../../secret\n");
  EXPECT_EQ(Find(repo())->ReadHead().branch, "");
  EXPECT_EQ(Find(repo())->ReadHead().commit, "");
  folder_.Write("repo/.git/HEAD", "something else\n");
  EXPECT_EQ(Find(repo())->ReadHead().commit, "");
}

TEST_F(GitRepositoryTest, DoesNotWaitForAPipe) {
  fs::remove(folder_.PathOf("repo/.git/HEAD"));
  ASSERT_EQ(::mkfifo(folder_.PathOf("repo/.git/HEAD").c_str(), 0600), 0);
  EXPECT_FALSE(Find(repo()).has_value());
}

TEST_F(GitRepositoryTest, CountsWhatIsNotCommitted) {
  EXPECT_EQ(Uncommitted(repo()), 0);
  folder_.Write("repo/a.cc", "changed\n");
  folder_.Write("repo/new/one.cc", "x\n");
  folder_.Write("repo/new/two.cc", "x\n");
  EXPECT_EQ(Uncommitted(repo()), 3);
  EXPECT_EQ(Uncommitted(folder_.PathOf("repo/new")), 2);
}

TEST_F(GitRepositoryTest, GivesUpAtTheDeadline) {
  rpc::CallContext call;
  call.deadline = absl::Now() - absl::Seconds(1);
  const auto root = *RootDirectory::Open(repo(), {});
  EXPECT_EQ(Find(repo())->CountUncommitted(*root, call), -1);
}

// Each of these runs a program when git is called as people call it.
TEST_F(GitRepositoryTest, RunsNothingThatTheRepositoryConfigures) {
  const std::string trap = folder_.PathOf("trapped");
  folder_.Write("trap.sh", absl::StrCat("#!/bin/sh\ntouch ", trap, "\ncat\n"));
  fs::permissions(folder_.PathOf("trap.sh"), fs::perms::all);
  const std::string script = folder_.PathOf("trap.sh");
  for (const char* const key :
       {"core.fsmonitor", "filter.evil.clean", "filter.a=b.clean",
        "filter.evil.process", "core.pager", "diff.external",
        "core.sshCommand"}) {
    Git(repo(), absl::StrCat("config '", key, "' ", script));
  }
  Git(repo(), "config filter.evil.required true");
  Git(repo(), absl::StrCat("config core.hooksPath ", folder_.path()));
  folder_.Write("repo/.gitattributes", "*.cc filter=evil diff=evil\n");
  folder_.Write("repo/a.cc", "y\n");  // As long as before: content decides.
  fs::remove(trap);

  EXPECT_EQ(Uncommitted(repo()), 2);
  EXPECT_FALSE(fs::exists(trap));
  Git(repo(), "status");
  EXPECT_TRUE(fs::exists(trap)) << "the trap itself does not work";
}

}  // namespace
}  // namespace banyan::lspd
