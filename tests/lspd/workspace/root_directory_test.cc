// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/root_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RootDirectoryTest : public ::testing::Test {
 protected:
  std::shared_ptr<RootDirectory> Open(int64_t max_file_bytes = 10 << 20) {
    return *RootDirectory::Open(folder_.path(),
                                {.max_file_bytes = max_file_bytes});
  }

  TempWorkspace folder_;
};

TEST_F(RootDirectoryTest, TakesItsPathFromTheKernel) {
  fs::create_directories(folder_.PathOf("real/project"));
  fs::create_symlink("real", folder_.PathOf("alias"));
  ASSERT_OK_AND_ASSIGN(
      const auto root,
      RootDirectory::Open(folder_.PathOf("alias/./project/../project"), {}));
  EXPECT_EQ(root->path(), folder_.PathOf("real/project"));
}

TEST_F(RootDirectoryTest, OpensOnlyFoldersByAbsolutePath) {
  folder_.Write("file", "x");
  EXPECT_THAT(RootDirectory::Open(folder_.PathOf("file"), {}),
              HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN));
  EXPECT_THAT(RootDirectory::Open(folder_.PathOf("none"), {}),
              HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN));
  EXPECT_THAT(RootDirectory::Open("relative", {}),
              HasReason(rpc::v1::ERROR_REASON_PATH_MALFORMED));
  EXPECT_THAT(RootDirectory::Open("", {}),
              HasReason(rpc::v1::ERROR_REASON_PATH_MALFORMED));
}

TEST_F(RootDirectoryTest, TellsARecreatedFolderFromTheOldOne) {
  fs::create_directory(folder_.PathOf("p"));
  RootIdentity first;
  {
    const auto root = *RootDirectory::Open(folder_.PathOf("p"), {});
    first = root->identity();
    EXPECT_TRUE(root->IsStillThere());
  }
  // Closed before, so that the inode number may come back.
  fs::remove(folder_.PathOf("p"));
  fs::create_directory(folder_.PathOf("p"));
  const auto second = *RootDirectory::Open(folder_.PathOf("p"), {});
  EXPECT_FALSE(first.IsSameAs(second->identity()));
  EXPECT_TRUE(second->identity().IsSameAs(second->identity()));
}

TEST_F(RootDirectoryTest, NoticesThatItsPathLeadsElsewhere) {
  fs::create_directory(folder_.PathOf("p"));
  const auto root = *RootDirectory::Open(folder_.PathOf("p"), {});
  fs::rename(folder_.PathOf("p"), folder_.PathOf("q"));
  EXPECT_FALSE(root->IsStillThere());
  fs::create_directory(folder_.PathOf("p"));
  EXPECT_FALSE(root->IsStillThere());
}

TEST_F(RootDirectoryTest, ComparesDeviceNumbersOnlyWithoutABirthTime) {
  const RootIdentity born = {.device = 1, .inode = 2, .birth_ns = 3};
  EXPECT_TRUE(born.IsSameAs({.device = 9, .inode = 2, .birth_ns = 3}));
  EXPECT_FALSE(born.IsSameAs({.device = 1, .inode = 2, .birth_ns = 4}));
  EXPECT_FALSE(born.IsSameAs({.device = 1, .inode = 3, .birth_ns = 3}));
  const RootIdentity ageless = {.device = 1, .inode = 2, .birth_ns = 0};
  EXPECT_FALSE(ageless.IsSameAs({.device = 9, .inode = 2, .birth_ns = 0}));
}

TEST_F(RootDirectoryTest, ReadsBytesWithTheirHash) {
  folder_.Write("src/a.txt", "abc");
  const auto root = Open();
  ASSERT_OK_AND_ASSIGN(const FileContent content, root->ReadFile("src/a.txt"));
  EXPECT_EQ(content.bytes, "abc");
  EXPECT_EQ(content.hash,
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20"
            "015ad");
  EXPECT_EQ(content.real_path, "src/a.txt");
  EXPECT_EQ(content.state.size, 3);
  EXPECT_EQ(content.state, *root->Stat("src/a.txt"));
  EXPECT_EQ(root->ReadBytes("src/a.txt")->hash, "");
}

TEST_F(RootDirectoryTest, FollowsLinksThatStayInside) {
  folder_.Write("src/a.txt", "abc");
  fs::create_symlink("src", folder_.PathOf("link"));
  fs::create_symlink("../src/a.txt", folder_.PathOf("src/again"));
  const auto root = Open();
  EXPECT_EQ(root->ReadFile("link/a.txt")->real_path, "src/a.txt");
  EXPECT_EQ(root->ReadFile("link/again")->bytes, "abc");
  EXPECT_EQ(*root->RealPath("link/../src/./again"), "src/a.txt");
  EXPECT_EQ(*root->RealPath(""), "");
}

TEST_F(RootDirectoryTest, SaysWhatIsNoFile) {
  fs::create_directory(folder_.PathOf("src"));
  folder_.Write("a", "x");
  const auto root = Open();
  EXPECT_THAT(root->ReadFile("src"),
              HasReason(rpc::v1::ERROR_REASON_NOT_A_FILE));
  EXPECT_THAT(root->ReadFile(""), HasReason(rpc::v1::ERROR_REASON_NOT_A_FILE));
  EXPECT_THAT(root->ReadFile("none"),
              HasReason(rpc::v1::ERROR_REASON_FILE_NOT_FOUND));
  EXPECT_THAT(root->ReadFile("a/b"),
              HasReason(rpc::v1::ERROR_REASON_FILE_NOT_FOUND));
  EXPECT_THAT(root->ListDirectory("a"),
              HasReason(rpc::v1::ERROR_REASON_NOT_A_DIRECTORY));
}

TEST_F(RootDirectoryTest, ReadsUpToItsLimit) {
  folder_.Write("just", "0123456789");
  folder_.Write("over", "0123456789a");
  const auto root = Open(10);
  EXPECT_EQ(root->ReadFile("just")->bytes.size(), 10u);
  EXPECT_THAT(root->ReadFile("over"),
              HasReason(rpc::v1::ERROR_REASON_FILE_TOO_LARGE));
}

TEST_F(RootDirectoryTest, ListsWithoutGit) {
  folder_.Write("b.cc", "");
  folder_.Write("a/x", "");
  folder_.Write(".git/config", "");
  folder_.Write(".hidden", "");
  fs::create_symlink("b.cc", folder_.PathOf("file_link"));
  fs::create_symlink("a", folder_.PathOf("folder_link"));
  fs::create_symlink("/etc", folder_.PathOf("out"));
  fs::create_symlink(".git", folder_.PathOf("way_in"));
  ASSERT_OK_AND_ASSIGN(const std::vector<DirectoryEntry> entries,
                       Open()->ListDirectory(""));
  std::vector<std::string> shown;
  for (const DirectoryEntry& entry : entries) {
    shown.push_back(entry.name + (entry.kind == FileKind::kDirectory ? "/"
                                  : entry.kind == FileKind::kLink    ? "@"
                                                                     : ""));
  }
  EXPECT_THAT(shown, ElementsAre(".hidden", "a/", "b.cc", "file_link",
                                 "folder_link/", "out@"));
}

TEST_F(RootDirectoryTest, LocksItsFolderForLife) {
  auto first = Open();
  ASSERT_THAT(first->Lock(), IsOk());
  const auto second = Open();
  const absl::Status refused = second->Lock();
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_ROOT_BUSY));
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("pid " + std::to_string(::getpid())));
  first.reset();
  EXPECT_THAT(second->Lock(), IsOk());
  second->Unlock();
  EXPECT_THAT(Open()->Lock(), IsOk());
}

}  // namespace
}  // namespace banyan::lspd
