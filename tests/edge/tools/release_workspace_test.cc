// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using ReleaseWorkspaceTest = ToolFixture;

TEST_F(ReleaseWorkspaceTest, ReleasesTheNamedHandle) {
  const json answer = Answer("release_workspace", {{"workspace", "ws_x"}});
  EXPECT_EQ(answer, json({{"released", true}, {"workspace", "ws_x"}}));
  EXPECT_THAT(sessions_.released, testing::ElementsAre("ws_x"));
}

// It went on in another project without a word, and a second call gave that
// one back, too.
TEST_F(ReleaseWorkspaceTest, SaysWhatItReleasedAndWhereTheSessionGoesOn) {
  auto* before = sessions_.workspaces.add_workspaces();
  before->set_handle("ws_before");
  before->set_project_name("web");
  *sessions_.workspaces.add_workspaces() = sessions_.workspace;
  json answer = Answer("release_workspace", json::object());
  EXPECT_EQ(answer["workspace"], sessions_.workspace.handle());
  EXPECT_EQ(answer["now_active"],
            json({{"workspace", "ws_before"}, {"project_name", "web"}}));
  answer = Answer("release_workspace", json::object());
  EXPECT_EQ(answer["workspace"], "ws_before");
  EXPECT_FALSE(answer.contains("now_active"));
  EXPECT_THAT(sessions_.released,
              testing::ElementsAre(sessions_.workspace.handle(), "ws_before"));
}

TEST_F(ReleaseWorkspaceTest, OutsideASessionThereIsNoneToGuess) {
  *sessions_.workspaces.add_workspaces() = sessions_.workspace;
  caller_.session_id.clear();
  EXPECT_FALSE(
      Answer("release_workspace", json::object()).contains("workspace"));
  EXPECT_THAT(sessions_.released, testing::ElementsAre(""));
}

}  // namespace
}  // namespace banyan::edge
