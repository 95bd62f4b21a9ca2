// SPDX-License-Identifier: Apache-2.0
#include "lspd/protocol/file_uri.h"

#include <gtest/gtest.h>

#include <string>

namespace banyan::lspd {
namespace {

TEST(FileUriTest, UnreservedCharactersStayAllOthersAreEscaped) {
  EXPECT_EQ(FileUri("/a-b_c.d~e/F9"), "file:///a-b_c.d~e/F9");
  EXPECT_EQ(FileUri("/a b#?%:@[x].ts"),
            "file:///a%20b%23%3F%25%3A%40%5Bx%5D.ts");
  EXPECT_EQ(FileUri("/caf\xC3\xA9"), "file:///caf%C3%A9");
}

TEST(FileUriTest, EveryByteOfAPathComesBack) {
  std::string path = "/";
  for (int byte = 1; byte < 256; ++byte)
    path.push_back(static_cast<char>(byte));
  EXPECT_EQ(PathOfFileUri(FileUri(path)), path);
}

TEST(FileUriTest, SpellingsOfServersAreUnderstood) {
  for (const char* uri :
       {"file:///a/b%20c", "FILE:///a/b%20c", "file://localhost/a/b%20c",
        "file:/a/b%20c", "file:///a/b c", "file:///%61/b%20c",
        "file:///a/b%20c#L3", "file:///a/b%20c?x"}) {
    EXPECT_EQ(PathOfFileUri(uri), "/a/b c") << uri;
  }
}

TEST(FileUriTest, WhatIsNoLocalFileIsNothing) {
  for (const char* uri :
       {"", "file", "file:", "file://", "file://server/share", "file:relative",
        "jdt://contents/x", "untitled:Untitled-1", "/a/b", "http://a/b",
        "file:///nul%00byte"}) {
    EXPECT_FALSE(PathOfFileUri(uri).has_value()) << uri;
  }
}

TEST(FileUriTest, ABrokenEscapeStandsForItself) {
  EXPECT_EQ(PathOfFileUri("file:///a%"), "/a%");
  EXPECT_EQ(PathOfFileUri("file:///a%4"), "/a%4");
  EXPECT_EQ(PathOfFileUri("file:///a%zz"), "/a%zz");
  EXPECT_EQ(PathOfFileUri("file:///a%41"), "/aA");
}

TEST(FileUriTest, DotSegmentsAreNotResolvedHere) {
  // Whoever opens a path decides where it leads; text cannot.
  EXPECT_EQ(PathOfFileUri("file:///a/../b"), "/a/../b");
  EXPECT_EQ(PathOfFileUri("file:///a/%2e%2e/b"), "/a/../b");
}

TEST(NormalUriTest, AllSpellingsOfOneFileAreEqual) {
  EXPECT_EQ(NormalUri("file:///C%3A/a%20b"), NormalUri("file:///c:/a b"));
  EXPECT_EQ(NormalUri("file:///a/%7Ex"), NormalUri("file:///a/~x"));
  EXPECT_EQ(NormalUri("file:///a%2fb"), NormalUri("file:///a/b"));
}

TEST(NormalUriTest, FilesThatDifferInCaseStayApart) {
  EXPECT_NE(NormalUri("file:///a/X"), NormalUri("file:///a/x"));
  EXPECT_NE(NormalUri("file:///C/x"), NormalUri("file:///c/x"));
}

TEST(NormalUriTest, OtherSchemesComeBackAsTheyAre) {
  EXPECT_EQ(NormalUri("jdt://contents/A%3a"), "jdt://contents/A%3a");
}

}  // namespace
}  // namespace banyan::lspd
