// SPDX-License-Identifier: Apache-2.0
#include "sessiond/paths/client_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

TEST(ClientPathTest, WhatLiesBeneathTheClientsRootLiesBeneathOurs) {
  const auto map = [](absl::string_view path) {
    return MapClientPath("/home/ada/app", "/srv/app", path);
  };
  EXPECT_EQ(map("/home/ada/app/src/a.cc"), "/srv/app/src/a.cc");
  EXPECT_EQ(map("/home/ada/app"), "/srv/app");
  EXPECT_EQ(map("src/a.cc"), "src/a.cc");
  EXPECT_EQ(map("/srv/app/a.cc"), "/srv/app/a.cc");
}

// CVE-2025-53110: a prefix of the text is no prefix of the path.
TEST(ClientPathTest, ASiblingWithTheSameBeginningIsNotMapped) {
  EXPECT_EQ(MapClientPath("/home/ada/app", "/srv/app", "/home/ada/app-evil/x"),
            "/home/ada/app-evil/x");
}

TEST(ClientPathTest, ClimbingOutIsLeftForTheJudge) {
  EXPECT_EQ(MapClientPath("/home/app", "/srv/app", "/home/app/../../etc"),
            "/srv/app/../../etc");
}

TEST(ClientPathTest, WithoutAClientRootNothingIsMapped) {
  EXPECT_EQ(MapClientPath("", "/srv/app", "/home/ada/x"), "/home/ada/x");
}

TEST(ClientPathTest, DrivesAreUnderstoodInAnySpelling) {
  const auto root = CleanClientRoot("C:\\Work\\app\\");
  ASSERT_THAT(root, IsOk());
  EXPECT_EQ(*root, "C:/Work/app");
  EXPECT_EQ(MapClientPath(*root, "/srv/app", "c:\\work\\app\\src\\a.cc"),
            "/srv/app/src/a.cc");
  EXPECT_EQ(MapClientPath(*root, "/srv/app", "D:\\Work\\app\\a.cc"),
            "D:\\Work\\app\\a.cc");
}

// A backslash is an ordinary character of a file's name elsewhere.
TEST(ClientPathTest, BackslashesStayWhereThereAreNoDrives) {
  EXPECT_EQ(MapClientPath("/home/app", "/srv/app", "/home/app/a\\b"),
            "/srv/app/a\\b");
}

TEST(ClientPathTest, AClientRootIsAbsolute) {
  EXPECT_THAT(CleanClientRoot("app"),
              HasReason(rpc::v1::ERROR_REASON_PATH_MALFORMED));
  EXPECT_THAT(CleanClientRoot("C:app"),
              HasReason(rpc::v1::ERROR_REASON_PATH_MALFORMED));
}

}  // namespace
}  // namespace banyan::sessiond
