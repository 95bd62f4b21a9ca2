// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/name_path.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using rpc::v1::ERROR_REASON_NAME_PATH_MALFORMED;

NamePath Path(std::initializer_list<NamePathComponent> components) {
  return NamePath(components);
}

bool Matches(absl::string_view pattern, const NamePath& path,
             bool substring = false) {
  const auto parsed = NamePathPattern::Parse(pattern, substring);
  EXPECT_THAT(parsed, IsOk());
  return parsed.ok() && parsed->Matches(path);
}

TEST(NamePathPatternTest, ABareNameMatchesAtAnyDepth) {
  EXPECT_TRUE(Matches("run", Path({{"run"}})));
  EXPECT_TRUE(Matches("run", Path({{"Outer"}, {"Inner"}, {"run"}})));
  EXPECT_FALSE(Matches("run", Path({{"run"}, {"Inner"}})));
  EXPECT_FALSE(Matches("run", Path({{"runner"}})));
  EXPECT_FALSE(Matches("run", Path({{"Run"}})));
}

TEST(NamePathPatternTest, SeveralComponentsMatchTheEndOfThePath) {
  const NamePath path = Path({{"Outer"}, {"Inner"}, {"run"}});
  EXPECT_TRUE(Matches("Inner/run", path));
  EXPECT_TRUE(Matches("Outer/Inner/run", path));
  EXPECT_FALSE(Matches("Outer/run", path));
  EXPECT_FALSE(Matches("X/Outer/Inner/run", path));
}

TEST(NamePathPatternTest, AnAbsolutePatternIsTheWholePath) {
  EXPECT_TRUE(Matches("/Inner/run", Path({{"Inner"}, {"run"}})));
  EXPECT_FALSE(Matches("/Inner/run", Path({{"Outer"}, {"Inner"}, {"run"}})));
  EXPECT_FALSE(Matches("/run", Path({{"Inner"}, {"run"}})));
}

TEST(NamePathPatternTest, AnIndexPicksOneOfSameNamedSiblings) {
  const NamePath second = Path({{"Shape"}, {"area", 1}});
  EXPECT_TRUE(Matches("area[1]", second));
  EXPECT_TRUE(Matches("Shape/area[1]", second));
  EXPECT_TRUE(Matches("area", second));
  EXPECT_FALSE(Matches("area[0]", second));
  EXPECT_FALSE(Matches("area[2]", second));
  EXPECT_TRUE(Matches("Shape[1]/area", Path({{"Shape", 1}, {"area"}})));
  EXPECT_FALSE(Matches("Shape[1]/area", Path({{"Shape", 0}, {"area"}})));
}

TEST(NamePathPatternTest, TheOnlyOneOfItsNameIsAlsoTheFirst) {
  EXPECT_TRUE(Matches("area[0]", Path({{"area"}})));
  EXPECT_FALSE(Matches("area[1]", Path({{"area"}})));
}

TEST(NamePathPatternTest, BracketsThatAreNoIndexBelongToTheName) {
  EXPECT_TRUE(Matches("operator[]", Path({{"operator[]"}})));
  EXPECT_TRUE(Matches("a[x]", Path({{"a[x]"}})));
  EXPECT_TRUE(Matches("items[0]", Path({{"items[0]"}})));
  EXPECT_TRUE(Matches("[0]", Path({{"[0]"}})));
  EXPECT_FALSE(Matches("a[-1]", Path({{"a", 1}})));
  EXPECT_FALSE(Matches("a[99999999999999]", Path({{"a", 0}})));
}

TEST(NamePathPatternTest, SubstringsMatchInTheLastComponentOnly) {
  const NamePath path = Path({{"RequestHandler"}, {"handle_get"}});
  EXPECT_TRUE(Matches("handle", path, true));
  EXPECT_TRUE(Matches("RequestHandler/get", path, true));
  EXPECT_FALSE(Matches("Request/get", path, true));
  EXPECT_FALSE(Matches("handle", path, false));
}

TEST(NamePathPatternTest, WholePathDecidesBetweenSeveralMatches) {
  const auto pattern = NamePathPattern::Parse("area");
  ASSERT_THAT(pattern, IsOk());
  EXPECT_TRUE(pattern->IsWholePath(Path({{"area"}})));
  EXPECT_FALSE(pattern->IsWholePath(Path({{"Shape"}, {"area"}})));
  EXPECT_FALSE(pattern->IsWholePath(Path({{"area", 0}})));
  EXPECT_TRUE(
      NamePathPattern::Parse("/area[1]")->IsWholePath(Path({{"area", 1}})));
}

TEST(NamePathPatternTest, MalformedPatternsAreRefusedWithTheWayToWriteThem) {
  for (const std::string& text :
       {std::string(""), std::string("/"), std::string("a//b"),
        std::string("a/"), std::string("//a"), std::string("a\nb"),
        std::string("a\0b", 3)}) {
    EXPECT_THAT(NamePathPattern::Parse(text),
                HasReason(ERROR_REASON_NAME_PATH_MALFORMED))
        << text;
  }
}

TEST(NamePathPatternTest, OnlyIdentifiersMayBeSearchedAsWords) {
  const auto is_identifier = [](absl::string_view text, bool substring) {
    return NamePathPattern::Parse(text, substring)->IsIdentifier();
  };
  EXPECT_TRUE(is_identifier("Class/run_2", false));
  EXPECT_TRUE(is_identifier("$store", false));
  EXPECT_TRUE(is_identifier("größe", false));
  EXPECT_FALSE(is_identifier("operator+", false));
  EXPECT_FALSE(is_identifier("impl Point", false));
  EXPECT_FALSE(is_identifier("2d", false));
  EXPECT_TRUE(is_identifier("2d", true));
  EXPECT_TRUE(is_identifier("area[1]", false));
}

TEST(NamePathTest, IsWrittenWithSlashesAndIndices) {
  EXPECT_EQ(ToString(Path({{"Shape"}, {"area", 1}})), "Shape/area[1]");
  EXPECT_EQ(ShownName("operator/"), "operator#");
}

}  // namespace
}  // namespace banyan::lspd
