// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using ListProjectsTest = ToolFixture;

TEST_F(ListProjectsTest, NamesProjectsWithoutTheirPaths) {
  sessions_.projects.mutable_projects(0)->add_languages("python");
  const json answer = Answer("list_projects", nullptr);
  EXPECT_EQ(answer["projects"], json::array({{{"name", "backend-api"},
                                              {"sessions", 1},
                                              {"registered", true},
                                              {"languages", {"python"}}}}));
  EXPECT_EQ(answer.dump().find("/srv"), std::string::npos);
}

TEST_F(ListProjectsTest, NoProjectIsAnEmptyList) {
  sessions_.projects.clear_projects();
  EXPECT_EQ(Answer("list_projects", json::object())["projects"], json::array());
}

}  // namespace
}  // namespace banyan::edge
