// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/record_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::sessiond {
namespace {

// sessions.md 1.8, 3.
TEST(RecordIdTest, TenThousandIdsAllDifferAndAreWellFormed) {
  std::set<std::string> ids;
  for (int i = 0; i < 10'000; ++i) {
    const std::string id = NewSessionId();
    EXPECT_TRUE(IsSessionId(id)) << id;
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 10'000u);
}

TEST(RecordIdTest, AHandleIsNoSessionIdAndTheOtherWayRound) {
  EXPECT_TRUE(IsWorkspaceHandle(NewWorkspaceHandle()));
  EXPECT_FALSE(IsSessionId(NewWorkspaceHandle()));
  EXPECT_FALSE(IsWorkspaceHandle(NewSessionId()));
}

TEST(RecordIdTest, TextsThatWeCannotHaveMintedAreNoIds) {
  const std::string id(22, 'a');
  ASSERT_TRUE(IsSessionId(id));
  for (const std::string& text :
       {std::string(), id + "a", id.substr(1), std::string(21, 'a') + "=",
        std::string(21, 'a') + "/", std::string(21, 'a') + "+",
        std::string(21, 'a') + " ", std::string(21, 'a') + '\0',
        std::string(20, 'a') + "\xc3\xa4", std::string(1'000'000, 'a')}) {
    EXPECT_FALSE(IsSessionId(text)) << text.substr(0, 40);
    EXPECT_FALSE(IsWorkspaceHandle(absl::StrCat("ws_", text)));
  }
  EXPECT_FALSE(IsWorkspaceHandle(absl::StrCat("WS_", id)));
}

TEST(RecordIdTest, AKeyTellsNothingAndItsPublicIdIsSixteenHexDigits) {
  const std::string key = RecordKey("x");
  EXPECT_EQ(key.size(), 32u);
  EXPECT_NE(key, RecordKey("y"));
  // SHA-256 of "x".
  EXPECT_EQ(PublicId(key), "2d711642b726b044");
}

}  // namespace
}  // namespace banyan::sessiond
