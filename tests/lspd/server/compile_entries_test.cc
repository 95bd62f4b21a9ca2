// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/compile_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace banyan::lspd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Outcome {
  bool is_list = false;
  std::vector<std::string> entries;  // As they are written.
};

Outcome Read(absl::string_view text) {
  Outcome outcome;
  outcome.is_list = ReadCompileEntries(text, [&outcome](CompileEntry entry) {
    outcome.entries.push_back(ToJsonText(entry));
  });
  return outcome;
}

TEST(CompileEntriesTest, KeepsWhatClangReadsAndNothingElse) {
  const Outcome outcome = Read(
      R"([{"file": "a.cc", "x": {"file": "no"}, "arguments": ["cc", "-I\"x\""],)"
      R"( "y": [["arguments", "no"]], "directory": "/b", "output": "a.o"},)"
      R"( 7, ["file"], {"command": "cc b.cc", "file": "b.cc"}])");
  EXPECT_TRUE(outcome.is_list);
  EXPECT_THAT(
      outcome.entries,
      ElementsAre(R"({"arguments":["cc","-I\"x\""],"directory":"/b",)"
                  R"("file":"a.cc","output":"a.o"})",
                  R"({"command":"cc b.cc","directory":"","file":"b.cc"})"));
}

TEST(CompileEntriesTest, AValueOfAnotherKindIsNone) {
  EXPECT_THAT(
      Read(R"([{"file": 7, "arguments": "cc", "command": ["cc"]}])").entries,
      ElementsAre(R"({"directory":"","file":""})"));
}

TEST(CompileEntriesTest, WhatIsNoListIsRefused) {
  for (const char* text : {"", "{", "7", "\"x\"", R"({"file": "a.cc"})", "[",
                           "[1,]", "[{\"file\": \"a\xFF\"}]"}) {
    EXPECT_FALSE(Read(text).is_list) << text;
  }
  EXPECT_TRUE(Read("[]").is_list);
}

// A hundred thousand levels, before, in and behind what counts.
TEST(CompileEntriesTest, DepthNeedsNoStack) {
  const std::string deep =
      std::string(100'000, '[') + std::string(100'000, ']');
  const Outcome outcome =
      Read("[" + deep + ", {\"x\": " + deep + ", \"arguments\": [\"cc\", " +
           deep + "], \"file\": \"a.cc\"}]");
  EXPECT_TRUE(outcome.is_list);
  EXPECT_THAT(
      outcome.entries,
      ElementsAre(R"({"arguments":["cc"],"directory":"","file":"a.cc"})"));
  EXPECT_THAT(Read(std::string(100'000, '[')).entries, IsEmpty());
}

}  // namespace
}  // namespace banyan::lspd
