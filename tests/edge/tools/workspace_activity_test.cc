// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using WorkspaceActivityTest = ToolFixture;

TEST_F(WorkspaceActivityTest, SaysWhoChangedWhat) {
  for (const auto& [path, is_own, session] : {std::tuple{"mine", true, "a1"},
                                              {"theirs", false, "b2"},
                                              {"outside", false, ""}}) {
    auto* file = lsp_.get_activity.answer->add_files();
    file->set_relative_path(path);
    file->set_is_own(is_own);
    file->set_session_public_id(session);
  }
  lsp_.get_activity.answer->add_unfinished("left.cc");
  const json answer =
      Answer("workspace_activity", {{"since", "2026-01-31T12:00:00Z"}});
  EXPECT_EQ(answer["changes"][0]["by"], "you");
  EXPECT_EQ(answer["changes"][1]["by"], "b2");
  EXPECT_EQ(answer["changes"][2]["by"], "outside");
  EXPECT_EQ(answer["unsettled"], json::array({"left.cc"}));
  EXPECT_EQ(lsp_.get_activity.requests.back().since_unix_ms(), 1769860800000);
  EXPECT_THAT(Call("workspace_activity", {{"since", "yesterday"}}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

}  // namespace
}  // namespace banyan::edge
