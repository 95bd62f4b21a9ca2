// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/file_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lspd/workspace/workspace.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/git_repo.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FileListTest : public ::testing::Test {
 protected:
  FileListTest() {
    Git(folder_.path(), "init -q");
    folder_.Write(".gitignore", "build/\n*.log\n");
    folder_.Write("src/a.cc", "");
    folder_.Write("src/deep/b.cc", "");
    folder_.Write("build/a.o", "");
    folder_.Write("run.log", "");
    fs::create_directory(folder_.PathOf("empty"));
  }

  const FileList& files(FileList::Options options = {}) {
    Workspace::Options all;
    all.files = options;
    workspace_ = std::make_unique<Workspace>(
        *RootDirectory::Open(folder_.path(), {}), folder_.path(), 1, all);
    return workspace_->files();
  }

  Listing List(const std::string& path, bool is_recursive, bool skip_ignored) {
    auto listing =
        files().ListDirectory(path, is_recursive, skip_ignored, call_);
    EXPECT_THAT(listing, IsOk());
    return listing.ok() ? *std::move(listing) : Listing();
  }

  std::vector<std::string> Find(const std::string& mask,
                                const std::string& path = "") {
    auto listing = files().FindFiles(mask, path, call_);
    EXPECT_THAT(listing, IsOk());
    return listing.ok() ? listing->files : std::vector<std::string>();
  }

  TempWorkspace folder_;
  std::unique_ptr<Workspace> workspace_;
  rpc::CallContext call_;
};

TEST_F(FileListTest, ListsOneFolder) {
  const Listing root = List("", false, false);
  EXPECT_THAT(root.directories, ElementsAre("build", "empty", "src"));
  EXPECT_THAT(root.files, ElementsAre(".gitignore", "run.log"));
  const Listing src = List("src", false, false);
  EXPECT_THAT(src.directories, ElementsAre("src/deep"));
  EXPECT_THAT(src.files, ElementsAre("src/a.cc"));
}

TEST_F(FileListTest, ListsAWholeTree) {
  const Listing tree = List("", true, false);
  EXPECT_THAT(tree.directories,
              ElementsAre("build", "empty", "src", "src/deep"));
  EXPECT_THAT(tree.files, ElementsAre(".gitignore", "build/a.o", "run.log",
                                      "src/a.cc", "src/deep/b.cc"));
}

TEST_F(FileListTest, LeavesOutWhatGitIgnores) {
  const Listing root = List("", false, true);
  EXPECT_THAT(root.directories, ElementsAre("src"));
  EXPECT_THAT(root.files, ElementsAre(".gitignore"));
  const Listing tree = List("src", true, true);
  EXPECT_THAT(tree.directories, ElementsAre("src/deep"));
  EXPECT_THAT(tree.files, ElementsAre("src/a.cc", "src/deep/b.cc"));
}

TEST_F(FileListTest, ShowsLinksAndDoesNotGoIntoThem) {
  fs::create_symlink("src", folder_.PathOf("link"));
  fs::create_symlink("/etc", folder_.PathOf("out"));
  fs::create_symlink(".", folder_.PathOf("src/loop"));
  fs::create_symlink("a.cc", folder_.PathOf("src/again.cc"));
  const Listing tree = List("", true, false);
  EXPECT_THAT(tree.directories, ElementsAre("build", "empty", "link", "src",
                                            "src/deep", "src/loop"));
  EXPECT_THAT(tree.files,
              ElementsAre(".gitignore", "build/a.o", "out", "run.log",
                          "src/a.cc", "src/again.cc", "src/deep/b.cc"));
  EXPECT_THAT(Find("again.cc"), ElementsAre("src/again.cc"));
}

TEST_F(FileListTest, CountsNamesThatAreNotUtf8) {
  folder_.Write("src/bad\xff", "");
  const Listing src = List("src", false, false);
  EXPECT_THAT(src.files, ElementsAre("src/a.cc"));
  ASSERT_THAT(src.incomplete, SizeIs(1));
  EXPECT_EQ(src.incomplete[0].reason(),
            lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED);
  EXPECT_EQ(src.incomplete[0].count(), 1);
}

TEST_F(FileListTest, SaysWhenItLeftSomeOut) {
  const auto listing =
      files({.max_entries = 2}).ListDirectory("", true, false, call_);
  ASSERT_THAT(listing, IsOk());
  EXPECT_THAT(listing->files, SizeIs(2));
  ASSERT_FALSE(listing->incomplete.empty());
  EXPECT_EQ(listing->incomplete[0].reason(),
            lsp::v1::INCOMPLETE_REASON_RESULT_CAP);
}

TEST_F(FileListTest, RefusesWhatIsNoFolder) {
  for (const bool skip_ignored : {false, true}) {
    EXPECT_THAT(files().ListDirectory("src/a.cc", false, skip_ignored, call_),
                HasReason(rpc::v1::ERROR_REASON_NOT_A_DIRECTORY));
    EXPECT_THAT(files().ListDirectory("none", false, skip_ignored, call_),
                HasReason(rpc::v1::ERROR_REASON_FILE_NOT_FOUND));
  }
}

TEST_F(FileListTest, FindsByNameOrByPath) {
  EXPECT_THAT(Find("*.cc"), ElementsAre("src/a.cc", "src/deep/b.cc"));
  EXPECT_THAT(Find("?.c[!x]"), ElementsAre("src/a.cc", "src/deep/b.cc"));
  EXPECT_THAT(Find("src/*.cc"), ElementsAre("src/a.cc"));
  EXPECT_THAT(Find("src/**/*.cc"), ElementsAre("src/a.cc", "src/deep/b.cc"));
  EXPECT_THAT(Find("deep/*", "src"), ElementsAre("src/deep/b.cc"));
  EXPECT_THAT(Find("*.cc", "src/deep"), ElementsAre("src/deep/b.cc"));
  EXPECT_THAT(Find("A.CC"), IsEmpty());
}

TEST_F(FileListTest, SaysThatOnlyIgnoredFilesFit) {
  const auto found = files().FindFiles("*.o", "", call_);
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->files, IsEmpty());
  ASSERT_THAT(found->incomplete, SizeIs(1));
  EXPECT_EQ(found->incomplete[0].count(), 1);
}

TEST_F(FileListTest, RefusesAGlobThatIsNone) {
  for (const char* mask : {"{a", ""}) {
    EXPECT_THAT(files().FindFiles(mask, "", call_),
                HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID));
  }
}

TEST_F(FileListTest, AListOfIgnoredFilesThatFailsIsNotZeroFiles) {
  TempWorkspace tools;
  tools.Write("rg", "#!/bin/sh\nkill -9 $$\n");
  fs::permissions(tools.PathOf("rg"), fs::perms::owner_all);
  Workspace::Options options;
  options.proposals.ripgrep = tools.PathOf("rg");
  const Workspace workspace(*RootDirectory::Open(folder_.path(), {}),
                            folder_.path(), 1, options);
  // git lists what it knows; the rest is ripgrep's.
  ASSERT_OK_AND_ASSIGN(const Listing found,
                       workspace.files().FindFiles("*.none", "", call_));
  ASSERT_THAT(found.incomplete, SizeIs(1));
  EXPECT_EQ(found.incomplete[0].reason(),
            lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED);
}

TEST_F(FileListTest, StopsWhenNobodyWaits) {
  call_.is_cancelled = [] { return true; };
  EXPECT_THAT(files().ListDirectory("", true, false, call_),
              HasReason(rpc::v1::ERROR_REASON_CANCELLED));
}

}  // namespace
}  // namespace banyan::lspd
