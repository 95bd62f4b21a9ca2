// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::rpc {
namespace {

using testing::EndsWith;

TEST(EscapeForLogTest, PlainTextIsLeftAlone) {
  EXPECT_EQ(EscapeForLog("größe 😀 ok"), "größe 😀 ok");
}

TEST(EscapeForLogTest, NoLineBreakOrControlGetsThrough) {
  EXPECT_EQ(EscapeForLog("a\nb\rc\td\x1b[31m\x7f"),
            "a\\nb\\rc\\td\\x1b[31m\\x7f");
  EXPECT_EQ(EscapeForLog(std::string("\0x", 2)), "\\x00x");
  EXPECT_EQ(EscapeForLog("\u2028\u0085"), "\\u2028\\x85");
}

TEST(EscapeForLogTest, NoTextTurnsTheDirectionOfALine) {
  EXPECT_EQ(EscapeForLog("\u202egnp.exe\u2066"), "\\u202egnp.exe\\u2066");
}

TEST(EscapeForLogTest, BrokenUtf8IsShownAsBytes) {
  EXPECT_EQ(EscapeForLog("\xff\xc3"), "\\xFF\\xC3");
  EXPECT_EQ(EscapeForLog("\xc0\xaf"), "\\xC0\\xAF");  // Overlong slash.
  EXPECT_EQ(EscapeForLog("\xed\xa0\x80"), "\\xED\\xA0\\x80");  // Surrogate.
}

TEST(EscapeForLogTest, LongTextIsCutWithASign) {
  const std::string cut = EscapeForLog(std::string(5000, 'x'), 100);
  EXPECT_EQ(cut, absl::StrCat(std::string(100, 'x'), "…"));
}

TEST(EventLogTest, TheObserverSeesWhatIsLogged) {
  std::string seen;
  SetLogObserver([&seen](const LogEntry& entry) { seen = entry.event; });
  Log({.event = "tool_dispatch", .message = "m"});
  SetLogObserver(nullptr);
  Log({.event = "other", .message = "m"});
  EXPECT_EQ(seen, "tool_dispatch");
}

}  // namespace
}  // namespace banyan::rpc
