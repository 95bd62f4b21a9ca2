// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/fake_lsp_client.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

class OverviewTest : public testing::Test {
 protected:
  OverviewTest() {
    auto* legacy = sessions_.sessions.add_entries();
    legacy->mutable_session()->set_public_id("a1b2c3d4e5f60718");
    legacy->mutable_session()->set_created_unix_ms(1796083200000);
    legacy->mutable_session()->set_client_name("editor");
    legacy->mutable_session()->set_client_version("3.1");
    *legacy->mutable_workspace() = sessions_.workspace;
    auto* modern = sessions_.sessions.add_entries();
    *modern->mutable_workspace() = sessions_.workspace;
    modern->mutable_workspace()->set_public_id("9988776655443322");
    modern->mutable_workspace()->set_client_name("agent");

    auto& answer = lsp_.pool_stats.answers.emplace_back();
    answer.set_total_memory_bytes(300 << 20);
    auto* server = answer.add_servers();
    server->set_language("python");
    server->set_workspace_root("/srv/backend-api");
    server->set_pid(1234);
    server->set_memory_bytes((200 << 20) + (1 << 19));
    server->set_ref_count(1);
    server->add_active_sessions("a1b2c3d4e5f60718");
    server->set_status(lsp::v1::SERVER_STATUS_RUNNING);
    auto& other = lsp_.pool_stats.answers.emplace_back();
    other.set_total_memory_bytes(100 << 20);
    other.add_servers()->set_status(lsp::v1::SERVER_STATUS_RECLAIMING);
  }

  FakeSessionClient sessions_;
  FakeLspClient lsp_;
  Overview overview_{sessions_, lsp_};
};

TEST_F(OverviewTest, EverySessionAndEveryHandleIsOneEntry) {
  ASSERT_OK_AND_ASSIGN(const std::string text, overview_.SessionsJson({}, {}));
  EXPECT_EQ(json::parse(text),
            json({{"total_sessions", 2},
                  {"handles_of_ended_sessions", json::array()},
                  {"active_sessions",
                   {{{"session_id", "a1b2c3d4e5f60718"},
                     {"workspace_root", "/srv/backend-api"},
                     {"project_name", "backend-api"},
                     {"connected_at", "2026-12-01T00:00:00+00:00"},
                     {"client_id", "editor 3.1"},
                     {"acquired_lsps", {"python"}}},
                    {{"session_id", "9988776655443322"},
                     {"workspace_root", "/srv/backend-api"},
                     {"project_name", "backend-api"},
                     {"connected_at", "1970-01-01T00:00:00+00:00"},
                     {"client_id", "agent"},
                     {"acquired_lsps", json::array()}}}}}));
  EXPECT_EQ(text.find(sessions_.workspace.handle()), std::string::npos);
}

TEST_F(OverviewTest, AHandleOfAnEndedSessionIsNoSession) {
  sessions_.sessions.mutable_entries(1)
      ->mutable_workspace()
      ->set_session_public_id("1122334455667788");
  ASSERT_OK_AND_ASSIGN(const std::string text, overview_.SessionsJson({}, {}));
  const json overview = json::parse(text);
  EXPECT_EQ(overview["total_sessions"], 1);
  EXPECT_EQ(overview["handles_of_ended_sessions"][0]["session_id"],
            "9988776655443322");
}

TEST_F(OverviewTest, AnUnboundSessionIsShownWithoutWorkspace) {
  sessions_.sessions.mutable_entries(0)->clear_workspace();
  ASSERT_OK_AND_ASSIGN(const std::string text, overview_.SessionsJson({}, {}));
  EXPECT_EQ(json::parse(text)["active_sessions"][0]["workspace_root"], "");
}

TEST_F(OverviewTest, WithoutThePoolTheSessionsAreStillShown) {
  sessions_.failures["AuthorizeOperator"] =
      rpc::Error(rpc::v1::ERROR_REASON_SCOPE_MISSING, "x");
  ASSERT_OK_AND_ASSIGN(const std::string text, overview_.SessionsJson({}, {}));
  EXPECT_EQ(json::parse(text)["active_sessions"][0]["acquired_lsps"],
            json::array());
  EXPECT_THAT(overview_.PoolJson({}, {}),
              HasReason(rpc::v1::ERROR_REASON_SCOPE_MISSING));
}

TEST_F(OverviewTest, ThePoolIsTheSumOfAllLspds) {
  ASSERT_OK_AND_ASSIGN(const std::string text, overview_.PoolJson({}, {}));
  const json pool = json::parse(text);
  EXPECT_EQ(pool["total_memory_usage_mb"], 400.0);
  ASSERT_EQ(pool["active_lsps"].size(), 2);
  EXPECT_EQ(pool["active_lsps"][0],
            json({{"language", "python"},
                  {"workspace_root", "/srv/backend-api"},
                  {"pid", 1234},
                  {"memory_mb", 200.5},
                  {"ref_count", 1},
                  {"active_sessions", {"a1b2c3d4e5f60718"}},
                  {"status", "running"}}));
  EXPECT_EQ(pool["active_lsps"][1]["status"], "reclaiming");
}

// An empty list with 200 looked like a pool at rest.
TEST_F(OverviewTest, AnLspdThatDoesNotAnswerIsNamed) {
  lsp_.pool_stats.silent = {"10.0.0.7:8432"};
  ASSERT_OK_AND_ASSIGN(const std::string text, overview_.PoolJson({}, {}));
  const json pool = json::parse(text);
  EXPECT_EQ(pool["active_lsps"].size(), 2);
  EXPECT_EQ(pool["unreachable_lspds"], json({"10.0.0.7:8432"}));
  lsp_.pool_stats.answers.clear();
  EXPECT_THAT(overview_.PoolJson({}, {}),
              HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
}

}  // namespace
}  // namespace banyan::edge
