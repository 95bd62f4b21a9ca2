// SPDX-License-Identifier: Apache-2.0
#include "sessiond/projects/modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Modes::Names Names(std::initializer_list<std::string> list) {
  Modes::Names names;
  for (const std::string& name : list) *names.Add() = name;
  return names;
}

session::v1::Mode Mode(const std::string& name, const std::string& tool) {
  session::v1::Mode mode;
  mode.set_name(name);
  mode.add_hidden_tools(tool);
  return mode;
}

TEST(ModesTest, PlanningHidesEveryKindOfEdit) {
  const Modes modes;
  EXPECT_THAT(modes.JudgeTool(Names({"planning"}), "replace_lines", "editing"),
              HasReason(rpc::v1::ERROR_REASON_TOOL_HIDDEN));
  EXPECT_THAT(
      modes.JudgeTool(Names({"planning"}), "rename_symbol", "refactoring"),
      HasReason(rpc::v1::ERROR_REASON_TOOL_HIDDEN));
  EXPECT_THAT(modes.JudgeTool(Names({"planning"}), "find_symbol", "reading"),
              IsOk());
  EXPECT_THAT(modes.JudgeTool(Names({}), "replace_lines", "editing"), IsOk());
}

TEST(ModesTest, TheRefusalNamesTheModeAndTheTool) {
  const absl::Status refusal =
      Modes().JudgeTool(Names({"planning"}), "delete_file", "editing");
  EXPECT_THAT(
      std::string(refusal.message()),
      ::testing::AllOf(HasSubstr("planning"), HasSubstr("delete_file")));
}

TEST(ModesTest, SeveralModesHideWhatAnyOfThemHides) {
  const auto filter =
      Modes().FilterOf(Names({"no-memories", "no-refactoring"}));
  EXPECT_THAT(filter.hidden_groups(), ElementsAre("memories", "refactoring"));
  EXPECT_THAT(filter.hidden_tools(), IsEmpty());
  EXPECT_THAT(Modes().FilterOf(Names({})).hidden_groups(), IsEmpty());
}

TEST(ModesTest, AnOperatorsModeHidesSingleToolsAndMayReplaceABuiltInOne) {
  Modes modes;
  ASSERT_THAT(modes.Add(Mode("review", "delete_file")), IsOk());
  EXPECT_THAT(modes.JudgeTool(Names({"review"}), "delete_file", "editing"),
              HasReason(rpc::v1::ERROR_REASON_TOOL_HIDDEN));
  EXPECT_THAT(modes.JudgeTool(Names({"review"}), "move_file", "editing"),
              IsOk());
  ASSERT_THAT(modes.Add(Mode("planning", "delete_file")), IsOk());
  EXPECT_THAT(modes.JudgeTool(Names({"planning"}), "move_file", "editing"),
              IsOk());
}

TEST(ModesTest, AnUnknownModeIsRefusedWithTheListOfThoseThereAre) {
  const absl::Status refusal = Modes().Check(Names({"planing"}));
  EXPECT_THAT(refusal, HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_THAT(rpc::DetailOf(refusal).alternatives(), Contains("planning"));
  EXPECT_THAT(Modes().Check(Names({"planning", "no-memories"})), IsOk());
}

// The operator took a mode away while handles are in it: nothing opens up.
TEST(ModesTest, AModeThatIsKnownNoMoreHidesTheMost) {
  EXPECT_THAT(Modes().FilterOf(Names({"gone"})).hidden_groups(),
              ElementsAre("editing", "memories", "refactoring"));
  EXPECT_THAT(Modes().JudgeTool(Names({"gone"}), "replace_lines", "editing"),
              HasReason(rpc::v1::ERROR_REASON_TOOL_HIDDEN));
}

TEST(ModesTest, AModeWithoutAProperNameIsRefused) {
  Modes modes;
  for (const std::string& name : {std::string(), std::string("a b"),
                                  std::string("a\n"), std::string(65, 'a')}) {
    EXPECT_EQ(modes.Add(Mode(name, "x")).code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace banyan::sessiond
