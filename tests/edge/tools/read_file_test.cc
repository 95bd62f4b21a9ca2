// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using ReadFileTest = ToolFixture;

TEST_F(ReadFileTest, TheTextBlockIsTheFilesText) {
  lsp::v1::ReadFileResponse response;
  response.set_text("one\ntwo\n");
  response.set_hash("sha256:ab");
  response.set_line_ending(lsp::v1::LINE_ENDING_LF);
  response.set_start_line(1);
  response.set_end_line(2);
  response.set_total_lines(2);
  lsp_.read_file.answer = response;
  ASSERT_OK_AND_ASSIGN(const FormattedResult answer,
                       Call("read_file", {{"relative_path", "a.txt"}}));
  EXPECT_EQ(answer.text, "one\ntwo\n");
  EXPECT_EQ(answer.structured["text"], "one\ntwo\n");
  EXPECT_EQ(answer.structured["hash"], "sha256:ab");
  EXPECT_EQ(answer.structured["line_ending"], "lf");
}

TEST_F(ReadFileTest, ALongFileIsCutBetweenLinesAndNumberedOn) {
  std::string text;
  for (int i = 1; i <= 300; ++i) {
    absl::StrAppend(&text, "line ", i,
                    i % 3 == 0   ? "\r\n"
                    : i % 3 == 1 ? "\n"
                                 : "\r");
  }
  lsp::v1::ReadFileResponse response;
  response.set_text(text);
  response.set_start_line(101);
  response.set_end_line(400);
  response.set_total_lines(1000);
  lsp_.read_file.answer = response;
  json arguments = {{"relative_path", "a.txt"}, {"max_answer_chars", 1500}};
  std::string collected;
  int next_line = 101;
  for (int page = 0; page < 30; ++page) {
    ASSERT_OK_AND_ASSIGN(const FormattedResult answer,
                         Call("read_file", arguments));
    EXPECT_LE(answer.chars, 1500);
    EXPECT_EQ(answer.structured["start_line"], next_line);
    next_line = answer.structured["end_line"].get<int>() + 1;
    collected += answer.text;
    if (!answer.structured.contains("next_cursor")) break;
    arguments["cursor"] = answer.structured["next_cursor"];
  }
  EXPECT_EQ(collected, text);
  EXPECT_EQ(next_line, 401);
}

TEST_F(ReadFileTest, ARangeThatHoldsNoLineIsRefusedBeforeAnythingIsAsked) {
  EXPECT_THAT(
      Call("read_file",
           {{"relative_path", "a"}, {"start_line", 9}, {"end_line", 3}}),
      HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_TRUE(lsp_.read_file.requests.empty());
}

}  // namespace
}  // namespace banyan::edge
