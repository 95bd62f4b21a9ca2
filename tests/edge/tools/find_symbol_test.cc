// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using FindSymbolTest = ToolFixture;

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

}  // namespace
}  // namespace banyan::edge
