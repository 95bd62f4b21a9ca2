// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

const Cursor kCursor{.tool = "find_symbol",
                     .arguments_digest = "aa",
                     .result_digest = "bb",
                     .offset = 17};

class CursorTest : public testing::Test {
 protected:
  FakeSessionClient sessions_;
  EdgeKeys keys_{sessions_};
};

TEST_F(CursorTest, AnotherEdgeReadsWhatOneSealed) {
  ASSERT_OK_AND_ASSIGN(const std::string sealed,
                       SealCursor(kCursor, keys_, {}));
  EdgeKeys other_edge(sessions_);
  ASSERT_OK_AND_ASSIGN(const Cursor opened, OpenCursor(sealed, other_edge, {}));
  EXPECT_EQ(opened.tool, "find_symbol");
  EXPECT_EQ(opened.arguments_digest, "aa");
  EXPECT_EQ(opened.result_digest, "bb");
  EXPECT_EQ(opened.offset, 17);
}

TEST_F(CursorTest, EveryChangedByteIsNoticed) {
  ASSERT_OK_AND_ASSIGN(const std::string sealed,
                       SealCursor(kCursor, keys_, {}));
  std::string raw;
  ASSERT_TRUE(absl::WebSafeBase64Unescape(sealed, &raw));
  for (size_t i = 0; i < raw.size(); ++i) {
    std::string changed = raw;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto opened =
        OpenCursor(absl::WebSafeBase64Escape(changed), keys_, {});
    EXPECT_FALSE(opened.ok()) << "byte " << i;
  }
}

TEST_F(CursorTest, WhatIsNoCursorIsRefusedWithTheNextStep) {
  for (const std::string& bad :
       {std::string("x"), std::string("!!!"), std::string(5000, 'A'),
        absl::WebSafeBase64Escape(std::string(16, 'm') + "k1"),
        absl::WebSafeBase64Escape(std::string(16, 'm') + "k1\nt\na\nb\n0")}) {
    const auto opened = OpenCursor(bad, keys_, {});
    EXPECT_THAT(opened, HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
    EXPECT_THAT(std::string(opened.status().message()),
                testing::HasSubstr("without cursor"));
  }
}

TEST_F(CursorTest, AKeyThatIsGoneMakesItStale) {
  ASSERT_OK_AND_ASSIGN(const std::string sealed,
                       SealCursor(kCursor, keys_, {}));
  sessions_.keys.mutable_keys(0)->set_key_id("k2");
  EdgeKeys after_rotation(sessions_);
  EXPECT_THAT(OpenCursor(sealed, after_rotation, {}),
              HasReason(rpc::v1::ERROR_REASON_CURSOR_STALE));
}

TEST_F(CursorTest, AnotherSecretUnderTheSameIdDoesNotOpenIt) {
  ASSERT_OK_AND_ASSIGN(const std::string sealed,
                       SealCursor(kCursor, keys_, {}));
  sessions_.keys.mutable_keys(0)->set_secret(std::string(32, 't'));
  EdgeKeys stranger(sessions_);
  EXPECT_THAT(OpenCursor(sealed, stranger, {}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST_F(CursorTest, AnUnreachableSessiondIsSaidAndNoVerdict) {
  ASSERT_OK_AND_ASSIGN(const std::string sealed,
                       SealCursor(kCursor, keys_, {}));
  sessions_.failures["GetEdgeKeys"] =
      rpc::Error(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE, "restarting");
  EdgeKeys fresh(sessions_);
  EXPECT_THAT(OpenCursor(sealed, fresh, {}),
              HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
}

}  // namespace
}  // namespace banyan::edge
