// SPDX-License-Identifier: Apache-2.0
//
// list_projects, get_current_config, release_workspace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using ListProjectsTest = ToolFixture;
using GetCurrentConfigTest = ToolFixture;
using ReleaseWorkspaceTest = ToolFixture;

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

TEST_F(GetCurrentConfigTest, ShowsWhatIsBoundWithTheStateOfItsServers) {
  lsp::v1::OpenRootResponse found;
  auto* language = found.add_languages();
  language->set_language("go");
  language->set_state("missing");
  language->set_message("install it: go install gopls");
  lsp_.open_root.answer = found;
  const json answer = Answer("get_current_config", json::object());
  EXPECT_EQ(answer["bound"], true);
  EXPECT_EQ(answer["version"], "0.1.0");
  EXPECT_EQ(answer["session"], "a1b2c3d4e5f60718");
  EXPECT_EQ(answer["workspace"], sessions_.workspace.handle());
  EXPECT_EQ(answer["root"], "/srv/backend-api");
  EXPECT_EQ(answer["languages"][0]["message"], "install it: go install gopls");
}

TEST_F(GetCurrentConfigTest, WithoutAWorkspaceItSaysWhatToDo) {
  sessions_.failures["Authorize"] = rpc::Error(rpc::v1::ERROR_REASON_NOT_BOUND,
                                               "call activate_project first");
  const json answer = Answer("get_current_config", json::object());
  EXPECT_EQ(answer["bound"], false);
  EXPECT_EQ(answer["next_step"], "call activate_project first");
  EXPECT_FALSE(answer.contains("root"));
}

TEST_F(GetCurrentConfigTest, AHandleThatIsGoneIsAnError) {
  sessions_.failures["Authorize"] =
      rpc::Error(rpc::v1::ERROR_REASON_HANDLE_GONE, "gone");
  EXPECT_THAT(Call("get_current_config", {{"workspace", "ws_x"}}),
              HasReason(rpc::v1::ERROR_REASON_HANDLE_GONE));
}

TEST_F(ReleaseWorkspaceTest, ReleasesTheNamedHandleOrTheSessions) {
  json answer = Answer("release_workspace", {{"workspace", "ws_x"}});
  EXPECT_EQ(answer, json({{"released", true}, {"workspace", "ws_x"}}));
  answer = Answer("release_workspace", json::object());
  EXPECT_EQ(answer, json({{"released", true}}));
  EXPECT_THAT(sessions_.released, testing::ElementsAre("ws_x", ""));
}

}  // namespace
}  // namespace banyan::edge
