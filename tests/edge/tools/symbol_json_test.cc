// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/symbol_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

TEST(SymbolJsonTest, AnExternalSymbolShowsNeitherBodyNorAbsolutePath) {
  lsp::v1::Symbol symbol;
  symbol.set_name_path("vector");
  symbol.set_kind("class");
  symbol.set_is_external(true);
  symbol.set_relative_path("/home/somebody/.venv/lib/requests/api.py");
  symbol.set_body("secret");
  symbol.set_hash("sha256:00");
  EXPECT_EQ(ToJson(symbol), json({{"name_path", "vector"},
                                  {"kind", "class"},
                                  {"external", true},
                                  {"external_file", "lib/requests/api.py"}}));
}

TEST(SymbolJsonTest, OfAnExternalSymbolIsLeftOutWhatNobodyKnows) {
  lsp::v1::Symbol symbol;
  symbol.set_name("println");
  symbol.set_is_external(true);
  symbol.set_relative_path("/usr/share/go/src/fmt/print.go");
  symbol.mutable_range()->set_start_line(306);
  symbol.mutable_range()->set_end_line(306);
  EXPECT_EQ(ToJson(symbol), json({{"name_path", "println"},
                                  {"external", true},
                                  {"external_file", "src/fmt/print.go"},
                                  {"start_line", 306},
                                  {"end_line", 306}}));
}

TEST(SymbolJsonTest, ChildrenLeaveTheFileToTheirParent) {
  lsp::v1::Symbol symbol;
  symbol.set_name_path("A");
  symbol.set_kind("class");
  symbol.set_relative_path("a.py");
  auto* child = symbol.add_children();
  child->set_name_path("A/f");
  child->set_kind("method");
  child->set_relative_path("a.py");
  child->mutable_range()->set_start_line(2);
  child->mutable_range()->set_start_column(5);
  child->mutable_range()->set_end_line(3);
  child->mutable_range()->set_end_column(11);
  EXPECT_EQ(ToJson(symbol)["children"], json::array({{{"name_path", "A/f"},
                                                      {"kind", "method"},
                                                      {"start_line", 2},
                                                      {"column", 5},
                                                      {"end_line", 3},
                                                      {"end_column", 11}}}));
}

TEST(SymbolJsonTest, CompleteMeansThatNoReasonIsGiven) {
  json answer;
  AddCompleteness(answer, {});
  EXPECT_EQ(answer, json({{"complete", true}, {"incomplete", json::array()}}));
}

TEST(SymbolJsonTest, ReasonsAreLowerCaseAndUnknownOnesKeepTheirNumber) {
  google::protobuf::RepeatedPtrField<lsp::v1::Incompleteness> incomplete;
  auto* one = incomplete.Add();
  one->set_reason(lsp::v1::INCOMPLETE_REASON_NO_COMPILE_DATABASE);
  one->set_language("cpp");
  auto* two = incomplete.Add();
  two->set_reason(static_cast<lsp::v1::IncompleteReason>(99));
  two->set_count(3);
  json answer;
  AddCompleteness(answer, incomplete);
  EXPECT_EQ(answer["complete"], false);
  EXPECT_EQ(
      answer["incomplete"],
      json::array({{{"reason", "no_compile_database"}, {"language", "cpp"}},
                   {{"reason", "unknown_99"}, {"count", 3}}}));
}

TEST(SymbolJsonTest, KindsAreNamesOrLspNumbers) {
  ASSERT_OK_AND_ASSIGN(
      const auto kinds,
      KindsFromJson({{"k", {"Class", 12, "enum_member"}}}, "k"));
  EXPECT_THAT(kinds, testing::ElementsAre("class", "function", "enum_member"));
  ASSERT_OK_AND_ASSIGN(const auto last, KindsFromJson({{"k", {26, 1}}}, "k"));
  EXPECT_THAT(last, testing::ElementsAre("type_parameter", "file"));
  for (const json& bad :
       {json("klass"), json(0), json(27), json(-1), json("")}) {
    EXPECT_THAT(KindsFromJson({{"k", {bad}}}, "k"),
                HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  }
}

TEST(SymbolJsonTest, APlaceIsNamedInExactlyOneWay) {
  ASSERT_OK_AND_ASSIGN(const auto position,
                       PositionFromJson({{"line", 3}, {"column", 7}}, "a.py"));
  EXPECT_EQ(position.line(), 3);
  EXPECT_EQ(position.relative_path(), "a.py");
  EXPECT_THAT(PositionFromJson({{"regex", "(x)"}}, "a.py"), IsOk());
  for (const json& bad : {json::object(), json({{"line", 3}}),
                          json({{"regex", "(x)"}, {"line", 3}, {"column", 1}}),
                          json({{"regex", "(x)"}, {"name_path", "f"}})}) {
    EXPECT_THAT(PositionFromJson(bad, "a.py"),
                HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  }
}

}  // namespace
}  // namespace banyan::edge
