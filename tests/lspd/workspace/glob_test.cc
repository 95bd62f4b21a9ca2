// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/glob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

bool Matches(const std::string& glob, const std::string& path) {
  const absl::StatusOr<Glob> compiled = Glob::Compile(glob);
  EXPECT_THAT(compiled, IsOk()) << glob;
  return compiled.ok() && compiled->Matches(path);
}

TEST(GlobTest, StarsStayInsideAComponent) {
  EXPECT_TRUE(Matches("*.cc", "a.cc"));
  EXPECT_FALSE(Matches("*.cc", "src/a.cc"));
  EXPECT_TRUE(Matches("src/*/a", "src/x/a"));
  EXPECT_FALSE(Matches("src/*/a", "src/x/y/a"));
  EXPECT_TRUE(Matches("?.h", "\xc3\xa9.h"));
  EXPECT_FALSE(Matches("a?b", "a/b"));
}

TEST(GlobTest, TwoStarsCrossComponents) {
  EXPECT_TRUE(Matches("**/*.cc", "a.cc"));
  EXPECT_TRUE(Matches("**/*.cc", "src/deep/a.cc"));
  EXPECT_TRUE(Matches("src/**", "src/deep/a.cc"));
  EXPECT_TRUE(Matches("src/**/a.cc", "src/a.cc"));
  EXPECT_FALSE(Matches("src/**", "source/a.cc"));
}

TEST(GlobTest, BracesAndBracketsChoose) {
  EXPECT_TRUE(Matches("*.{ts,tsx}", "a.tsx"));
  EXPECT_FALSE(Matches("*.{ts,tsx}", "a.js"));
  EXPECT_TRUE(Matches("{src,lib/{a,b}}/x", "lib/b/x"));
  EXPECT_TRUE(Matches("[a-c].h", "b.h"));
  EXPECT_FALSE(Matches("[!a-c].h", "b.h"));
  EXPECT_TRUE(Matches("[!a-c].h", "d.h"));
  EXPECT_FALSE(Matches("[!a]b", "/b"));
  EXPECT_TRUE(Matches("[]]", "]"));
  EXPECT_TRUE(Matches("a,b}", "a,b}"));
}

TEST(GlobTest, EverythingElseIsItself) {
  EXPECT_TRUE(Matches("a+b(c)^$|.txt", "a+b(c)^$|.txt"));
  EXPECT_FALSE(Matches("a.b", "axb"));
  EXPECT_TRUE(Matches("\\*", "*"));
  EXPECT_FALSE(Matches("\\*", "x"));
  EXPECT_TRUE(Matches("\\", "\\"));
  EXPECT_TRUE(Matches("", ""));
  EXPECT_TRUE(Matches("*", "line\nbreak"));
}

TEST(GlobTest, ASlashDecidesBetweenNameAndPath) {
  EXPECT_TRUE(Glob::Compile("*.cc")->MatchesNameOrPath("src/a.cc"));
  EXPECT_FALSE(Glob::Compile("*/x.cc")->MatchesNameOrPath("src/a.cc"));
  EXPECT_TRUE(Glob::Compile("src/*")->MatchesNameOrPath("src/a.cc"));
  EXPECT_FALSE(Glob::Compile("rc/*")->MatchesNameOrPath("src/a.cc"));
}

TEST(GlobTest, RefusesWhatIsUnbalancedOrHuge) {
  for (const std::string& glob :
       {std::string("[a"), std::string("["), std::string("{a,b"),
        std::string("[!"), std::string("[a/b]"), std::string("[z-a]"),
        std::string(1001, '*')}) {
    EXPECT_THAT(Glob::Compile(glob),
                HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID))
        << glob;
  }
}

TEST(GlobTest, ManyStarsTakeNoTime) {
  std::string glob;
  for (int i = 0; i < 300; ++i) glob += "*a";
  EXPECT_FALSE(Matches(glob, std::string(5000, 'a') + "b"));
}

}  // namespace
}  // namespace banyan::lspd
