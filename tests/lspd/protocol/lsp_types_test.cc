// SPDX-License-Identifier: Apache-2.0
#include "lspd/protocol/lsp_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

json Range(int start_line, int start, int end_line, int end) {
  return {{"start", {{"line", start_line}, {"character", start}}},
          {"end", {{"line", end_line}, {"character", end}}}};
}

LspRange Expected(int start_line, int start, int end_line, int end) {
  return {{start_line, start}, {end_line, end}};
}

// What servers and attackers may send where something else is expected.
const std::vector<json>& OddValues() {
  static const std::vector<json> values = {
      json(),
      true,
      -1,
      1e300,
      "text",
      json::array(),
      {1, 2, 3},
      json::object(),
      {{"range", 7}},
      {{"start", 1}},
      {{"uri", 1}, {"range", {{"start", nullptr}}}}};
  return values;
}

TEST(LspRangeTest, JsonComesBackAsItWas) {
  ASSERT_OK_AND_ASSIGN(const LspRange range, RangeFromJson(Range(1, 2, 3, 4)));
  EXPECT_EQ(range, Expected(1, 2, 3, 4));
  EXPECT_EQ(ToJson(range), Range(1, 2, 3, 4));
}

TEST(LspRangeTest, NumbersOutOfReachAreClampedNotRefused) {
  json range = Range(0, 0, 0, 0);
  range["end"]["line"] = 4294967295u;
  range["start"]["line"] = -1;
  range["start"]["character"] = 3.0;
  ASSERT_OK_AND_ASSIGN(const LspRange parsed, RangeFromJson(range));
  EXPECT_EQ(parsed, Expected(0, 3, 2147483647, 0));
}

TEST(LspRangeTest, ABackwardsRangeIsEmpty) {
  ASSERT_OK_AND_ASSIGN(const LspRange range, RangeFromJson(Range(5, 0, 2, 0)));
  EXPECT_EQ(range, Expected(5, 0, 5, 0));
}

TEST(LspTypesTest, NoShapeMakesAnyParserThrow) {
  for (const json& odd : OddValues()) {
    for (const json& value :
         {odd, json::array({odd}), json{{"contents", odd}},
          json{{"diagnostics", odd}}, json::array({{{"location", odd}}}),
          json::array({{{"range", odd}, {"children", odd}}}),
          json{{"uri", "u"}, {"diagnostics", json::array({odd})}}}) {
      EXPECT_FALSE(RangeFromJson(value).ok() && !value.is_object());
      LocationsFromJson(value).IgnoreError();
      DocumentSymbolsFromJson(value).IgnoreError();
      WorkspaceSymbolsFromJson(value).IgnoreError();
      HoverFromJson(value).IgnoreError();
      PublishedDiagnosticsFromJson(value).IgnoreError();
      DiagnosticReportFromJson(value).IgnoreError();
    }
  }
}

TEST(LocationsTest, EveryFormIsOneList) {
  const json location = {{"uri", "file:///a"}, {"range", Range(1, 2, 1, 5)}};
  const json link = {{"targetUri", "file:///b"},
                     {"targetRange", Range(0, 0, 9, 0)},
                     {"targetSelectionRange", Range(3, 4, 3, 8)}};
  EXPECT_THAT(*LocationsFromJson(nullptr), IsEmpty());
  EXPECT_THAT(*LocationsFromJson(json::array()), IsEmpty());
  EXPECT_THAT(*LocationsFromJson(location),
              ElementsAre(Location{"file:///a", Expected(1, 2, 1, 5), {}}));
  EXPECT_THAT(*LocationsFromJson(json::array({location, link})),
              ElementsAre(Location{"file:///a", Expected(1, 2, 1, 5), {}},
                          Location{"file:///b", Expected(3, 4, 3, 8),
                                   Expected(0, 0, 9, 0)}));
}

TEST(LocationsTest, DuplicatesAreDroppedAndOrderIsKept) {
  const json b = {{"uri", "file:///b"}, {"range", Range(1, 0, 1, 1)}};
  const json a = {{"uri", "file:///a"}, {"range", Range(1, 0, 1, 1)}};
  const auto locations = *LocationsFromJson(json::array({b, a, b, a}));
  ASSERT_THAT(locations, SizeIs(2));
  EXPECT_EQ(locations[0].uri, "file:///b");
  EXPECT_EQ(locations[1].uri, "file:///a");
}

TEST(LocationsTest, AnElementThatCannotBeReadIsAnErrorNotAnOmission) {
  const json good = {{"uri", "file:///a"}, {"range", Range(1, 0, 1, 1)}};
  const auto locations =
      LocationsFromJson(json::array({good, {{"uri", "file:///b"}}}));
  EXPECT_THAT(locations, HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  EXPECT_THAT(LocationsFromJson("text"),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
}

json Symbol(const std::string& name, json range,
            json children = json::array()) {
  return {{"name", name},
          {"kind", 5},
          {"range", range},
          {"selectionRange", range},
          {"children", std::move(children)}};
}

json Flat(const std::string& name, json range,
          const std::string& container = "") {
  return {{"name", name},
          {"kind", 12},
          {"containerName", container},
          {"location", {{"uri", "file:///a"}, {"range", std::move(range)}}}};
}

// "a(b c(d))"
std::string Outline(const std::vector<DocumentSymbol>& symbols) {
  std::string text;
  for (const DocumentSymbol& symbol : symbols) {
    if (!text.empty()) text += " ";
    text += symbol.name;
    if (!symbol.children.empty()) {
      text += "(" + Outline(symbol.children) + ")";
    }
  }
  return text;
}

TEST(DocumentSymbolsTest, ATreeComesAsItIs) {
  json list =
      json::array({Symbol("A", Range(0, 0, 9, 0),
                          json::array({Symbol("m", Range(20, 0, 21, 0)),
                                       Symbol("", Range(2, 0, 3, 0))}))});
  list[0]["detail"] = "class";
  list[0]["tags"] = {1};
  list[0]["selectionRange"] = Range(0, 6, 0, 7);
  ASSERT_OK_AND_ASSIGN(const DocumentSymbols symbols,
                       DocumentSymbolsFromJson(list));
  EXPECT_FALSE(symbols.was_flat);
  // Children outside the parent and without a name are the server's business.
  EXPECT_EQ(Outline(symbols.roots), "A(m )");
  EXPECT_EQ(symbols.roots[0].detail, "class");
  EXPECT_EQ(symbols.roots[0].kind, 5);
  EXPECT_TRUE(symbols.roots[0].is_deprecated);
  EXPECT_EQ(symbols.roots[0].selection_range, Expected(0, 6, 0, 7));
}

TEST(DocumentSymbolsTest, AFlatListBecomesATreeByContainment) {
  ASSERT_OK_AND_ASSIGN(const DocumentSymbols symbols,
                       DocumentSymbolsFromJson(json::array({
                           Flat("inner", Range(2, 0, 3, 0)),
                           Flat("after", Range(10, 0, 12, 0)),
                           Flat("Outer", Range(0, 0, 9, 0)),
                           Flat("deep", Range(2, 4, 2, 9)),
                           Flat("other", Range(5, 0, 6, 0)),
                           Flat("crossing", Range(8, 0, 11, 0)),
                       })));
  EXPECT_TRUE(symbols.was_flat);
  EXPECT_EQ(Outline(symbols.roots), "Outer(inner(deep) other) crossing after");
}

TEST(DocumentSymbolsTest, EqualRangesAreSiblingsUnlessTheServerSaysOtherwise) {
  EXPECT_EQ(Outline(DocumentSymbolsFromJson(
                        json::array({Flat("a", Range(1, 0, 1, 9)),
                                     Flat("b", Range(1, 0, 1, 9))}))
                        ->roots),
            "a b");
  EXPECT_EQ(Outline(DocumentSymbolsFromJson(
                        json::array({Flat("a", Range(1, 0, 1, 9)),
                                     Flat("b", Range(1, 0, 1, 9), "a")}))
                        ->roots),
            "a(b)");
}

TEST(DocumentSymbolsTest, NothingIsAnEmptyListAndNonsenseAnError) {
  EXPECT_THAT(DocumentSymbolsFromJson(nullptr)->roots, IsEmpty());
  EXPECT_THAT(DocumentSymbolsFromJson(json::array())->roots, IsEmpty());
  EXPECT_THAT(DocumentSymbolsFromJson(json::object()),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  EXPECT_THAT(DocumentSymbolsFromJson(json::array({{{"name", "x"}}})),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
}

TEST(DocumentSymbolsTest, NestingWithoutEndIsAnErrorNotACrash) {
  json symbol = Symbol("x", Range(0, 0, 1, 0));
  for (int depth = 0; depth < 1000; ++depth) {
    symbol = Symbol("x", Range(0, 0, 1, 0), json::array({std::move(symbol)}));
  }
  EXPECT_THAT(DocumentSymbolsFromJson(json::array({symbol})),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
}

TEST(WorkspaceSymbolsTest, ASymbolMayLackItsRange) {
  json complete = Flat("f", Range(1, 0, 2, 0), "N");
  json partial = complete;
  partial["location"].erase("range");
  ASSERT_OK_AND_ASSIGN(
      const auto symbols,
      WorkspaceSymbolsFromJson(json::array({complete, partial})));
  ASSERT_THAT(symbols, SizeIs(2));
  EXPECT_EQ(symbols[0].range, Expected(1, 0, 2, 0));
  EXPECT_EQ(symbols[0].container_name, "N");
  EXPECT_FALSE(symbols[1].range.has_value());
}

TEST(HoverTest, EveryFormIsMarkdown) {
  EXPECT_EQ(HoverFromJson(nullptr)->text, "");
  EXPECT_EQ(HoverFromJson({{"contents", nullptr}})->text, "");
  EXPECT_EQ(HoverFromJson({{"contents", "plain"}})->text, "plain");
  EXPECT_EQ(
      HoverFromJson({{"contents", {{"language", "cpp"}, {"value", "int x"}}}})
          ->text,
      "```cpp\nint x\n```");
  EXPECT_EQ(
      HoverFromJson({{"contents", {{"kind", "markdown"}, {"value", "**x**"}}},
                     {"range", Range(1, 2, 1, 3)}})
          ->range,
      Expected(1, 2, 1, 3));
  EXPECT_EQ(
      HoverFromJson(
          {{"contents",
            json::array({{{"language", "go"}, {"value", "x"}}, "", "text"})}})
          ->text,
      "```go\nx\n```\n\ntext");
  EXPECT_FALSE(HoverFromJson({{"contents", 7}}).ok());
}

TEST(DiagnosticsTest, TheParamsOfTheNotificationAreRead) {
  ASSERT_OK_AND_ASSIGN(
      const PublishedDiagnostics published,
      PublishedDiagnosticsFromJson(
          {{"uri", "file:///a"},
           {"version", 3},
           {"diagnostics",
            json::array({{{"range", Range(1, 0, 1, 4)},
                          {"severity", 2},
                          {"code", 2304},
                          {"source", "ts"},
                          {"message", "unknown name"}},
                         {{"range", Range(2, 0, 2, 1)},
                          {"code", "E1"},
                          {"message",
                           {{"kind", "markdown"}, {"value", "*bad*"}}}}})}}));
  EXPECT_EQ(published.version, 3);
  ASSERT_THAT(published.diagnostics, SizeIs(2));
  EXPECT_EQ(published.diagnostics[0].code, "2304");
  EXPECT_EQ(published.diagnostics[0].severity, 2);
  EXPECT_EQ(published.diagnostics[1].severity, 1) << "absent means error";
  EXPECT_EQ(published.diagnostics[1].message, "*bad*");
}

// Nobody names an earlier report, so there is none to be unchanged; read as an
// empty list it would be "nothing is wrong with this file".
TEST(DiagnosticsTest, AReportThatSaysNothingIsNotAnEmptyOne) {
  for (const json& report :
       {json(nullptr), json({{"kind", "unchanged"}, {"resultId", "r1"}}),
        json({{"kind", "full"}}), json::object(), json::array()}) {
    EXPECT_THAT(DiagnosticReportFromJson(report),
                HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED))
        << report;
  }
  EXPECT_THAT(
      *DiagnosticReportFromJson({{"kind", "full"}, {"items", json::array()}}),
      IsEmpty());
  ASSERT_OK_AND_ASSIGN(
      const auto full,
      DiagnosticReportFromJson(
          {{"kind", "full"},
           {"items",
            json::array({{{"range", Range(0, 0, 0, 1)}, {"message", "m"}}})}}));
  EXPECT_THAT(full, SizeIs(1));
}

TEST(SymbolKindTest, NamesAreLowerSnakeCaseAndComeBack) {
  EXPECT_EQ(SymbolKindName(1), "file");
  EXPECT_EQ(SymbolKindName(5), "class");
  EXPECT_EQ(SymbolKindName(12), "function");
  EXPECT_EQ(SymbolKindName(22), "enum_member");
  EXPECT_EQ(SymbolKindName(26), "type_parameter");
  EXPECT_EQ(SymbolKindName(0), "unknown");
  EXPECT_EQ(SymbolKindName(27), "unknown");
  for (int kind = 1; kind <= 26; ++kind) {
    EXPECT_EQ(SymbolKindFromName(SymbolKindName(kind)), kind);
  }
  EXPECT_EQ(SymbolKindFromName("Class"), std::nullopt);
}

TEST(LspTypesTest, AnErrorShowsTheCulprit) {
  EXPECT_THAT(std::string(HoverFromJson(17).status().message()),
              HasSubstr("17"));
}

}  // namespace
}  // namespace banyan::lspd
