// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using GetCurrentConfigTest = ToolFixture;

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

}  // namespace
}  // namespace banyan::edge
