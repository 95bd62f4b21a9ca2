// SPDX-License-Identifier: Apache-2.0
#include "sessiond/paths/path_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

constexpr char kRoot[] = "/srv/app";

std::string Repeat(absl::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) absl::StrAppend(&all, text);
  return all;
}

struct Allowed {
  std::string path;
  std::string clean;
};

TEST(PathPolicyTest, PathsInsideComeOutClean) {
  const std::vector<Allowed> cases = {
      {"", ""},
      {".", ""},
      {"./", ""},
      {"./.", ""},
      {"a", "a"},
      {"a/b/c.cc", "a/b/c.cc"},
      {"./a", "a"},
      {"a/.", "a"},
      {"a/./b", "a/b"},
      {"a//b", "a/b"},
      {"a///", "a"},
      {"a/", "a"},
      {"a/../b", "b"},
      {"a/b/../../c", "c"},
      {"a/..", ""},
      {"/srv/app", ""},
      {"/srv/app/", ""},
      {"/srv/app/.", ""},
      {"/srv/app/a/b", "a/b"},
      {"//srv//app//a", "a"},
      {"/srv/./app/a", "a"},
      {"/srv/other/../app/a", "a"},
      {"/srv/app/../app/a", "a"},
      // Ordinary characters, whatever they mean elsewhere.
      {"...", "..."},
      {"..a", "..a"},
      {"a..", "a.."},
      {".../b", ".../b"},
      {"..\\..\\etc", "..\\..\\etc"},
      {"C:\\Windows", "C:\\Windows"},
      {"~", "~"},
      {"~root/x", "~root/x"},
      {"%2e%2e/x", "%2e%2e/x"},
      {"%252e%252e%252fx", "%252e%252e%252fx"},
      {"..%2f..%2fetc", "..%2f..%2fetc"},
      {"file:///etc/passwd", "file:/etc/passwd"},
      {"$HOME/x", "$HOME/x"},
      {"a b", "a b"},
      {" ", " "},
      {"a\nb", "a\nb"},
      {"-rf", "-rf"},
      {"a;b|c&d`e", "a;b|c&d`e"},
      {"\xe2\x80\xae"
       "a",
       "\xe2\x80\xae"
       "a"},  // Right-to-left override.
      {"\xef\xbc\x8e\xef\xbc\x8e/x",
       "\xef\xbc\x8e\xef\xbc\x8e/x"},  // Fullwidth dots.
      {"a\xe2\x88\x95"
       "b",
       "a\xe2\x88\x95"
       "b"},  // Division slash.
      {"\xf0\x9f\x98\x80.py", "\xf0\x9f\x98\x80.py"},
      {"e\xcc\x81", "e\xcc\x81"},  // Not normalised.
      // Near .git.
      {".gitignore", ".gitignore"},
      {".github/x", ".github/x"},
      {".git.", ".git."},
      {"git", "git"},
      {"a.git", "a.git"},
      {".git ", ".git "},
      {Repeat("a", 255), Repeat("a", 255)},
      {Repeat("ab/", 1365) + "x", Repeat("ab/", 1365) + "x"},  // 4096 bytes.
  };
  for (const Allowed& one : cases) {
    const auto clean = CleanPath(kRoot, one.path);
    ASSERT_THAT(clean, IsOk()) << one.path;
    EXPECT_EQ(*clean, one.clean) << one.path;
  }
}

TEST(PathPolicyTest, PathsThatLeaveAreRefused) {
  const std::vector<std::string> cases = {
      "..",
      "../",
      "./..",
      "../x",
      "a/../..",
      "a/../../x",
      "a/b/../../../x",
      "a/./../..",
      "a//../..",
      "../app",
      "../app/a",
      "../../srv/app/a",
      Repeat("../", 50) + "etc/passwd",
      Repeat("a/../", 30) + "../x",
      "/",
      "//",
      "/etc/passwd",
      "//etc/passwd",
      "/srv",
      "/srv/",
      "/srv/app/..",
      "/srv/app/../other",
      "/srv/app/../../etc/passwd",
      "/srv/app/a/../../b",
      "/srv/./app/../x",
      // CVE-2025-53110: a prefix of the text is no folder above.
      "/srv/app-evil",
      "/srv/app-evil/x",
      "/srv/application",
      "/srv/app.git/x",
      "/srv/appx/../app-evil",
      "../app-evil/x",
      "/srv/APP",
      "/Srv/app/x",
      "/proc/self/root/srv/app/a",
      "/proc/self/fd/3",
      "/dev/stdin",
      "/..",
      "/../srv/app/a",
      "/../../etc",
  };
  for (const std::string& path : cases) {
    EXPECT_THAT(CleanPath(kRoot, path),
                HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT))
        << path;
  }
}

TEST(PathPolicyTest, TheGitFolderIsClosedAtAnyDepthAndInAnyCase) {
  for (const std::string& path :
       {std::string(".git"), std::string(".git/config"), std::string(".GIT"),
        std::string(".Git/HEAD"), std::string("a/.git"),
        std::string("a/b/.gIt/hooks/x"), std::string("./.git"),
        std::string("a//.git/"), std::string("a/../.git/config"),
        // Named, though the clean path does not lie in it.
        std::string(".git/../a"), std::string("a/.git/../b"),
        std::string("/srv/app/.git"), std::string("/srv/app/.GIT/config"),
        std::string("/srv/app/a/../.git/x"), std::string("/srv/app/.git/../a"),
        std::string("/srv//app/.git/x")}) {
    EXPECT_THAT(CleanPath(kRoot, path),
                HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN))
        << path;
  }
}

TEST(PathPolicyTest, WhatNoFileSystemTakesIsMalformed) {
  const std::vector<std::string> cases = {
      std::string("\0", 1),
      std::string("a\0b", 3),
      std::string("a.cc\0.txt", 9),
      std::string("../\0", 4),
      std::string("/etc/passwd\0", 12),
      "\xff",
      "a/\xc3",
      "\xc0\xaf",            // Overlong slash.
      "\xc0\xae\xc0\xae/x",  // Overlong dots.
      "\xe0\x80\xaf",        // Overlong slash, three bytes.
      "\xed\xa0\x80",        // A lone surrogate.
      "\xf4\x90\x80\x80",    // Past U+10FFFF.
      Repeat("a", 256),
      "b/" + Repeat("\xc3\xa4", 128),
      Repeat("a/", 2048) + "b",  // 4097 bytes.
      Repeat("../", 2000),
  };
  for (const std::string& path : cases) {
    EXPECT_THAT(CleanPath(kRoot, path),
                HasReason(rpc::v1::ERROR_REASON_PATH_MALFORMED))
        << path.substr(0, 60);
  }
}

TEST(PathPolicyTest, ARefusalNamesThePathEscapedAndNoRoot) {
  const auto refused = CleanPath(kRoot, "../a\n\x1b[31m");
  const std::string message(refused.status().message());
  EXPECT_THAT(message, ::testing::HasSubstr("\\n"));
  EXPECT_THAT(message, ::testing::Not(::testing::HasSubstr("\n")));
  EXPECT_THAT(message, ::testing::Not(::testing::HasSubstr("\x1b")));
  EXPECT_THAT(message, ::testing::Not(::testing::HasSubstr("/srv/app")));
}

TEST(PathPolicyTest, TheWholeFileSystemCanBeARoot) {
  EXPECT_EQ(*CleanPath("/", "/etc/passwd"), "etc/passwd");
  EXPECT_EQ(*CleanPath("/", "/"), "");
  EXPECT_THAT(CleanPath("/", ".."),
              HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT));
}

TEST(PathPolicyTest, ARootThatIsNamedLikeGitDoesNotCloseItself) {
  EXPECT_EQ(*CleanPath("/srv/.git/app", "/srv/.git/app/a"), "a");
}

// Whatever is allowed stays inside, for a hundred thousand made-up paths.
TEST(PathPolicyTest, NoMixtureOfHostilePartsEscapes) {
  const std::vector<std::string> parts = {
      "..",  ".",   "a",        "b",        "",       ".git",
      "srv", "app", "app-evil", "...",      "%2e%2e", "\\..",
      "/",   "//",  "/srv/app", "/srv/app/"};
  std::mt19937 random(20'26);
  for (int i = 0; i < 100'000; ++i) {
    std::string path = random() % 3 == 0 ? "/" : "";
    const int count = static_cast<int>(random() % 8);
    for (int n = 0; n < count; ++n) {
      absl::StrAppend(&path, parts[random() % parts.size()],
                      random() % 4 == 0 ? "" : "/");
    }
    const auto clean = CleanPath(kRoot, path);
    if (!clean.ok()) continue;
    ASSERT_FALSE(absl::StartsWith(*clean, "/")) << path;
    ASSERT_FALSE(absl::EndsWith(*clean, "/")) << path;
    if (clean->empty()) continue;
    for (const absl::string_view part : absl::StrSplit(*clean, '/')) {
      ASSERT_NE(part, "") << path;
      ASSERT_NE(part, ".") << path;
      ASSERT_NE(part, "..") << path;
      ASSERT_NE(part, ".git") << path;
    }
    // Clean is clean.
    ASSERT_EQ(*CleanPath(kRoot, *clean), *clean) << path;
  }
}

TEST(PathPolicyTest, RootsAreMadeClean) {
  EXPECT_EQ(*CleanRoot("/srv/app/"), "/srv/app");
  EXPECT_EQ(*CleanRoot("//srv/./x/../app"), "/srv/app");
  EXPECT_EQ(*CleanRoot("/"), "/");
  for (const std::string& path :
       {std::string(), std::string("srv"), std::string("~/app"),
        std::string("/.."), std::string("/a\0b", 4), std::string("/\xff")}) {
    EXPECT_THAT(CleanRoot(path),
                HasReason(rpc::v1::ERROR_REASON_PATH_MALFORMED))
        << path;
  }
}

// CVE-2025-53110.
TEST(PathPolicyTest, ANeighbourWithTheSamePrefixDoesNotLieBeneath) {
  EXPECT_TRUE(IsBeneath("/root", "/root"));
  EXPECT_TRUE(IsBeneath("/root/a", "/root"));
  EXPECT_TRUE(IsBeneath("/anything", "/"));
  EXPECT_FALSE(IsBeneath("/root-evil", "/root"));
  EXPECT_FALSE(IsBeneath("/root-evil/a", "/root"));
  EXPECT_FALSE(IsBeneath("/roo", "/root"));
  EXPECT_FALSE(IsBeneath("/", "/root"));
}

}  // namespace
}  // namespace banyan::sessiond
