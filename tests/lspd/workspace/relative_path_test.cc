// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/relative_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using rpc::v1::ERROR_REASON_PATH_FORBIDDEN;
using rpc::v1::ERROR_REASON_PATH_MALFORMED;
using rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT;

TEST(RelativePathTest, CleansWhatMeansTheSame) {
  for (const char* const path : {"src/a.cc", "./src/a.cc", "src//a.cc",
                                 "src/./a.cc", "src/a.cc/", "src/a.cc/."}) {
    EXPECT_EQ(*CleanRelativePath(path), "src/a.cc") << path;
  }
  for (const char* const path : {"", ".", "./", "././."}) {
    EXPECT_EQ(*CleanRelativePath(path), "") << path;
  }
}

TEST(RelativePathTest, LeavesClimbingBehindAFolderToTheKernel) {
  EXPECT_EQ(*CleanRelativePath("src/../a.cc"), "src/../a.cc");
}

TEST(RelativePathTest, RefusesWhatLeadsOutByItsText) {
  for (const char* const path :
       {"..", "../a", "src/../../a", "/", "/etc/passwd", "//etc", "./../x"}) {
    EXPECT_THAT(CleanRelativePath(path),
                HasReason(ERROR_REASON_PATH_OUTSIDE_ROOT))
        << path;
  }
}

TEST(RelativePathTest, RefusesWhatIsNoText) {
  EXPECT_THAT(CleanRelativePath(absl::string_view("a\0b", 3)),
              HasReason(ERROR_REASON_PATH_MALFORMED));
  EXPECT_THAT(CleanRelativePath("\xc0\xae\xc0\xae/a"),
              HasReason(ERROR_REASON_PATH_MALFORMED));
  EXPECT_THAT(CleanRelativePath("a\xff"),
              HasReason(ERROR_REASON_PATH_MALFORMED));
  EXPECT_THAT(CleanRelativePath(std::string(256, 'a')),
              HasReason(ERROR_REASON_PATH_MALFORMED));
  std::string deep;
  for (int i = 0; i < 2048; ++i) deep += "a/";
  EXPECT_THAT(CleanRelativePath(deep), HasReason(ERROR_REASON_PATH_MALFORMED));
}

TEST(RelativePathTest, ClosesGitInAnyCaseAtAnyDepth) {
  for (const char* const path :
       {".git", ".git/config", ".GIT/config", "sub/.Git", "a/b/.gIT/hooks/x",
        "src/../.git/HEAD", "./.git", ".git/../a"}) {
    EXPECT_THAT(CleanRelativePath(path), HasReason(ERROR_REASON_PATH_FORBIDDEN))
        << path;
  }
  for (const char* const path : {".gitignore", "git", ".github/a", "x.git/a"}) {
    EXPECT_THAT(CleanRelativePath(path), IsOk()) << path;
  }
}

TEST(RelativePathTest, ComparesByComponentCve202553110) {
  EXPECT_TRUE(IsBeneath("/root", "/root"));
  EXPECT_TRUE(IsBeneath("/root/a", "/root"));
  EXPECT_FALSE(IsBeneath("/root-evil/a", "/root"));
  EXPECT_FALSE(IsBeneath("/roo", "/root"));
  EXPECT_TRUE(IsBeneath("/anything", "/"));
  EXPECT_TRUE(IsBeneath("any/thing", ""));
}

TEST(RelativePathTest, LogsAnEscapeOnceAndEscaped) {
  std::vector<rpc::LogEntry> entries;
  rpc::SetLogObserver(
      [&entries](const rpc::LogEntry& entry) { entries.push_back(entry); });
  const absl::Status outside =
      rpc::Error(ERROR_REASON_PATH_OUTSIDE_ROOT, "leads out");
  EXPECT_EQ(LogIfTraversal(outside, "/etc/passwd\n[Security] all is well",
                           "/project", "a1b2c3d4e5f60718"),
            outside);
  EXPECT_THAT(LogIfTraversal(absl::OkStatus(), "a", "/project", "a1b2"),
              IsOk());
  LogIfTraversal(rpc::Error(ERROR_REASON_PATH_FORBIDDEN, "no"), "a", "/project",
                 "a1b2")
      .IgnoreError();
  rpc::SetLogObserver(nullptr);

  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].event, "path_traversal_blocked");
  EXPECT_EQ(entries[0].message,
            "[Security] Path Traversal Blocked: "
            "/etc/passwd\\n[Security] all is well escapes /project "
            "(Session: a1b2)");
}

}  // namespace
}  // namespace banyan::lspd
