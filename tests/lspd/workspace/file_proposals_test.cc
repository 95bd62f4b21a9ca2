// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/file_proposals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lspd/workspace/workspace.h"
#include "tests/support/git_repo.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Sorted(std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

class FileProposalsTest : public ::testing::Test {
 protected:
  // A root anywhere in the folder, the repository wherever git finds it.
  std::vector<std::string> Files(const std::string& root_path) {
    const auto root = *RootDirectory::Open(root_path, {});
    FileProposals proposals(*root, GitRepository::Find(*root, folder_.path()),
                            {});
    const auto files = proposals.Files({}, rpc::CallContext());
    EXPECT_THAT(files, IsOk());
    return files.ok() ? files->files : std::vector<std::string>();
  }

  // All files but those of which git says, one by one, that it ignores them;
  // it never says so of a tracked one.
  static std::vector<std::string> GitFiles(const std::string& folder) {
    const std::string find =
        "find . -type f -not -path '*/.git/*' -printf '%P\\0'";
    const std::vector<std::string> ignored = Sorted(SplitNul(
        Shell(folder, absl::StrCat(find,
                                   " | git -c core.excludesFile=/dev/null "
                                   "check-ignore -z --stdin"))));
    std::vector<std::string> files;
    for (const std::string& file : Sorted(SplitNul(Shell(folder, find)))) {
      if (!std::binary_search(ignored.begin(), ignored.end(), file)) {
        files.push_back(file);
      }
    }
    return files;
  }

  TempWorkspace folder_;
};

TEST_F(FileProposalsTest, TracksWhatARuleIgnores) {
  const std::string& path = folder_.path();
  Git(path, "init -q");
  folder_.Write(".gitignore", "*.log\nbuild/\n");
  folder_.Write("kept.log", "x");
  folder_.Write("build/kept.cc", "x");
  folder_.Write("build/new.cc", "x");
  folder_.Write("new.log", "x");
  Git(path, "add -f kept.log build/kept.cc");
  EXPECT_THAT(Files(path),
              ElementsAre(".gitignore", "build/kept.cc", "kept.log"));
  EXPECT_EQ(Files(path), GitFiles(path));
}

TEST_F(FileProposalsTest, FollowsParentRulesUpToTheRepositorysTop) {
  folder_.Write("repo/.gitignore", "*.tmp\n/sub/only_here\n");
  folder_.Write(".gitignore", "*.cc\n");  // Above the top: none of git's.
  folder_.Write("repo/sub/a.cc", "x");
  folder_.Write("repo/sub/a.tmp", "x");
  folder_.Write("repo/sub/only_here", "x");
  Git(folder_.PathOf("repo"), "init -q");
  EXPECT_THAT(Files(folder_.PathOf("repo/sub")), ElementsAre("a.cc"));
  EXPECT_EQ(Files(folder_.PathOf("repo/sub")),
            GitFiles(folder_.PathOf("repo/sub")));
}

TEST_F(FileProposalsTest, KnowsNoRulesButGits) {
  Git(folder_.path(), "init -q");
  folder_.Write(".ignore", "a.cc\n");
  folder_.Write(".rgignore", "a.cc\n");
  folder_.Write("a.cc", "x");
  folder_.Write(".git/info/exclude", "b.cc\n");
  folder_.Write("b.cc", "x");
  EXPECT_THAT(Files(folder_.path()),
              ElementsAre(".ignore", ".rgignore", "a.cc"));
}

TEST_F(FileProposalsTest, IgnoresTheRulesOfWhoeverRunsIt) {
  // Both the default place and one that the configuration names.
  folder_.Write("home/.config/git/ignore", "a.cc\n");
  folder_.Write("home/global", "a.cc\n");
  folder_.Write("home/.gitconfig",
                absl::StrCat("[core]\nexcludesFile = ",
                             folder_.PathOf("home/global"), "\n"));
  folder_.Write("home/ripgreprc", "--glob=!a.cc\n");
  folder_.Write("repo/a.cc", "x");
  Git(folder_.PathOf("repo"), "init -q");
  ::setenv("HOME", folder_.PathOf("home").c_str(), 1);
  ::setenv("RIPGREP_CONFIG_PATH", folder_.PathOf("home/ripgreprc").c_str(), 1);
  EXPECT_THAT(Files(folder_.PathOf("repo")), ElementsAre("a.cc"));
  ::unsetenv("RIPGREP_CONFIG_PATH");
}

TEST_F(FileProposalsTest, KnowsTheExcludesOfAWorktree) {
  const std::string repo = folder_.PathOf("repo");
  folder_.Write("repo/a.cc", "x");
  Git(repo, "init -q");
  Git(repo, "add -A");
  Git(repo, "commit -q -m x");
  Git(repo, "worktree add -q ../tree");
  folder_.Write("repo/.git/info/exclude", "local.cc\n");
  folder_.Write("tree/local.cc", "x");
  folder_.Write("tree/new.cc", "x");
  EXPECT_THAT(Files(folder_.PathOf("tree")), ElementsAre("a.cc", "new.cc"));
}

TEST_F(FileProposalsTest, WithoutARepositoryOnlyTheRootsOwnRulesCount) {
  folder_.Write(".gitignore", "*.cc\n");
  folder_.Write("root/.gitignore", "*.tmp\n");
  folder_.Write("root/a.cc", "x");
  folder_.Write("root/a.tmp", "x");
  EXPECT_THAT(Files(folder_.PathOf("root")), ElementsAre(".gitignore", "a.cc"));
}

TEST_F(FileProposalsTest, SaysWhichPathsAreIgnored) {
  Git(folder_.path(), "init -q");
  folder_.Write(".gitignore", "*.log\nbuild/\n");
  folder_.Write("build/a", "x");
  const auto root = *RootDirectory::Open(folder_.path(), {});
  const FileProposals proposals(*root,
                                GitRepository::Find(*root, folder_.path()), {});
  EXPECT_THAT(
      proposals.Ignored({"a.log", "a.cc", "build", "build/a", ":(top)x.log"},
                        rpc::CallContext()),
      ElementsAre("a.log", "build", "build/a", ":(top)x.log"));
}

// Random rules over a random tree, some of it tracked: what we list and where
// we find a word is what git lists and finds.
class IgnoreRulesTest : public FileProposalsTest,
                        public ::testing::WithParamInterface<int> {
 protected:
  std::string Pick(const std::vector<std::string>& from) {
    return from[random_() % from.size()];
  }

  std::string RandomRules() {
    std::string rules = "# a comment\n\n";
    const size_t count = 1 + random_() % 4;
    for (size_t i = 0; i < count; ++i) rules += Pick(kRules) + "\n";
    return rules;
  }

  void MakeTree() {
    Git(folder_.path(), "init -q");
    for (const std::string& folder : kFolders) {
      std::filesystem::create_directories(folder_.PathOf(folder));
    }
    for (const std::string& folder : kFolders) {
      for (const std::string& name : kNames) {
        const std::string path = folder_.PathOf(folder + name);
        if (random_() % 3 == 0 || std::filesystem::exists(path)) continue;
        folder_.Write(absl::StrCat(folder, name),
                      random_() % 2 == 0 ? "needle\n" : "hay\n");
      }
    }
    for (const std::string& folder : kFolders) {
      if (random_() % 3 == 0) {
        folder_.Write(absl::StrCat(folder, ".gitignore"), RandomRules());
      }
    }
    folder_.Write(".git/info/exclude", RandomRules());
    for (const std::string& file :
         SplitNul(Git(folder_.path(), "ls-files -z --others"))) {
      if (random_() % 4 == 0) {
        Git(folder_.path(), absl::StrCat("add -f -- '", file, "'"));
      }
    }
  }

  const std::vector<std::string> kFolders = {
      "",           "src/", "src/core/",  "src/core/deep/", "build/",
      "build/out/", "lib/", "lib/build/", "docs/",          "node_modules/pkg/",
      ".hidden/"};
  const std::vector<std::string> kNames = {
      "a.cc",           "b.h",   "c.log", "d.tmp", "Makefile", ".env",
      "with space.txt", "#hash", "!bang", "build", "x.o"};
  const std::vector<std::string> kRules = {
      "*.log",           "build/",       "/build",    "build",
      "!keep.log",       "*.tmp",        "src/*.cc",  "/src/core/",
      "**/deep",         "deep/**",      "*.[oh]",    "!*.h",
      "docs/*",          "!docs/a.cc",   "\\#hash",   "\\!bang",
      "with space.txt",  "node_modules", ".*",        "!.gitignore",
      "/lib/**/x.o",     "?.cc",         "core/",     "a.*",
      "!/src/core/a.cc", "lib/build",    "Makefile ", "/*.h"};
  std::mt19937 random_{static_cast<unsigned>(GetParam())};
};

TEST_P(IgnoreRulesTest, ListsWhatGitLists) {
  MakeTree();
  EXPECT_EQ(Files(folder_.path()), GitFiles(folder_.path()));
  for (const char* const folder : {"src", "lib"}) {
    EXPECT_EQ(Files(folder_.PathOf(folder)), GitFiles(folder_.PathOf(folder)))
        << folder;
  }
}

TEST_P(IgnoreRulesTest, FindsWhereGitFinds) {
  MakeTree();
  const Workspace workspace(*RootDirectory::Open(folder_.path(), {}),
                            folder_.path(), 1, Workspace::Options());
  WordQuery query;
  query.word = "needle";
  const auto found =
      workspace.text().FilesContaining(query, rpc::CallContext());
  ASSERT_THAT(found, IsOk());
  // With --untracked git forgets that ignored files may be tracked.
  EXPECT_EQ(found->files,
            Sorted(SplitNul(Git(folder_.path(),
                                "grep -z -l -w needle; git grep -z -l -w "
                                "--untracked --exclude-standard needle"))));
}

INSTANTIATE_TEST_SUITE_P(Seeds, IgnoreRulesTest, ::testing::Range(1, 13));

}  // namespace
}  // namespace banyan::lspd
