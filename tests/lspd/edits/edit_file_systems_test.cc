// SPDX-License-Identifier: Apache-2.0
//
// Edits of files that others own, share, protect or mount: each has its answer.
// Mounts are made in a namespace of a child, other users are a child's.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/edits/draft.h"
#include "lspd/edits/edit_transaction.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kOther = 1234;

// An ACL as the kernel keeps it: the owner, user 4321, the group and the mask
// with these permissions, nothing for others.
std::string AclWithUser(uint16_t permissions) {
  std::string acl;
  const auto put = [&acl](const void* bytes, size_t size) {
    acl.append(static_cast<const char*>(bytes), size);
  };
  const uint32_t version = POSIX_ACL_XATTR_VERSION;
  put(&version, sizeof(version));
  for (const auto& [tag, perm, id] :
       {std::tuple<uint16_t, uint16_t, uint32_t>{ACL_USER_OBJ, 6, ~0U},
        {ACL_USER, permissions, 4321},
        {ACL_GROUP_OBJ, 4, ~0U},
        {ACL_MASK, permissions, ~0U},
        {ACL_OTHER, 0, ~0U}}) {
    put(&tag, sizeof(tag));
    put(&perm, sizeof(perm));
    put(&id, sizeof(id));
  }
  return acl;
}

std::string AttributeOf(const std::string& path, const char* name) {
  std::string value(1 << 12, '\0');
  const ssize_t size =
      ::getxattr(path.c_str(), name, value.data(), value.size());
  value.resize(size < 0 ? 0 : static_cast<size_t>(size));
  return value;
}

class EditFileSystemsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs to be root, as in CI";
  }

  std::string Text(const std::string& path) const {
    std::ifstream file(folder_.PathOf(path), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : "(none)";
  }
  struct stat StatOf(const std::string& path) const {
    struct stat info {};
    ::stat(folder_.PathOf(path).c_str(), &info);
    return info;
  }

  // Commits and says how it ended: "ok", or the reason and the message.
  std::string Commit(const std::vector<DraftChange>& changes,
                     const CommitOptions& options = {}) const {
    const auto root = RootDirectory::Open(folder_.path(), {});
    if (!root.ok()) return "no root";
    const auto id = CommitChanges(**root, changes, options);
    if (id.ok()) return "ok";
    return absl::StrCat(rpc::ReasonName(rpc::ReasonOf(id.status())), ": ",
                        id.status().message());
  }
  std::string Change(const std::string& path, const std::string& before,
                     const std::string& after) const {
    return Commit({{.path = path, .before = before, .after = after}});
  }

  // What `work` returns in a child of this process.
  static std::string InChild(const std::function<std::string()>& work) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string result = work();
      const ssize_t put = ::write(ends[1], result.data(), result.size());
      ::_exit(put == static_cast<ssize_t>(result.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string result;
    char block[4096];
    ssize_t got = 0;
    while ((got = ::read(ends[0], block, sizeof(block))) > 0) {
      result.append(block, static_cast<size_t>(got));
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status == 0 ? result : absl::StrCat("died; ", result);
  }

  static std::string AsOther(const std::function<std::string()>& work) {
    return InChild([&]() -> std::string {
      if (::setresgid(kOther, kOther, kOther) != 0 ||
          ::setresuid(kOther, kOther, kOther) != 0) {
        return "not another user";
      }
      return work();
    });
  }

  // Nothing where this system lets nobody mount; that is a failure in CI.
  static std::optional<std::string> WithMounts(
      const std::function<std::string()>& work) {
    const std::string result = InChild([&]() -> std::string {
      if (::unshare(CLONE_NEWNS) != 0 ||
          ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        return "no mounts";
      }
      return work();
    });
    if (result != "no mounts") return result;
    EXPECT_EQ(std::getenv("CI"), nullptr) << "mounts must be tested in CI";
    return std::nullopt;
  }
  std::string MountTmpfs(const std::string& path, const char* size) const {
    fs::create_directories(folder_.PathOf(path));
    return ::mount("tmpfs", folder_.PathOf(path).c_str(), "tmpfs", 0, size) == 0
               ? ""
               : absl::StrCat("mount: ", std::strerror(errno), "; ");
  }

  TempWorkspace folder_;
};

TEST_F(EditFileSystemsTest, AnAclStays) {
  folder_.Write("a.txt", "old");
  const std::string acl = AclWithUser(6);
  if (::setxattr(folder_.PathOf("a.txt").c_str(), "system.posix_acl_access",
                 acl.data(), acl.size(), 0) != 0) {
    GTEST_SKIP() << "no ACLs here";
  }
  EXPECT_EQ(Change("a.txt", "old", "new"), "ok");
  EXPECT_EQ(Text("a.txt"), "new");
  EXPECT_EQ(AttributeOf(folder_.PathOf("a.txt"), "system.posix_acl_access"),
            acl);
}

TEST_F(EditFileSystemsTest, ANewFileIsWhatItsFolderMakesOfIt) {
  folder_.Write("in/a.txt", "");
  const std::string folder = folder_.PathOf("in");
  ASSERT_EQ(::chown(folder.c_str(), 0, 4321), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 02775), 0);
  const std::string acl = AclWithUser(7);
  const bool has_acl = ::setxattr(folder.c_str(), "system.posix_acl_default",
                                  acl.data(), acl.size(), 0) == 0;
  folder_.Write("in/reference.txt", "");  // As any program makes one.
  EXPECT_EQ(Commit({{.path = "in/b.txt", .after = "b"},
                    {.path = "in/deep/c.txt", .after = "c"}}),
            "ok");
  for (const char* path : {"in/b.txt", "in/deep/c.txt"}) {
    EXPECT_EQ(StatOf(path).st_gid, 4321) << path;
    EXPECT_EQ(StatOf(path).st_mode, StatOf("in/reference.txt").st_mode) << path;
    if (!has_acl) continue;
    EXPECT_EQ(AttributeOf(folder_.PathOf(path), "system.posix_acl_access"),
              AttributeOf(folder_.PathOf("in/reference.txt"),
                          "system.posix_acl_access"))
        << path;
  }
}

// A rename would make it ours.
TEST_F(EditFileSystemsTest, AFileOfAnotherOwnerIsWrittenInPlaceAndStaysTheirs) {
  folder_.Write("a.txt", "old");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod(folder_.PathOf("a.txt").c_str(), 0666), 0);
  const struct stat before = StatOf("a.txt");
  EXPECT_EQ(AsOther([&] { return Change("a.txt", "old", "new"); }), "ok");
  EXPECT_EQ(Text("a.txt"), "new");
  EXPECT_EQ(StatOf("a.txt").st_ino, before.st_ino);
  EXPECT_EQ(StatOf("a.txt").st_uid, 0);
}

TEST_F(EditFileSystemsTest, AFolderOfAnotherOwnerForbidsARenameNotAnEdit) {
  folder_.Write("theirs/a.txt", "old");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod(folder_.PathOf("theirs").c_str(), 0755), 0);
  ASSERT_EQ(::chmod(folder_.PathOf("theirs/a.txt").c_str(), 0666), 0);
  EXPECT_EQ(AsOther([&] { return Change("theirs/a.txt", "old", "new"); }),
            "ok");
  EXPECT_EQ(Text("theirs/a.txt"), "new");
  for (const DraftChange& change :
       std::vector<DraftChange>{{.path = "theirs/b.txt", .after = "b"},
                                {.path = "theirs/a.txt", .before = "new"}}) {
    EXPECT_THAT(AsOther([&] { return Commit({change}); }),
                testing::StartsWith("PATH_FORBIDDEN"));
  }
  EXPECT_EQ(Text("theirs/a.txt"), "new");
  EXPECT_EQ(Text("theirs/b.txt"), "(none)");
}

TEST_F(EditFileSystemsTest, ARootOfAnotherOwnerIsLeftAlone) {
  folder_.Write("a.txt", "old");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(folder_.PathOf("a.txt").c_str(), 0755), 0);
  const std::string answer =
      AsOther([&] { return Change("a.txt", "old", "new"); });
  EXPECT_THAT(answer,
              testing::AllOf(testing::StartsWith("PATH_FORBIDDEN"),
                             testing::HasSubstr("change owner or mode"),
                             testing::HasSubstr("Nothing was changed")));
  EXPECT_EQ(Text("a.txt"), "old");
  EXPECT_FALSE(fs::exists(folder_.PathOf(".banyan")));
}

TEST_F(EditFileSystemsTest, AFileOfAnotherOwnerThatIsNotOursToWriteIsRefused) {
  folder_.Write("a.txt", "old");
  folder_.Write("b.txt", "old");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod(folder_.PathOf("a.txt").c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder_.PathOf("b.txt").c_str(), 0755), 0);
  const std::string answer = AsOther([&] {
    return Commit({{.path = "a.txt", .before = "old", .after = "new"},
                   {.path = "b.txt", .before = "old", .after = "new"}});
  });
  EXPECT_THAT(answer, testing::AllOf(testing::StartsWith("PATH_FORBIDDEN"),
                                     testing::HasSubstr("b.txt")));
  EXPECT_EQ(Text("a.txt"), "old");
  EXPECT_EQ(Text("b.txt"), "old");
}

TEST_F(EditFileSystemsTest, AFullDiskChangesNothingAndSaysSo) {
  const auto answer = WithMounts([&]() -> std::string {
    std::string faults = MountTmpfs("", "size=256k,mode=777");
    folder_.Write("a.txt", "old");
    folder_.Write("b.txt", "old");
    folder_.Write("many.txt", std::string(100 << 10, 'x'));
    const std::string big(200 << 10, 'y');
    const std::string refused =
        Commit({{.path = "a.txt", .before = "old", .after = "new"},
                {.path = "b.txt", .before = "old", .after = big}});
    if (!absl::StrContains(refused, "PATH_FORBIDDEN") ||
        !absl::StrContains(refused, "the disk is full")) {
      absl::StrAppend(&faults, refused, "; ");
    }
    if (Text("a.txt") != "old" || Text("b.txt") != "old") {
      absl::StrAppend(&faults, "something was changed; ");
    }
    // What was prepared is gone, so that a smaller edit finds room.
    const std::string small = Change("a.txt", "old", "new");
    return absl::StrCat(faults, small, " ", Text("a.txt"));
  });
  if (!answer) GTEST_SKIP() << "no mounts here";
  EXPECT_EQ(*answer, "ok new");
}

TEST_F(EditFileSystemsTest, AReadOnlyFileSystemIsNamed) {
  const auto answer = WithMounts([&]() -> std::string {
    const std::string faults = MountTmpfs("", "size=256k");
    folder_.Write("a.txt", "old");
    ::mount("none", folder_.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY,
            nullptr);
    return absl::StrCat(faults, Change("a.txt", "old", "new"));
  });
  if (!answer) GTEST_SKIP() << "no mounts here";
  EXPECT_THAT(*answer, testing::AllOf(testing::StartsWith("PATH_FORBIDDEN"),
                                      testing::HasSubstr("read-only")));
}

TEST_F(EditFileSystemsTest, AFileThatIsAMountIsWrittenInPlaceAndNotDeleted) {
  folder_.Write("a.txt", "");
  const TempWorkspace elsewhere;
  elsewhere.Write("source.txt", "old text");
  const auto answer = WithMounts([&]() -> std::string {
    if (::mount(elsewhere.PathOf("source.txt").c_str(),
                folder_.PathOf("a.txt").c_str(), nullptr, MS_BIND,
                nullptr) != 0) {
      return std::strerror(errno);
    }
    std::string said = Change("a.txt", "old text", "new");
    absl::StrAppend(&said, ", ", Text("a.txt"), ", ",
                    Commit({{.path = "a.txt", .before = "new"}}));
    return said;
  });
  if (!answer) GTEST_SKIP() << "no mounts here";
  EXPECT_THAT(*answer, testing::StartsWith("ok, new, PATH_FORBIDDEN"));
  std::ifstream source(elsewhere.PathOf("source.txt"));
  std::string text;
  std::getline(source, text);
  EXPECT_EQ(text, "new");
  EXPECT_EQ(Text("a.txt"), "");
}

TEST_F(EditFileSystemsTest, AMountInTheRootIsEditedAndNoMoveCrossesItsBorder) {
  folder_.Write("a.txt", "here");
  const auto answer = WithMounts([&]() -> std::string {
    std::string faults = MountTmpfs("mount", "size=256k");
    folder_.Write("mount/b.txt", "old");
    folder_.Write("mount/c.txt", "old");
    const std::string made =
        Commit({{.path = "mount/b.txt", .before = "old", .after = "new"},
                {.path = "mount/c.txt", .before = "old"},
                {.path = "mount/d/e.txt", .after = "made"}});
    if (made != "ok" || Text("mount/b.txt") != "new" ||
        Text("mount/c.txt") != "(none)" || Text("mount/d/e.txt") != "made") {
      absl::StrAppend(&faults, made, "; ");
    }
    const std::string moved = Commit(
        {{.path = "a.txt", .before = "here"},
         {.path = "mount/a.txt", .after = "here", .attributes_of = "a.txt"}});
    return absl::StrCat(faults, moved, " ", Text("a.txt"), " ",
                        Text("mount/a.txt"));
  });
  if (!answer) GTEST_SKIP() << "no mounts here";
  EXPECT_THAT(*answer, testing::AllOf(testing::StartsWith("PATH_FORBIDDEN"),
                                      testing::HasSubstr("another file system"),
                                      testing::EndsWith(" here (none)")));
}

// Undone as well, when it fails at its last file.
TEST_F(EditFileSystemsTest, AnEditWithinAMountIsTakenBackWhole) {
  const auto answer = WithMounts([&]() -> std::string {
    std::string faults = MountTmpfs("mount", "size=256k");
    folder_.Write("mount/b.txt", "old");
    folder_.Write("mount/c.txt", "old");
    folder_.Write("z.txt", "old");
    CommitOptions options;
    options.on_step = [&](absl::string_view step) {
      if (step == "change 3") folder_.Write("z.txt", "theirs");
    };
    const std::string refused =
        Commit({{.path = "mount/b.txt", .before = "old", .after = "new"},
                {.path = "mount/c.txt", .before = "old"},
                {.path = "mount/d/e.txt", .after = "made"},
                {.path = "z.txt", .before = "old", .after = "new"}},
               options);
    return absl::StrCat(faults, refused.substr(0, 8), " ", Text("mount/b.txt"),
                        " ", Text("mount/c.txt"), " ", Text("mount/d/e.txt"),
                        " ", Text("z.txt"));
  });
  if (!answer) GTEST_SKIP() << "no mounts here";
  EXPECT_EQ(*answer, "CONFLICT old old (none) theirs");
}

}  // namespace
}  // namespace banyan::lspd
