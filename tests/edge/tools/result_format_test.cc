// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/result_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

class ResultFormatTest : public testing::Test {
 protected:
  ResultFormatTest() { spec_.name = "find_file"; }

  static ToolResult Files(int count) {
    json files = json::array();
    for (int i = 0; i < count; ++i) {
      files.push_back(absl::StrCat("src/module/file_", i, ".cc"));
    }
    return {.content = {{"workspace", "w"}, {"files", std::move(files)}},
            .text_member = "",
            .shortenings = {},
            .paging = PagesOf("files")};
  }

  absl::StatusOr<FormattedResult> Format(ToolResult result, json arguments,
                                         EdgeKeys& keys) {
    const ToolCall call{
        .arguments = std::move(arguments), .caller = {}, .context = {}};
    return FormatResult(spec_, call, std::move(result), keys);
  }
  absl::StatusOr<FormattedResult> Format(ToolResult result, json arguments) {
    return Format(std::move(result), std::move(arguments), keys_);
  }

  ToolSpec spec_;
  FakeSessionClient sessions_;
  EdgeKeys keys_{sessions_};
};

TEST_F(ResultFormatTest, TheTextIsTheSameJsonCompact) {
  ASSERT_OK_AND_ASSIGN(const FormattedResult formatted,
                       Format(Files(2), json::object()));
  EXPECT_EQ(json::parse(formatted.text), formatted.structured);
  EXPECT_EQ(formatted.text.find('\n'), std::string::npos);
  EXPECT_EQ(formatted.chars, 2 * CountChars(formatted.text));
  EXPECT_FALSE(formatted.structured.contains("next_cursor"));
  EXPECT_FALSE(formatted.structured.contains("left_out"));
}

TEST_F(ResultFormatTest, ATextMemberIsTheTextBlock) {
  ToolResult result{.content = {{"text", "a\nb\n"}},
                    .text_member = "text",
                    .shortenings = {},
                    .paging = {}};
  ASSERT_OK_AND_ASSIGN(const FormattedResult formatted,
                       Format(std::move(result), json::object()));
  EXPECT_EQ(formatted.text, "a\nb\n");
}

TEST_F(ResultFormatTest, PagesTogetherAreTheWholeResultOnAnyEdge) {
  constexpr int kBudget = 3000;
  json collected = json::array();
  json arguments = {{"max_answer_chars", kBudget}, {"file_mask", "*.cc"}};
  int pages = 0;
  while (true) {
    // Each page is asked of an edge that was not there before.
    EdgeKeys edge(sessions_);
    ASSERT_OK_AND_ASSIGN(const FormattedResult page,
                         Format(Files(500), arguments, edge));
    EXPECT_LE(page.chars, kBudget);
    for (const json& file : page.structured["files"]) {
      collected.push_back(file);
    }
    ++pages;
    ASSERT_LT(pages, 100);
    if (!page.structured.contains("next_cursor")) break;
    arguments["cursor"] = page.structured["next_cursor"];
  }
  EXPECT_GT(pages, 5);
  EXPECT_EQ(collected, Files(500).content["files"]);
}

TEST_F(ResultFormatTest, APageHoldsAsMuchAsFits) {
  ASSERT_OK_AND_ASSIGN(const FormattedResult page,
                       Format(Files(5000), {{"max_answer_chars", 20000}}));
  EXPECT_GT(page.chars, 19000);
  EXPECT_LE(page.chars, 20000);
}

TEST_F(ResultFormatTest, AChangedResultMakesTheCursorStale) {
  json arguments = {{"max_answer_chars", 2000}};
  ASSERT_OK_AND_ASSIGN(const FormattedResult page,
                       Format(Files(500), arguments));
  arguments["cursor"] = page.structured["next_cursor"];
  EXPECT_THAT(Format(Files(501), arguments),
              HasReason(rpc::v1::ERROR_REASON_CURSOR_STALE));
}

TEST_F(ResultFormatTest, ACursorIsForItsOwnCallOnly) {
  json arguments = {{"max_answer_chars", 2000}, {"file_mask", "*.cc"}};
  ASSERT_OK_AND_ASSIGN(const FormattedResult page,
                       Format(Files(500), arguments));
  json other = {{"file_mask", "*.h"},
                {"cursor", page.structured["next_cursor"]}};
  EXPECT_THAT(Format(Files(500), other),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  spec_.name = "list_dir";
  arguments["cursor"] = page.structured["next_cursor"];
  EXPECT_THAT(Format(Files(500), arguments),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST_F(ResultFormatTest, TheBudgetMayChangeBetweenPages) {
  ASSERT_OK_AND_ASSIGN(const FormattedResult page,
                       Format(Files(500), {{"max_answer_chars", 2000}}));
  ASSERT_OK_AND_ASSIGN(
      const FormattedResult rest,
      Format(Files(500), {{"max_answer_chars", -1},
                          {"cursor", page.structured["next_cursor"]}}));
  EXPECT_EQ(rest.structured["files"].size() + page.structured["files"].size(),
            500);
}

TEST_F(ResultFormatTest, StepsAreTakenInOrderAndOnlyAsFarAsNeeded) {
  const auto result = [] {
    json content = {{"notes", std::string(1000, 'n')},
                    {"extra", std::string(1000, 'e')},
                    {"files", {"a"}}};
    return ToolResult{
        .content = std::move(content),
        .text_member = "",
        .shortenings = {{"notes", [](json& c) { c.erase("notes"); }},
                        {"extra", [](json& c) { c.erase("extra"); }}},
        .paging = PagesOf("files")};
  };
  ASSERT_OK_AND_ASSIGN(const FormattedResult one,
                       Format(result(), {{"max_answer_chars", 3000}}));
  EXPECT_EQ(one.structured["left_out"], json({"notes"}));
  EXPECT_TRUE(one.structured.contains("extra"));
  ASSERT_OK_AND_ASSIGN(const FormattedResult two,
                       Format(result(), {{"max_answer_chars", 1000}}));
  EXPECT_EQ(two.structured["left_out"], json({"notes", "extra"}));
  EXPECT_EQ(two.structured["files"], json({"a"}));
  EXPECT_FALSE(two.structured.contains("next_cursor"));
}

TEST_F(ResultFormatTest, OneItemThatIsTooLongLosesItsEndAndSaysSo) {
  std::string body;
  for (int i = 0; i < 50000; ++i) body += "é";
  ToolResult result{.content = {{"symbols",
                                 {{{"name_path", "f"}, {"body", body}},
                                  {{"name_path", "g"}, {"body", "short"}}}}},
                    .text_member = "",
                    .shortenings = {},
                    .paging = PagesOf("symbols")};
  const json arguments = {{"max_answer_chars", 4000}};
  ASSERT_OK_AND_ASSIGN(const FormattedResult page, Format(result, arguments));
  EXPECT_LE(page.chars, 4000);
  ASSERT_EQ(page.structured["symbols"].size(), 1);
  EXPECT_EQ(page.structured["symbols"][0]["name_path"], "f");
  EXPECT_THAT(page.structured["left_out"][0].get<std::string>(),
              testing::HasSubstr("ends"));
  // Cut between characters: this dump would throw else.
  EXPECT_NO_THROW(page.structured.dump());
  ASSERT_OK_AND_ASSIGN(
      const FormattedResult next,
      Format(result, {{"max_answer_chars", 4000},
                      {"cursor", page.structured["next_cursor"]}}));
  EXPECT_EQ(next.structured["symbols"][0]["name_path"], "g");
}

TEST_F(ResultFormatTest, NothingFoundAlwaysFits) {
  ASSERT_OK_AND_ASSIGN(const FormattedResult page,
                       Format(Files(0), {{"max_answer_chars", 0}}));
  EXPECT_EQ(page.structured["files"], json::array());
  EXPECT_FALSE(page.structured.contains("next_cursor"));
}

TEST_F(ResultFormatTest, TheServersMaximumHoldsForTheGreedy) {
  ASSERT_OK_AND_ASSIGN(const FormattedResult page,
                       Format(Files(100000), {{"max_answer_chars", -1}}));
  EXPECT_LE(page.chars, kMaxAnswerChars);
  EXPECT_TRUE(page.structured.contains("next_cursor"));
}

TEST_F(ResultFormatTest, BytesThatAreNoUtf8NeverThrow) {
  ToolResult result{.content = {{"files", {"bad \xff\xc3 name"}}},
                    .text_member = "",
                    .shortenings = {},
                    .paging = PagesOf("files")};
  ASSERT_OK_AND_ASSIGN(const FormattedResult page,
                       Format(std::move(result), json::object()));
  EXPECT_THAT(page.text, testing::HasSubstr("\xEF\xBF\xBD"));
}

TEST_F(ResultFormatTest, CharactersAreCodePoints) {
  EXPECT_EQ(CountChars("aé😀"), 3);
  EXPECT_EQ(CountChars(""), 0);
}

}  // namespace
}  // namespace banyan::edge
