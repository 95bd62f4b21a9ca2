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

using GetSymbolsOverviewTest = ToolFixture;

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

}  // namespace
}  // namespace banyan::edge
