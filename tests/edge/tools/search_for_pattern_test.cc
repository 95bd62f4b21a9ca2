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

using SearchForPatternTest = ToolFixture;

lsp::v1::SearchTextResponse Matches(int files, int per_file) {
  lsp::v1::SearchTextResponse response;
  for (int f = 0; f < files; ++f) {
    auto* file = response.add_files();
    file->set_relative_path(absl::StrCat("src/file_", f, ".py"));
    for (int m = 0; m < per_file; ++m) {
      auto* match = file->add_matches();
      for (int line = 1; line <= 3; ++line) {
        auto* shown = match->add_lines();
        shown->set_number(m * 10 + line);
        shown->set_text(absl::StrCat("text ", line));
        shown->set_is_match(line == 2);
      }
    }
  }
  response.set_match_count(files * per_file);
  return response;
}

TEST_F(SearchForPatternTest, ABlockSaysWhichOfItsLinesMatch) {
  lsp_.search_text.answer = Matches(1, 1);
  const json answer =
      Answer("search_for_pattern", {{"substring_pattern", "t.xt"},
                                    {"context_lines_before", 1},
                                    {"context_lines_after", 1},
                                    {"case_sensitive", false},
                                    {"paths_include_glob", "*.py"},
                                    {"skip_ignored_files", false}});
  EXPECT_EQ(answer["files"],
            json::array(
                {{{"relative_path", "src/file_0.py"},
                  {"count", 1},
                  {"matches", json::array({{{"start_line", 1},
                                            {"end_line", 3},
                                            {"text", "text 1\ntext 2\ntext 3"},
                                            {"match_lines", {2}}}})}}}));
  const auto& asked = lsp_.search_text.requests[0];
  EXPECT_EQ(asked.pattern(), "t.xt");
  EXPECT_TRUE(asked.is_case_insensitive());
  EXPECT_TRUE(asked.include_ignored_files());
  EXPECT_THAT(asked.include_globs(), testing::ElementsAre("*.py"));
  EXPECT_EQ(asked.context_lines_before(), 1);
}

TEST_F(SearchForPatternTest, ShorteningGoesFromContextToCounts) {
  const json arguments = {{"substring_pattern", "x"},
                          {"max_answer_chars", 8000}};
  lsp_.search_text.answer = Matches(4, 12);
  json answer = Answer("search_for_pattern", arguments);
  EXPECT_EQ(answer["left_out"], json({"context lines"}));
  EXPECT_EQ(answer["files"][0]["matches"][0],
            json({{"start_line", 2}, {"end_line", 2}, {"text", "text 2"}}));
  EXPECT_EQ(answer["files"][0]["matches"].size(), 12);

  lsp_.search_text.answer = Matches(4, 60);
  answer = Answer("search_for_pattern", arguments);
  EXPECT_EQ(answer["left_out"].size(), 3);
  EXPECT_EQ(answer["files"][0]["lines"].size(), 60);
  EXPECT_EQ(answer["files"][0]["lines"][1], 12);

  lsp_.search_text.answer = Matches(4, 2000);
  answer = Answer("search_for_pattern", arguments);
  EXPECT_EQ(answer["left_out"].size(), 4);
  EXPECT_EQ(answer["files"][3],
            json({{"relative_path", "src/file_3.py"}, {"count", 2000}}));
  EXPECT_FALSE(answer.contains("next_cursor"));
}

TEST_F(SearchForPatternTest, LongLinesAreCutBetweenCharacters) {
  lsp::v1::SearchTextResponse response = Matches(1, 1);
  std::string wide = "a";
  for (int i = 0; i < 30000; ++i) wide += "é";
  response.mutable_files(0)->mutable_matches(0)->mutable_lines(1)->set_text(
      wide);
  lsp_.search_text.answer = response;
  const json answer =
      Answer("search_for_pattern", {{"substring_pattern", "x"}});
  EXPECT_EQ(answer["left_out"].size(), 2);
  const auto text = answer["files"][0]["matches"][0]["text"].get<std::string>();
  EXPECT_LT(text.size(), 300);
  EXPECT_NO_THROW(json(text).dump());
}

}  // namespace
}  // namespace banyan::edge
