// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/argument_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "edge/tools/schema_parts.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ArgumentSchema MakeSchema() {
  json mode = ChoiceSchema("How.", {"literal", "regex"});
  mode["default"] = "literal";
  return *ArgumentSchema::Create(
      InputSchema({{"path", TextSchema("Which file.")},
                   {"depth", NumberSchema("How deep.", 0, 3)},
                   {"kinds", KindsSchema("Which kinds.")},
                   {"deep", FlagSchema("Deep or not.", false)},
                   {"mode", mode}},
                  {"path"}));
}

std::string MessageOf(const ArgumentSchema& schema, json arguments) {
  const auto prepared = schema.Prepare(std::move(arguments));
  EXPECT_THAT(prepared, HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  return std::string(prepared.status().message());
}

TEST(ArgumentSchemaTest, DefaultsAreFilledInAndExtraArgumentsIgnored) {
  const ArgumentSchema schema = MakeSchema();
  ASSERT_OK_AND_ASSIGN(const json prepared,
                       schema.Prepare({{"path", "a.cc"}, {"surprise", 1}}));
  EXPECT_EQ(prepared, json({{"path", "a.cc"},
                            {"depth", 3},
                            {"deep", false},
                            {"mode", "literal"}}));
}

TEST(ArgumentSchemaTest, NullCountsAsNotGiven) {
  const ArgumentSchema schema = MakeSchema();
  ASSERT_OK_AND_ASSIGN(const json prepared,
                       schema.Prepare({{"path", "a"}, {"depth", nullptr}}));
  EXPECT_EQ(prepared["depth"], 3);
  EXPECT_THAT(MessageOf(schema, {{"path", nullptr}}), HasSubstr("`path`"));
}

TEST(ArgumentSchemaTest, AWholeFloatIsAnInteger) {
  ASSERT_OK_AND_ASSIGN(const json prepared,
                       MakeSchema().Prepare({{"path", "a"}, {"depth", 2.0}}));
  EXPECT_TRUE(prepared["depth"].is_number_integer());
  EXPECT_EQ(prepared["depth"], 2);
}

TEST(ArgumentSchemaTest, AMissingArgumentIsNamedWithWhatItIs) {
  EXPECT_THAT(
      MessageOf(MakeSchema(), json::object()),
      testing::AllOf(HasSubstr("`path` is missing"), HasSubstr("Which file.")));
}

TEST(ArgumentSchemaTest, AWrongValueIsNamedWithWhatItShouldBe) {
  const ArgumentSchema schema = MakeSchema();
  EXPECT_THAT(MessageOf(schema, {{"path", 7}}),
              testing::AllOf(HasSubstr("`path`"), HasSubstr("string"),
                             HasSubstr("got 7")));
  EXPECT_THAT(MessageOf(schema, {{"path", "a"}, {"depth", -1}}),
              testing::AllOf(HasSubstr("`depth`"), HasSubstr("at least 0")));
  EXPECT_THAT(MessageOf(schema, {{"path", "a"}, {"mode", "fuzzy"}}),
              HasSubstr("one of literal, regex"));
  EXPECT_THAT(MessageOf(schema, {{"path", "a"}, {"depth", "3"}}),
              HasSubstr("integer"));
  EXPECT_THAT(MessageOf(schema, {{"path", "a"}, {"deep", "yes"}}),
              HasSubstr("boolean"));
  EXPECT_THAT(MessageOf(schema, {{"path", "a"}, {"kinds", {true}}}),
              HasSubstr("`kinds`"));
}

TEST(ArgumentSchemaTest, ABoundAndAnEmptyTextAreToldAsWell) {
  const ArgumentSchema schema =
      *ArgumentSchema::Create(InputSchema({{"path", TextSchema("Which file.")},
                                           {"depth", DepthSchema("How deep.")}},
                                          {"path"}));
  EXPECT_THAT(MessageOf(schema, {{"path", "a"}, {"depth", 150}}),
              HasSubstr("at most 32"));
  EXPECT_THAT(MessageOf(schema, {{"path", ""}}), HasSubstr("not empty"));
}

TEST(ArgumentSchemaTest, WhatMayBeEmptyMustStillBeThere) {
  const ArgumentSchema schema = *ArgumentSchema::Create(
      InputSchema({{"repl", AnyTextSchema("What comes instead.")}}, {"repl"}));
  EXPECT_THAT(schema.Prepare({{"repl", ""}}), IsOk());
  EXPECT_THAT(MessageOf(schema, json::object()),
              AllOf(HasSubstr("`repl`"), Not(HasSubstr("empty"))));
}

TEST(ArgumentSchemaTest, NumbersPastInt32AreRefused) {
  const ArgumentSchema schema = MakeSchema();
  for (const json& huge :
       {json(1e300), json(std::numeric_limits<uint64_t>::max()),
        json(int64_t{1} << 31), json(1.5)}) {
    EXPECT_THAT(MessageOf(schema, {{"path", "a"}, {"depth", huge}}),
                HasSubstr("`depth`"));
  }
}

TEST(ArgumentSchemaTest, ArgumentsThatAreNoObjectAreRefused) {
  for (const json& bad : {json("x"), json(1), json::array({1}), json(true)}) {
    EXPECT_THAT(MessageOf(MakeSchema(), bad), HasSubstr("must be an object"));
  }
}

TEST(ArgumentSchemaTest, ALongBadValueIsShownCutAtACodePoint) {
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "é";
  const std::string message =
      MessageOf(MakeSchema(), {{"path", "a"}, {"depth", wide}});
  EXPECT_LT(message.size(), 300);
  // Would throw on half a character.
  EXPECT_NO_THROW(json(message).dump());
}

TEST(ArgumentSchemaTest, ABrokenSchemaIsOurFault) {
  EXPECT_THAT(ArgumentSchema::Create({{"type", 7}}),
              HasCode(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace banyan::edge
