// SPDX-License-Identifier: Apache-2.0
//
// Ways out of a root that others have left open, tried on every operation that
// takes a path. Inside and outside hold files with telling contents.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/workspace/workspace.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;
using rpc::v1::ERROR_REASON_FILE_NOT_FOUND;
using rpc::v1::ERROR_REASON_NOT_A_FILE;
using rpc::v1::ERROR_REASON_PATH_FORBIDDEN;
using rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT;

constexpr char kSecret[] = "outside-secret-4711";
constexpr char kSecretName[] = "outside_only_name.txt";

class RootEscapeTest : public ::testing::Test {
 protected:
  RootEscapeTest() {
    for (const char* const folder : {"outside", "root-evil", "outside/.git"}) {
      parent_.Write(absl::StrCat(folder, "/", kSecretName),
                    absl::StrCat(kSecret, "\n"));
    }
    parent_.Write("root/src/a.cc", "int inside;\n");
    parent_.Write("root/src/deep/b.cc", "int inside;\n");
    parent_.Write("root/.git/config", absl::StrCat(kSecret, "\n"));
    parent_.Write("root/.git/HEAD", "ref: refs/heads/main\n");
    Link(parent_.PathOf("outside"), "link_absolute");
    Link("../outside", "link_relative");
    Link("link_relative", "link_chain");
    Link(absl::StrCat("../outside/", kSecretName), "link_file");
    Link("../../../outside", "src/deep/link_up");
    Link("src/deep", "link_inside");
    Link(".git", "link_git");
    Link("/proc/self/root", "link_proc_root");
    Link("/proc/self/cwd", "link_proc_cwd");
    Link("link_loop", "link_loop");
    workspace_ = NewWorkspace();
  }

  std::string RootPath() const { return parent_.PathOf("root"); }

  void Link(const std::string& target, const std::string& name) const {
    fs::create_symlink(target, fs::path(RootPath()) / name);
  }

  std::unique_ptr<Workspace> NewWorkspace() const {
    return std::make_unique<Workspace>(*RootDirectory::Open(RootPath(), {}),
                                       RootPath(), 1, Workspace::Options());
  }

  // All that any operation tells about a path.
  std::string EverythingAbout(const std::string& path) const {
    std::string told;
    const RootDirectory& root = workspace_->root();
    const absl::StatusOr<FileContent> content = root.ReadFile(path);
    if (content.ok()) told += content->bytes + content->real_path;
    if (const auto entries = root.ListDirectory(path); entries.ok()) {
      for (const DirectoryEntry& entry : *entries) told += entry.name + "\n";
    }
    if (const auto real = root.RealPath(path); real.ok()) told += *real;
    for (const bool is_recursive : {false, true}) {
      Append(workspace_->files().ListDirectory(path, is_recursive, is_recursive,
                                               call_),
             &told);
    }
    Append(workspace_->files().FindFiles("*", path, call_), &told);
    TextQuery query;
    query.pattern = "inside|secret";
    query.relative_path = path;
    query.include_ignored_files = true;
    if (const auto hits = workspace_->text().Search(query, call_); hits.ok()) {
      for (const TextHits& file : hits->files) {
        told += file.relative_path;
        for (const TextBlock& block : file.blocks) {
          for (const TextLine& line : block.lines) told += line.text;
        }
      }
    }
    WordQuery word;
    word.word = kSecret;
    word.relative_path = path;
    if (const auto files = workspace_->text().FilesContaining(word, call_);
        files.ok()) {
      for (const std::string& file : files->files) told += file;
    }
    return told;
  }

  static void Append(const absl::StatusOr<Listing>& listing,
                     std::string* told) {
    if (!listing.ok()) return;
    for (const std::string& file : listing->files) *told += file + "\n";
    for (const std::string& folder : listing->directories) {
      *told += folder + "\n";
    }
  }

  void ExpectNothingTold(const std::string& path) const {
    const std::string told = EverythingAbout(path);
    EXPECT_FALSE(absl::StrContains(told, kSecret)) << path << "\n" << told;
    EXPECT_FALSE(absl::StrContains(told, kSecretName)) << path << "\n" << told;
  }

  // On ReadFile, and that no other operation tells more.
  void ExpectRefused(const std::string& path, rpc::ErrorReason reason) const {
    EXPECT_THAT(workspace_->root().ReadFile(path), HasReason(reason)) << path;
    ExpectNothingTold(path);
  }

  TempWorkspace parent_;
  std::unique_ptr<Workspace> workspace_;
  rpc::CallContext call_;
};

TEST_F(RootEscapeTest, SiblingWithTheRootsNameAsPrefixCve202553110) {
  ExpectRefused(absl::StrCat("../root-evil/", kSecretName),
                ERROR_REASON_PATH_OUTSIDE_ROOT);
  ExpectRefused(absl::StrCat(RootPath(), "-evil/", kSecretName),
                ERROR_REASON_PATH_OUTSIDE_ROOT);
}

TEST_F(RootEscapeTest, LinkToAFileOutsideCve202553109) {
  ExpectRefused("link_file", ERROR_REASON_PATH_OUTSIDE_ROOT);
}

TEST_F(RootEscapeTest, LinkToAFolderOutsideCve202553109) {
  for (const char* const link :
       {"link_absolute", "link_relative", "src/deep/link_up"}) {
    ExpectRefused(link, ERROR_REASON_PATH_OUTSIDE_ROOT);
    ExpectRefused(absl::StrCat(link, "/", kSecretName),
                  ERROR_REASON_PATH_OUTSIDE_ROOT);
  }
}

TEST_F(RootEscapeTest, ChainOfLinks) {
  ExpectRefused(absl::StrCat("link_chain/", kSecretName),
                ERROR_REASON_PATH_OUTSIDE_ROOT);
}

TEST_F(RootEscapeTest, ClimbingBehindALinkCyanheads21) {
  // By its text this is "outside/…" beneath the root.
  ExpectRefused(absl::StrCat("link_inside/../../../outside/", kSecretName),
                ERROR_REASON_PATH_OUTSIDE_ROOT);
  ExpectRefused(absl::StrCat("src/deep/../../link_relative/", kSecretName),
                ERROR_REASON_PATH_OUTSIDE_ROOT);
}

TEST_F(RootEscapeTest, AbsolutePathThatClimbsOutOfTheRootCodeMcp4) {
  ExpectRefused(absl::StrCat(RootPath(), "/../outside/", kSecretName),
                ERROR_REASON_PATH_OUTSIDE_ROOT);
  ExpectRefused(parent_.PathOf(absl::StrCat("outside/", kSecretName)),
                ERROR_REASON_PATH_OUTSIDE_ROOT);
  ExpectRefused("/etc/passwd", ERROR_REASON_PATH_OUTSIDE_ROOT);
}

TEST_F(RootEscapeTest, MissingFileBehindALinkDesktopCommander403And420) {
  // The same answer whether or not it is there: nothing can be probed.
  ExpectRefused("link_relative/missing", ERROR_REASON_PATH_OUTSIDE_ROOT);
  ExpectRefused("link_absolute/missing/deeper", ERROR_REASON_PATH_OUTSIDE_ROOT);
  ExpectRefused("../outside/missing", ERROR_REASON_PATH_OUTSIDE_ROOT);
}

TEST_F(RootEscapeTest, ArgumentsThatLookLikeOptionsCve202568143To68145) {
  for (const char* const hostile :
       {"--pre=cat", "-f../outside/outside_only_name.txt", "--files", "-L",
        "--follow", "--no-ignore", "-uuu", "--ignore-file=/etc/passwd", "--",
        "--search-zip", "--hostname-bin=/bin/sh", "-e.", "--type-add=x:*"}) {
    ExpectRefused(hostile, ERROR_REASON_FILE_NOT_FOUND);
    TextQuery query;
    query.pattern = hostile;
    ASSERT_OK_AND_ASSIGN(const TextResult hits,
                         workspace_->text().Search(query, call_));
    EXPECT_TRUE(hits.files.empty()) << hostile;
    WordQuery word;
    word.word = hostile;
    ASSERT_OK_AND_ASSIGN(const WordResult words,
                         workspace_->text().FilesContaining(word, call_));
    EXPECT_TRUE(words.files.empty()) << hostile;
    query.pattern = "inside";
    query.include_globs = {hostile};
    const absl::StatusOr<TextResult> globbed =
        workspace_->text().Search(query, call_);
    EXPECT_TRUE(!globbed.ok() || globbed->files.empty()) << hostile;
    const absl::StatusOr<Listing> found =
        workspace_->files().FindFiles(hostile, "", call_);
    EXPECT_TRUE(!found.ok() || found->files.empty()) << hostile;
  }
}

TEST_F(RootEscapeTest, GlobsThatLeadOutGhsaPw7v9v7h6j22) {
  for (const char* const glob :
       {"../**", "../outside/*", "/**", "link_relative/*", "**/../*",
        "link_*/**", "{..,src}/*", "**"}) {
    const absl::StatusOr<Listing> found =
        workspace_->files().FindFiles(glob, "", call_);
    ASSERT_THAT(found, IsOk()) << glob;
    for (const std::string& file : found->files) {
      EXPECT_FALSE(absl::StrContains(file, kSecretName)) << glob << " " << file;
    }
    TextQuery query;
    query.pattern = "secret";
    query.include_globs = {glob};
    query.include_ignored_files = true;
    ASSERT_OK_AND_ASSIGN(const TextResult hits,
                         workspace_->text().Search(query, call_));
    EXPECT_TRUE(hits.files.empty()) << glob;
  }
}

TEST_F(RootEscapeTest, MagicLinksOfProc) {
  const int outside = ::open(parent_.PathOf("outside").c_str(), O_RDONLY);
  Link(absl::StrCat("/proc/self/fd/", outside), "link_proc_fd");
  for (const char* const link :
       {"link_proc_root", "link_proc_cwd", "link_proc_fd"}) {
    ExpectRefused(link, ERROR_REASON_PATH_OUTSIDE_ROOT);
    ExpectRefused(absl::StrCat(link, "/", kSecretName),
                  ERROR_REASON_PATH_OUTSIDE_ROOT);
  }
  ExpectRefused(absl::StrCat("/proc/self/fd/", outside, "/", kSecretName),
                ERROR_REASON_PATH_OUTSIDE_ROOT);
  ExpectRefused(absl::StrCat("/proc/self/root", RootPath(), "/src/a.cc"),
                ERROR_REASON_PATH_OUTSIDE_ROOT);
  ::close(outside);
}

TEST_F(RootEscapeTest, LinksThatNeverEnd) {
  ExpectRefused("link_loop", ERROR_REASON_FILE_NOT_FOUND);
  ExpectRefused("link_loop/a", ERROR_REASON_FILE_NOT_FOUND);
}

TEST_F(RootEscapeTest, PipesAreRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo((RootPath() + "/pipe").c_str(), 0600), 0);
  ExpectRefused("pipe", ERROR_REASON_NOT_A_FILE);
  Link("pipe", "pipe_link");
  ExpectRefused("pipe_link", ERROR_REASON_NOT_A_FILE);
}

TEST_F(RootEscapeTest, SocketsAreRefused) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = RootPath() + "/socket";
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(
      ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
      0);
  ExpectRefused("socket", ERROR_REASON_NOT_A_FILE);
  ::close(fd);
}

TEST_F(RootEscapeTest, DevicesAreRefused) {
  Link("/dev/zero", "link_device");
  ExpectRefused("link_device", ERROR_REASON_PATH_OUTSIDE_ROOT);
  if (::mknod((RootPath() + "/zero").c_str(), S_IFCHR | 0600, makedev(1, 5)) !=
      0) {
    GTEST_SKIP() << "devices cannot be made here";
  }
  ExpectRefused("zero", ERROR_REASON_NOT_A_FILE);
}

TEST_F(RootEscapeTest, AHardLinkIsAFileOfTheRoot) {
  // Nothing tells it from any other file: who made it could read the original.
  fs::create_hard_link(parent_.PathOf(absl::StrCat("outside/", kSecretName)),
                       RootPath() + "/hard");
  EXPECT_EQ(workspace_->root().ReadFile("hard")->bytes,
            absl::StrCat(kSecret, "\n"));
}

TEST_F(RootEscapeTest, GitIsClosedUnderEveryName) {
  for (const char* const path :
       {".git", ".git/config", ".GIT/config", ".Git", "src/../.git/config",
        "src/.git/config", "./.git//config"}) {
    ExpectRefused(path, ERROR_REASON_PATH_FORBIDDEN);
  }
}

TEST_F(RootEscapeTest, GitIsClosedThroughLinks) {
  Link(".git/config", "link_config");
  Link("../link_git", "src/link_link_git");
  for (const char* const path :
       {"link_git", "link_git/config", "link_config", "src/link_link_git",
        "src/link_link_git/config"}) {
    ExpectRefused(path, ERROR_REASON_PATH_FORBIDDEN);
  }
}

TEST_F(RootEscapeTest, GitsTwinByCaseIsClosedThroughLinks) {
  parent_.Write("root/nested/.GIT/config", absl::StrCat(kSecret, "\n"));
  Link("nested/.GIT", "link_twin");
  ExpectRefused("link_twin/config", ERROR_REASON_PATH_FORBIDDEN);
  ExpectNothingTold("nested");
}

TEST_F(RootEscapeTest, GitFilesOfWorktreesAreClosed) {
  parent_.Write("root/tree/.git", absl::StrCat("gitdir: ", kSecret, "\n"));
  Link("tree/.git", "link_git_file");
  ExpectRefused("tree/.git", ERROR_REASON_PATH_FORBIDDEN);
  ExpectRefused("link_git_file", ERROR_REASON_PATH_FORBIDDEN);
  ExpectNothingTold("tree");
}

TEST_F(RootEscapeTest, EncodedClimbingIsOnlyAName) {
  for (const char* const path :
       {"%2e%2e/outside/outside_only_name.txt", "..%2foutside",
        "%252e%252e%252foutside", "..\\outside\\outside_only_name.txt",
        "file:../outside", "..;/outside", "....//outside",
        "\xef\xbc\x8e\xef\xbc\x8e/outside", "~/outside", "$HOME", "`id`",
        ".git%00", ".git ", ".git.", "src /a.cc", "src./a.cc", "SRC/a.cc"}) {
    ExpectRefused(path, ERROR_REASON_FILE_NOT_FOUND);
  }
  ExpectRefused("file:///etc/passwd", ERROR_REASON_FILE_NOT_FOUND);
}

TEST_F(RootEscapeTest, UnicodeTwinsAreOtherNames) {
  // é as one code point and as e with an accent.
  parent_.Write("root/caf\xc3\xa9", "inside");
  ExpectRefused("cafe\xcc\x81", ERROR_REASON_FILE_NOT_FOUND);
  EXPECT_THAT(workspace_->root().ReadFile("caf\xc3\xa9"), IsOk());
}

TEST_F(RootEscapeTest, FiveHundredGeneratedPathsFindNoWayOut) {
  const std::vector<std::string> parts = {"..",
                                          "..",
                                          "..",
                                          ".",
                                          "src",
                                          "deep",
                                          "link_absolute",
                                          "link_relative",
                                          "link_chain",
                                          "link_inside",
                                          "link_git",
                                          "link_proc_root",
                                          "link_proc_cwd",
                                          "link_loop",
                                          "src/deep/link_up",
                                          "outside",
                                          "root-evil",
                                          "root",
                                          kSecretName,
                                          ".git",
                                          ".GIT",
                                          "config",
                                          "a.cc",
                                          "link_file",
                                          "%2e%2e",
                                          "..%2f",
                                          "..\\",
                                          "...",
                                          "\xc0\xae\xc0\xae",
                                          "proc/self/root",
                                          "file:",
                                          "",
                                          std::string(1, '\0'),
                                          std::string(256, 'x'),
                                          parent_.path(),
                                          RootPath(),
                                          "etc/passwd"};
  std::mt19937 random(20260728);
  std::set<std::string> paths;
  while (paths.size() < 500) {
    std::string path;
    const size_t length = 1 + random() % 8;
    for (size_t i = 0; i < length; ++i) {
      if (i > 0 || random() % 8 == 0) path += random() % 16 == 0 ? "//" : "/";
      path += parts[random() % parts.size()];
    }
    // Half of them end in what is to be found outside.
    if (random() % 2 == 0) path += absl::StrCat("/", kSecretName);
    paths.insert(path);
  }
  for (const std::string& path : paths) ExpectNothingTold(path);
}

// In a mount namespace of its own: 0 = as expected, 77 = cannot be tried here.
int TryMounts(const std::string& root_path, const std::string& outside) {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return 77;
  }
  fs::create_directory(root_path + "/mounted");
  fs::create_directory(root_path + "/proc");
  if (::mount(outside.c_str(), (root_path + "/mounted").c_str(), nullptr,
              MS_BIND, nullptr) != 0 ||
      ::mount("proc", (root_path + "/proc").c_str(), "proc", 0, nullptr) != 0) {
    return 77;
  }
  const auto root = *RootDirectory::Open(root_path, {});
  const auto mounted = root->ReadFile(absl::StrCat("mounted/", kSecretName));
  if (!mounted.ok()) return 1;
  if (root->ReadFile("mounted/.git/" + std::string(kSecretName)).ok()) return 2;
  for (const char* const path :
       {"proc/self/environ", "proc/self/root/etc/passwd", "proc/self/exe",
        "proc/self/cwd", "proc/sys/kernel/hostname", "proc/version"}) {
    if (root->ReadFile(path).ok()) return 3;
  }
  if (root->ListDirectory("proc/self/root").ok()) return 4;
  if (root->ListDirectory("proc").ok()) return 5;
  return 0;
}

TEST_F(RootEscapeTest, MountsInsideAreFollowedAndProcIsNot) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(TryMounts(RootPath(), parent_.PathOf("outside")));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no mount namespace here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace banyan::lspd
