// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using ReleaseWorkspaceTest = ToolFixture;

TEST_F(ReleaseWorkspaceTest, ReleasesTheNamedHandleOrTheSessions) {
  json answer = Answer("release_workspace", {{"workspace", "ws_x"}});
  EXPECT_EQ(answer, json({{"released", true}, {"workspace", "ws_x"}}));
  answer = Answer("release_workspace", json::object());
  EXPECT_EQ(answer, json({{"released", true}}));
  EXPECT_THAT(sessions_.released, testing::ElementsAre("ws_x", ""));
}

}  // namespace
}  // namespace banyan::edge
