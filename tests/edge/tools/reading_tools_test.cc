// SPDX-License-Identifier: Apache-2.0
//
// What each reading tool asks lspd and makes of the answer. The shapes are
// checked against the output schemas by the fixture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using ListDirTest = ToolFixture;
using FindFileTest = ToolFixture;
using ReadFileTest = ToolFixture;
using SearchForPatternTest = ToolFixture;
using GetSymbolsOverviewTest = ToolFixture;
using FindSymbolTest = ToolFixture;
using FindReferencingSymbolsTest = ToolFixture;
using FindDeclarationTest = ToolFixture;
using FindImplementationsTest = ToolFixture;
using GetSymbolInfoTest = ToolFixture;
using GetDiagnosticsTest = ToolFixture;
using EveryReadingToolTest = ToolFixture;

lsp::v1::Symbol MakeSymbol(const std::string& name_path,
                           const std::string& kind) {
  lsp::v1::Symbol symbol;
  symbol.set_name_path(name_path);
  symbol.set_kind(kind);
  symbol.set_relative_path("src/pool.cc");
  symbol.mutable_range()->set_start_line(10);
  symbol.mutable_range()->set_start_column(1);
  symbol.mutable_range()->set_end_line(20);
  symbol.mutable_range()->set_end_column(2);
  return symbol;
}

TEST_F(EveryReadingToolTest, NamesItsWorkspaceAndPassesTheDaemonsErrorOn) {
  const std::vector<std::pair<std::string, json>> calls = {
      {"list_dir", json::object()},
      {"find_file", {{"file_mask", "*"}}},
      {"read_file", {{"relative_path", "a"}}},
      {"search_for_pattern", {{"substring_pattern", "x"}}},
      {"get_symbols_overview", {{"relative_path", "a"}}},
      {"find_symbol", {{"name_path_pattern", "f"}}},
      {"find_referencing_symbols", {{"name_path", "f"}}},
      {"find_declaration", {{"relative_path", "a"}, {"regex", "(f)"}}},
      {"find_implementations", {{"name_path", "f"}}},
      {"get_symbol_info", {{"name_path", "f"}}},
      {"get_diagnostics", json::object()}};
  for (const auto& [tool, arguments] : calls) {
    const json answer = Answer(tool, arguments);
    EXPECT_EQ(answer["workspace"], sessions_.workspace.handle()) << tool;
    EXPECT_EQ(answer["complete"], true) << tool;
  }
  const absl::Status missing =
      rpc::Error(rpc::v1::ERROR_REASON_SERVER_MISSING, "install it");
  lsp_.list_directory.answer = missing;
  lsp_.find_files.answer = missing;
  lsp_.read_file.answer = missing;
  lsp_.search_text.answer = missing;
  lsp_.get_symbols_overview.answer = missing;
  lsp_.find_symbol.answer = missing;
  lsp_.find_referencing_symbols.answer = missing;
  lsp_.find_declaration.answer = missing;
  lsp_.find_implementations.answer = missing;
  lsp_.get_symbol_info.answer = missing;
  lsp_.get_diagnostics.answer = missing;
  for (const auto& [tool, arguments] : calls) {
    EXPECT_THAT(Call(tool, arguments),
                HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING))
        << tool;
  }
}

TEST_F(ListDirTest, PagesRunThroughDirectoriesAndThenFiles) {
  lsp::v1::ListDirectoryResponse response;
  for (int i = 0; i < 40; ++i) {
    response.add_directories(absl::StrCat("directory_", i));
    response.add_files(absl::StrCat("file_", i));
  }
  lsp_.list_directory.answer = response;
  json arguments = {{"max_answer_chars", 1000}, {"recursive", true}};
  json directories = json::array();
  json files = json::array();
  for (int page = 0; page < 20; ++page) {
    const json answer = Answer("list_dir", arguments);
    for (const json& one : answer["directories"]) directories.push_back(one);
    for (const json& one : answer["files"]) files.push_back(one);
    if (!answer.contains("next_cursor")) break;
    arguments["cursor"] = answer["next_cursor"];
  }
  EXPECT_EQ(directories.size(), 40);
  EXPECT_EQ(files.size(), 40);
  EXPECT_EQ(files[39], "file_39");
  EXPECT_TRUE(lsp_.list_directory.requests[0].recursive());
  EXPECT_EQ(lsp_.list_directory.requests[0].relative_path(), "");
}

TEST_F(FindFileTest, PassesMaskAndFolderOn) {
  Answer("find_file", {{"file_mask", "*.py"}, {"relative_path", "src"}});
  EXPECT_EQ(lsp_.find_files.requests[0].file_mask(), "*.py");
  EXPECT_EQ(lsp_.find_files.requests[0].relative_path(), "src");
  EXPECT_EQ(lsp_.find_files.roots[0], "/srv/backend-api");
}

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

TEST_F(GetSymbolsOverviewTest, NamesStandUnderTheirKindsNestedToTheDepth) {
  lsp::v1::GetSymbolsOverviewResponse response;
  auto* pool = response.add_symbols();
  *pool = MakeSymbol("Pool", "class");
  *pool->add_children() = MakeSymbol("Pool/Get", "method");
  *pool->add_children() = MakeSymbol("Pool/Put[1]", "method");
  *response.add_symbols() = MakeSymbol("main", "function");
  response.set_hash("sha256:cd");
  lsp_.get_symbols_overview.answer = response;
  json answer = Answer("get_symbols_overview",
                       {{"relative_path", "src/pool.cc"}, {"depth", 1}});
  EXPECT_EQ(answer["symbols"],
            json({{"class", {{{"Pool", {{"method", {"Get", "Put[1]"}}}}}}},
                  {"function", {"main"}}}));
  EXPECT_EQ(answer["hash"], "sha256:cd");
  EXPECT_EQ(lsp_.get_symbols_overview.requests[0].depth(), 1);

  answer = Answer("get_symbols_overview", {{"relative_path", "src/pool.cc"}});
  EXPECT_EQ(answer["symbols"],
            json({{"class", {"Pool"}}, {"function", {"main"}}}));
}

TEST_F(GetSymbolsOverviewTest, ALongOverviewLosesMembersThenNames) {
  lsp::v1::GetSymbolsOverviewResponse response;
  for (int i = 0; i < 20; ++i) {
    auto* outer = response.add_symbols();
    *outer = MakeSymbol(absl::StrCat("Class", i), "class");
    for (int j = 0; j < 20; ++j) {
      *outer->add_children() =
          MakeSymbol(absl::StrCat("Class", i, "/member", j), "method");
    }
  }
  lsp_.get_symbols_overview.answer = response;
  json arguments = {{"relative_path", "a"}, {"depth", 1}};
  arguments["max_answer_chars"] = 2000;
  json answer = Answer("get_symbols_overview", arguments);
  EXPECT_EQ(answer["symbols"]["class"].size(), 20);
  EXPECT_EQ(answer["symbols"]["class"][0], "Class0");

  for (int i = 20; i < 300; ++i) {
    *response.add_symbols() = MakeSymbol(absl::StrCat("Class", i), "class");
  }
  lsp_.get_symbols_overview.answer = response;
  answer = Answer("get_symbols_overview", arguments);
  EXPECT_EQ(answer["counts"], json({{"class", 300}}));
  EXPECT_EQ(answer["left_out"].size(), 2);
}

TEST_F(FindSymbolTest, PassesEveryArgumentOn) {
  lsp_.find_symbol.answer->add_symbols()->CopyFrom(MakeSymbol("A/f", "method"));
  const json answer = Answer("find_symbol", {{"name_path_pattern", "A/f"},
                                             {"relative_path", "src"},
                                             {"depth", 2},
                                             {"include_body", true},
                                             {"include_info", true},
                                             {"include_kinds", {"method", 5}},
                                             {"exclude_kinds", {"field"}},
                                             {"substring_matching", true},
                                             {"max_matches", 7}});
  EXPECT_EQ(answer["symbols"][0], json({{"name_path", "A/f"},
                                        {"kind", "method"},
                                        {"relative_path", "src/pool.cc"},
                                        {"start_line", 10},
                                        {"column", 1},
                                        {"end_line", 20},
                                        {"end_column", 2}}));
  const auto& asked = lsp_.find_symbol.requests[0];
  EXPECT_EQ(asked.name_path_pattern(), "A/f");
  EXPECT_EQ(asked.relative_path(), "src");
  EXPECT_EQ(asked.depth(), 2);
  EXPECT_TRUE(asked.include_body());
  EXPECT_TRUE(asked.include_info());
  EXPECT_THAT(asked.include_kinds(), testing::ElementsAre("method", "class"));
  EXPECT_THAT(asked.exclude_kinds(), testing::ElementsAre("field"));
  EXPECT_TRUE(asked.substring_matching());
  EXPECT_EQ(asked.max_matches(), 7);
  EXPECT_EQ(asked.grant().payload(), "grant");
}

TEST_F(FindSymbolTest, IncompleteAnswersSayWhy) {
  auto* reason = lsp_.find_symbol.answer->add_incomplete();
  reason->set_language("rust");
  reason->set_reason(lsp::v1::INCOMPLETE_REASON_INDEXING);
  const json answer = Answer("find_symbol", {{"name_path_pattern", "f"}});
  EXPECT_EQ(answer["complete"], false);
  EXPECT_EQ(answer["incomplete"][0]["reason"], "indexing");
  EXPECT_EQ(answer["symbols"], json::array());
}

lsp::v1::Reference MakeReference(const std::string& path, int line) {
  lsp::v1::Reference reference;
  reference.set_relative_path(path);
  reference.mutable_range()->set_start_line(line);
  reference.mutable_range()->set_start_column(5);
  reference.mutable_range()->set_end_line(line);
  reference.mutable_range()->set_end_column(9);
  reference.set_line_text("    Get();");
  reference.set_line_before("{");
  reference.set_line_after("}");
  *reference.mutable_containing_symbol() = MakeSymbol("Run", "function");
  return reference;
}

TEST_F(FindReferencingSymbolsTest, ReferencesAreGroupedByFile) {
  auto& response = *lsp_.find_referencing_symbols.answer;
  *response.mutable_symbol() = MakeSymbol("Pool/Get", "method");
  *response.add_references() = MakeReference("b.cc", 4);
  *response.add_references() = MakeReference("a.cc", 2);
  *response.add_references() = MakeReference("b.cc", 9);
  response.add_text_only("README.md");
  const json answer =
      Answer("find_referencing_symbols", {{"name_path", "Pool/Get"}});
  EXPECT_EQ(answer["reference_count"], 3);
  EXPECT_EQ(answer["files"][0]["relative_path"], "a.cc");
  EXPECT_EQ(answer["files"][1]["count"], 2);
  EXPECT_EQ(answer["files"][0]["references"][0],
            json({{"line", 2},
                  {"column", 5},
                  {"end_column", 9},
                  {"containing_symbol", "Run"},
                  {"containing_kind", "function"},
                  {"text", "    Get();"},
                  {"before", "{"},
                  {"after", "}"}}));
  EXPECT_EQ(answer["symbol"]["name_path"], "Pool/Get");
  EXPECT_EQ(answer["text_only"], json({"README.md"}));
}

TEST_F(FindReferencingSymbolsTest, ManyReferencesBecomeCounts) {
  for (int i = 1; i <= 500; ++i) {
    *lsp_.find_referencing_symbols.answer->add_references() =
        MakeReference("a.cc", i);
  }
  json arguments = {{"name_path", "f"}, {"max_answer_chars", 130000}};
  json answer = Answer("find_referencing_symbols", arguments);
  EXPECT_FALSE(answer["files"][0]["references"][0].contains("before"));
  arguments["max_answer_chars"] = 4000;
  answer = Answer("find_referencing_symbols", arguments);
  EXPECT_EQ(answer["files"],
            json::array({{{"relative_path", "a.cc"}, {"count", 500}}}));
  EXPECT_EQ(answer["left_out"].size(), 2);
}

TEST_F(FindDeclarationTest, ABadPlaceIsRefusedBeforeAnythingIsAsked) {
  EXPECT_THAT(Call("find_declaration", {{"relative_path", "a"}}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_TRUE(sessions_.Calls().empty());
  Answer("find_declaration",
         {{"relative_path", "a"}, {"line", 3}, {"column", 4}});
  EXPECT_EQ(lsp_.find_declaration.requests[0].position().column(), 4);
}

TEST_F(FindImplementationsTest, AnUnableServerIsAnErrorAndNeverEmpty) {
  lsp_.find_implementations.answer = rpc::Error(
      rpc::v1::ERROR_REASON_UNSUPPORTED, "bash has no implementations");
  EXPECT_THAT(Call("find_implementations", {{"name_path", "f"}}),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
}

TEST_F(GetSymbolInfoTest, LongDocumentationLosesItsEnd) {
  lsp_.get_symbol_info.answer->set_info(std::string(50000, 'd'));
  const json answer = Answer("get_symbol_info",
                             {{"name_path", "f"}, {"max_answer_chars", 5000}});
  EXPECT_LT(answer["info"].get<std::string>().size(), 3000);
  EXPECT_EQ(answer["left_out"].size(), 1);
}

TEST_F(GetDiagnosticsTest, OneBadFileIsCutBetweenDiagnostics) {
  lsp::v1::GetDiagnosticsResponse response;
  for (int i = 1; i <= 100; ++i) {
    auto* diagnostic = response.add_diagnostics();
    diagnostic->set_relative_path(i <= 90 ? "bad.py" : "worse.py");
    diagnostic->set_severity(i % 2 == 0 ? lsp::v1::DIAGNOSTIC_SEVERITY_ERROR
                                        : lsp::v1::DIAGNOSTIC_SEVERITY_WARNING);
    diagnostic->set_message("undefined name");
    diagnostic->mutable_range()->set_start_line(i);
  }
  response.set_files_checked(7);
  lsp_.get_diagnostics.answer = response;
  json arguments = {{"max_answer_chars", 3000}, {"min_severity", "hint"}};
  size_t seen = 0;
  std::string last;
  for (int page = 0; page < 30; ++page) {
    const json answer = Answer("get_diagnostics", arguments);
    EXPECT_EQ(answer["diagnostic_count"], 100);
    for (const json& file : answer["files"]) {
      seen += file["diagnostics"].size();
      last = file["relative_path"].get<std::string>();
    }
    if (!answer.contains("next_cursor")) break;
    arguments["cursor"] = answer["next_cursor"];
  }
  EXPECT_EQ(seen, 100);
  EXPECT_EQ(last, "worse.py");
  EXPECT_EQ(lsp_.get_diagnostics.requests[0].min_severity(),
            lsp::v1::DIAGNOSTIC_SEVERITY_HINT);
}

}  // namespace
}  // namespace banyan::edge
