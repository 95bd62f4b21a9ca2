// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/symbol_names.h"

#include <gmock/gmock.h>

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SymbolNamesTest, GoReceiversAreCut) {
  for (const char* text : {"(*Server).Start", "(Server).Start", "Server.Start",
                           "(*Server[K, V]).Start"}) {
    const ParsedName plain = Normalize(text, NameStyle::kReceiver);
    EXPECT_EQ(plain.name, "Start") << text;
    EXPECT_THAT(plain.owner, ElementsAre("Server")) << text;
  }
}

TEST(SymbolNamesTest, NamesWithoutAReceiverStayWhole) {
  for (const char* text : {"Start", "(*Server", "(a).", ".x", "x."}) {
    EXPECT_EQ(Normalize(text, NameStyle::kReceiver).name, text);
    EXPECT_THAT(Normalize(text, NameStyle::kReceiver).owner, IsEmpty());
  }
}

TEST(SymbolNamesTest, ParameterListsAreCut) {
  EXPECT_EQ(Normalize("add(int, int)", NameStyle::kParameterList).name, "add");
  EXPECT_EQ(Normalize("run() : void", NameStyle::kParameterList).name, "run");
  EXPECT_EQ(Normalize("(x)", NameStyle::kParameterList).name, "(x)");
}

TEST(SymbolNamesTest, LuaTablesAreOwners) {
  const ParsedName plain =
      Normalize("bank.account:deposit", NameStyle::kDotted);
  EXPECT_EQ(plain.name, "deposit");
  EXPECT_THAT(plain.owner, ElementsAre("bank", "account"));
  EXPECT_EQ(Normalize("a.", NameStyle::kDotted).name, "a.");
}

TEST(SymbolNamesTest, OutOfLineDefinitionsKnowTheirClass) {
  const ParsedName plain = Normalize("geo::Box<int>::area", NameStyle::kScoped);
  EXPECT_EQ(plain.name, "area");
  EXPECT_THAT(plain.owner, ElementsAre("geo", "Box"));
}

TEST(SymbolNamesTest, ColonsInsideBracketsAndOperatorsAreNoScope) {
  EXPECT_EQ(Normalize("Box<std::string>", NameStyle::kScoped).name,
            "Box<std::string>");
  EXPECT_THAT(Normalize("Box<std::string>::get", NameStyle::kScoped).owner,
              ElementsAre("Box"));
  EXPECT_EQ(Normalize("Box::operator std::string", NameStyle::kScoped).name,
            "operator std::string");
  EXPECT_EQ(Normalize("Box::operator<", NameStyle::kScoped).name, "operator<");
  EXPECT_EQ(Normalize("operators::run", NameStyle::kScoped).name, "run");
  EXPECT_EQ(Normalize("::", NameStyle::kScoped).name, "::");
}

TEST(SymbolNamesTest, ImplementationsAreKnownByTheirType) {
  for (const char* text : {"impl Point", "impl<T> Display for Point<T>",
                           "impl Iterator for &Point",
                           "impl<F: Fn(u8) -> u8> From<F> for geo::Point<F>",
                           "impl<T> Point<T> where T: Copy"}) {
    const ParsedName plain = Normalize(text, NameStyle::kImplementation);
    EXPECT_EQ(plain.name, text);
    EXPECT_EQ(plain.container_name, "Point") << text;
  }
  EXPECT_EQ(Normalize("implode", NameStyle::kImplementation).container_name,
            "");
  EXPECT_EQ(Normalize("impl", NameStyle::kImplementation).container_name, "");
}

TEST(SymbolNamesTest, TheRowsQuirkGoesBeforeTheServersId) {
  ServerEntry entry;
  entry.set_id("gopls");
  EXPECT_EQ(NameStyleOf(entry), NameStyle::kReceiver);
  entry.add_quirks("parameters_in_name");
  EXPECT_EQ(NameStyleOf(entry), NameStyle::kParameterList);
  EXPECT_EQ(NameStyleOf(ServerEntry()), NameStyle::kPlain);
}

}  // namespace
}  // namespace banyan::lspd
