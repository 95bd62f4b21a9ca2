// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/symbol_tree.h"

#include <gmock/gmock.h>

#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kClass = 5;
constexpr int kMethod = 6;
constexpr int kVariable = 13;
constexpr int kFunction = 12;
constexpr int kStruct = 23;

ServerEntry Row(const std::string& id, const std::string& language = "") {
  ServerEntry entry;
  entry.set_id(id);
  entry.set_language(language);
  if (id == "gopls") {
    entry.add_quirks("receiver_in_name");
    entry.add_quirks("range_starts_at_name");
  }
  return entry;
}

FileSymbols Build(const json& symbols, absl::string_view text,
                  const ServerEntry& row = Row("plain"),
                  PositionEncoding encoding = PositionEncoding::kUtf16) {
  const auto tree = SymbolsFromJson(symbols, LineIndex(text), encoding, row);
  EXPECT_THAT(tree, IsOk());
  return tree.ok() ? *tree : FileSymbols();
}

std::vector<std::string> Paths(const FileSymbols& symbols) {
  std::vector<std::string> paths;
  ForEachSymbol(symbols, [&](const SymbolPlace& place) {
    paths.push_back(ToString(place.path));
    return true;
  });
  return paths;
}

bool Finds(const FileSymbols& symbols, absl::string_view pattern) {
  bool is_found = false;
  const auto parsed = NamePathPattern::Parse(pattern);
  ForEachSymbol(symbols, [&](const SymbolPlace& place) {
    is_found |= Matches(*parsed, place);
    return true;
  });
  return is_found;
}

TEST(SymbolTreeTest, SiblingsOfOneNameAreNumberedInOrderOfPosition) {
  const std::string text(100, '\n');
  const FileSymbols symbols = Build(
      json::array({SymbolOf("area", kFunction, 5, 0),
                   SymbolOf("Box", kClass, 1, 0,
                            json::array({SymbolOf("area", kMethod, 3, 0),
                                         SymbolOf("area", kMethod, 2, 0),
                                         SymbolOf("side", kMethod, 4, 0)}))}),
      text);
  EXPECT_THAT(Paths(symbols), ElementsAre("Box", "Box/area[0]", "Box/area[1]",
                                          "Box/side", "area"));
}

TEST(SymbolTreeTest, LocalsOfFunctionsAreLeftOutAndInnerDefinitionsStay) {
  const FileSymbols symbols = Build(
      json::array({SymbolOf(
          "outer", kFunction, 0, 0,
          json::array(
              {SymbolOf("local", kVariable, 1, 0),
               SymbolOf("map() callback", kFunction, 2, 0),
               SymbolOf("inner", kFunction, 3, 0,
                        json::array({SymbolOf("deep", kVariable, 4, 0)}))}))}),
      std::string(100, '\n'));
  EXPECT_THAT(Paths(symbols), ElementsAre("outer", "outer/inner"));
}

TEST(SymbolTreeTest, ColumnsAreCodePointsBehindAnEmojiAndACombiningMark) {
  // "😀" is two UTF-16 units and four bytes, "é" here a letter and its mark.
  const std::string text = "/* 😀 e\xcc\x81 */ run\n";
  const FileSymbols utf16 =
      Build(json::array({SymbolOf("run", kFunction, 0, 12)}), text);
  EXPECT_EQ(utf16.roots[0].selection.start, (TextPosition{1, 12}));
  EXPECT_EQ(utf16.roots[0].selection.end, (TextPosition{1, 15}));
  const FileSymbols utf8 =
      Build(json::array({SymbolOf("run", kFunction, 0, 15)}), text,
            Row("plain"), PositionEncoding::kUtf8);
  EXPECT_EQ(utf8.roots[0].selection.start, (TextPosition{1, 12}));
}

TEST(SymbolTreeTest, AnEndAtTheNextLinesStartIsTheLastLineItself) {
  json symbol = SymbolOf("run", kFunction, 0, 0);
  symbol["range"]["end"] = {{"line", 2}, {"character", 0}};
  const FileSymbols symbols =
      Build(json::array({symbol}), "run() {\n  end\nnext\n");
  EXPECT_EQ(symbols.roots[0].range.end, (TextPosition{2, 6}));
}

TEST(SymbolTreeTest, ALoneGoDeclarationBeginsAtItsKeyword) {
  json lone = SymbolOf("T", kStruct, 0, 5);
  lone["range"]["start"] = {{"line", 0}, {"character", 5}};
  json grouped = SymbolOf("U", kStruct, 2, 1);
  grouped["range"]["start"] = {{"line", 2}, {"character", 1}};
  const FileSymbols symbols =
      Build(json::array({lone, grouped}),
            "type T struct{}\nvar (\n\tU struct{}\n)\n", Row("gopls"));
  EXPECT_EQ(symbols.roots[0].range.start, (TextPosition{1, 1}));
  EXPECT_EQ(symbols.roots[1].range.start, (TextPosition{3, 2}));
}

TEST(SymbolTreeTest, GoMethodsAreFoundBareAndByTheirType) {
  const FileSymbols symbols =
      Build(json::array({SymbolOf("(*Server).Run", kMethod, 0, 0),
                         SymbolOf("(Client).Run", kMethod, 1, 0)}),
            std::string(10, '\n'), Row("gopls"));
  EXPECT_THAT(Paths(symbols), ElementsAre("Run[0]", "Run[1]"));
  EXPECT_TRUE(Finds(symbols, "Server/Run"));
  EXPECT_TRUE(Finds(symbols, "/Client/Run"));
  EXPECT_FALSE(Finds(symbols, "Other/Run"));
}

TEST(SymbolTreeTest, OutOfLineDefinitionsAreShownBeneathTheirClass) {
  const FileSymbols symbols =
      Build(json::array({SymbolOf("geo::Box::area", kMethod, 0, 0),
                         SymbolOf("operator/", kFunction, 1, 0)}),
            std::string(10, '\n'), Row("clangd"));
  EXPECT_THAT(Paths(symbols), ElementsAre("geo/Box/area", "operator#"));
  EXPECT_TRUE(Finds(symbols, "Box/area"));
  EXPECT_TRUE(Finds(symbols, "area"));
}

TEST(SymbolTreeTest, RustMethodsAreFoundByTheirType) {
  const FileSymbols symbols = Build(
      json::array({SymbolOf("impl Display for Point", 19, 0, 0,
                            json::array({SymbolOf("fmt", kMethod, 1, 0)}), 1)}),
      std::string(10, '\n'), Row("rust-analyzer"));
  EXPECT_TRUE(Finds(symbols, "Point/fmt"));
  EXPECT_TRUE(Finds(symbols, "impl Display for Point/fmt"));
  EXPECT_FALSE(Finds(symbols, "Point"));
}

TEST(SymbolTreeTest, WhatTypeScriptImportsIsNotDefinedThere) {
  const FileSymbols symbols =
      Build(json::array({SymbolOf("run", kVariable, 0, 9),
                         SymbolOf("walk", kVariable, 2, 2),
                         SymbolOf("fs", kVariable, 4, 6)}),
            "import { run } from './a';\nimport {\n  walk,\n} from './b';\n"
            "const fs = require('fs');\n",
            Row("typescript-native", "typescript"));
  EXPECT_THAT(Paths(symbols), ElementsAre("fs"));
}

TEST(SymbolTreeTest, EmptyNamesAndNoSymbolsAreFine) {
  EXPECT_THAT(Paths(Build(nullptr, "x")), IsEmpty());
  EXPECT_THAT(Paths(Build(json::array({SymbolOf("", kClass, 0, 0)}), "x")),
              ElementsAre("(anonymous)"));
}

TEST(SymbolTreeTest, GarbageIsAnErrorAndNoTree) {
  EXPECT_THAT(SymbolsFromJson(json{{"surprise", 1}}, LineIndex("x"),
                              PositionEncoding::kUtf8, Row("plain")),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
}

TEST(SymbolTreeTest, TheInnermostSymbolHoldsAPosition) {
  const FileSymbols symbols =
      Build(json::array(
                {SymbolOf("Box", kClass, 0, 6,
                          json::array({SymbolOf("area", kMethod, 2, 4)}), 4)}),
            "class Box {\n\n    area() {}\n\n}\nrest\n");
  EXPECT_EQ(ToString(SymbolAt(symbols, {3, 9})->path), "Box/area");
  EXPECT_EQ(ToString(SymbolAt(symbols, {2, 1})->path), "Box");
  EXPECT_FALSE(SymbolAt(symbols, {6, 1}).has_value());
  EXPECT_EQ(ToString(SymbolNamedAt(symbols, {1, 7})->path), "Box");
  EXPECT_FALSE(SymbolNamedAt(symbols, {1, 1}).has_value());
}

TEST(SymbolTreeTest, ChildrenAreToldDownToTheDepthThatIsAskedFor) {
  const FileSymbols symbols =
      Build(json::array(
                {SymbolOf("A", kClass, 0, 0,
                          json::array({SymbolOf(
                              "B", kClass, 1, 0,
                              json::array({SymbolOf("C", kClass, 2, 0)}))}))}),
            std::string(10, '\n'));
  ForEachSymbol(symbols, [](const SymbolPlace& place) {
    EXPECT_EQ(ToProto(place, "a", 0).children_size(), 0);
    const lsp::v1::Symbol one = ToProto(place, "a", 1);
    EXPECT_EQ(one.children(0).name_path(), "A/B");
    EXPECT_EQ(one.children(0).children_size(), 0);
    EXPECT_EQ(ToProto(place, "a", 9).children(0).children(0).name_path(),
              "A/B/C");
    return false;
  });
}

}  // namespace
}  // namespace banyan::lspd
