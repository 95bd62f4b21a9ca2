// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using FindReferencingSymbolsTest = ToolFixture;

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

}  // namespace
}  // namespace banyan::edge
