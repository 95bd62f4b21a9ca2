// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/workspace_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "proto/rpc/event_log.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

class WorkspaceCallTest : public testing::Test {
 protected:
  WorkspaceCallTest() {
    call_.arguments = nlohmann::json::object();
    call_.caller.session_id = "session-1";
    call_.caller.session_public_id = "a1b2c3d4e5f60718";
    rpc::SetLogObserver(
        [this](const rpc::LogEntry& entry) { lines_.push_back(entry); });
  }
  ~WorkspaceCallTest() override { rpc::SetLogObserver(nullptr); }

  FakeSessionClient sessions_;
  ToolCall call_;
  std::vector<rpc::LogEntry> lines_;
};

TEST_F(WorkspaceCallTest, EveryWayOfBeingBoundIsPassedOn) {
  call_.arguments = {{"workspace", "ws_other"}, {"relative_path", "src/a.cc"}};
  call_.caller.default_project = "frontend";
  ASSERT_OK_AND_ASSIGN(const WorkspaceRead read,
                       AuthorizeRead(sessions_, call_, "read_file"));
  const auto& asked = sessions_.last_authorize;
  EXPECT_EQ(asked.workspace(), "ws_other");
  EXPECT_EQ(asked.session_id(), "session-1");
  EXPECT_EQ(asked.default_project(), "frontend");
  EXPECT_EQ(asked.access(), session::v1::ACCESS_READ_ONLY);
  EXPECT_THAT(asked.paths(), testing::ElementsAre("src/a.cc"));
  EXPECT_EQ(read.path, "src/a.cc");
  EXPECT_EQ(read.grant.payload(), "grant");
}

TEST_F(WorkspaceCallTest, TheRootNeedsNoPath) {
  ASSERT_OK_AND_ASSIGN(const WorkspaceRead read,
                       AuthorizeRead(sessions_, call_, "find_symbol"));
  EXPECT_TRUE(sessions_.last_authorize.paths().empty());
  EXPECT_EQ(read.path, "");
}

TEST_F(WorkspaceCallTest, AnImplicitBindingIsNamedByItsProject) {
  sessions_.workspace.clear_handle();
  ASSERT_OK_AND_ASSIGN(const WorkspaceRead read,
                       AuthorizeRead(sessions_, call_, "find_symbol"));
  EXPECT_EQ(read.label, "backend-api");
}

TEST_F(WorkspaceCallTest, TheDispatchIsLoggedByShortIdAndProject) {
  ASSERT_THAT(AuthorizeRead(sessions_, call_, "find_symbol"), IsOk());
  ASSERT_EQ(lines_.size(), 1);
  EXPECT_EQ(lines_[0].event, "tool_dispatch");
  EXPECT_EQ(lines_[0].message,
            "[Session: a1b2 | backend-api] Tool dispatch: find_symbol");
}

TEST_F(WorkspaceCallTest, AModernCallIsLoggedByItsHandlesPublicId) {
  call_.caller.session_id.clear();
  call_.caller.session_public_id.clear();
  ASSERT_THAT(AuthorizeRead(sessions_, call_, "find_symbol"), IsOk());
  EXPECT_EQ(lines_[0].message,
            "[Session: 0011 | backend-api] Tool dispatch: find_symbol");
}

TEST_F(WorkspaceCallTest, ARefusedCallIsLoggedTooAndKeepsItsReason) {
  sessions_.failures["Authorize"] =
      rpc::Error(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT, "outside");
  EXPECT_THAT(AuthorizeRead(sessions_, call_, "read_file"),
              HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT));
  EXPECT_EQ(lines_[0].message, "[Session: a1b2 | -] Tool dispatch: read_file");
  call_.arguments["workspace"] = "frontend";
  EXPECT_FALSE(AuthorizeRead(sessions_, call_, "read_file").ok());
  EXPECT_EQ(lines_[1].message,
            "[Session: a1b2 | frontend] Tool dispatch: read_file");
  // A handle never enters the log.
  call_.arguments["workspace"] = "ws_AAAAAAAAAAAAAAAAAAAAAA";
  EXPECT_FALSE(AuthorizeRead(sessions_, call_, "read_file").ok());
  EXPECT_EQ(lines_[2].message, "[Session: a1b2 | -] Tool dispatch: read_file");
}

}  // namespace
}  // namespace banyan::edge
