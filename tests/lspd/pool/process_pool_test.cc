// SPDX-License-Identifier: Apache-2.0
//
// The pool with real processes: a strict fake language server under the
// guardian.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "lspd/pool/server_pool.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/server/process_tree.h"
#include "tests/support/fake_server_script.h"
#include "tests/support/server_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;
using testing::IsEmpty;
using testing::SizeIs;

class ProcessPoolTest : public testing::Test {
 protected:
  ProcessPoolTest()
      : script_(folder_.PathOf("fake")),
        guardian_(StartTestGuardian(folder_.PathOf("data"))) {
    script_.Strict();
  }
  ~ProcessPoolTest() override {
    pool_.reset();
    // Only we and the guardian are left.
    EXPECT_TRUE(Eventually([] { return ProcessTree(getpid()).size() == 2; }));
    EXPECT_THAT(script_.Violations(), IsEmpty());
  }

  void Start(const std::string& policy = "POOLING_POLICY_ISOLATED_PROCESS") {
    const json row = {{"id", "fake"},
                      {"language", "x"},
                      {"isDefault", true},
                      {"command", script_.Command()},
                      {"documents", {{{"id", "x"}, {"extensions", {".x"}}}}},
                      {"readiness", {{"kind", "READINESS_KIND_IMMEDIATE"}}},
                      {"policy", policy}};
    catalog_.emplace(
        *ServerCatalog::Parse(json({{"servers", json::array({row})}}).dump()));
    installed_.emplace(*catalog_, InstalledServers::Options());
    ServerPoolOptions options;
    options.private_dir = folder_.PathOf("private");
    options.stop_limit = absl::Seconds(4);
    options.now = [this] {
      return absl::Now() + absl::Minutes(4) * skips_.load();
    };
    pool_ = NewServerPool(*installed_, *guardian_, options);
  }

  absl::StatusOr<ServerLease> Acquire(const std::string& root) {
    AcquireRequest request;
    request.root = root;
    request.trust_domain = "d";
    request.language = "x";
    request.session_public_id = "aaaa1111bbbb2222";
    return pool_->Acquire(request, CallFor(absl::Seconds(20)));
  }

  static absl::StatusOr<json> Hover(const ServerLease& lease,
                                    const json& params = json::object()) {
    return lease->Request("textDocument/hover", params,
                          CallFor(absl::Seconds(20)));
  }

  std::atomic<int> skips_ = 0;  // So that deaths are forgiven at once.
  TempWorkspace folder_;
  TempWorkspace root_;
  TempWorkspace other_root_;
  FakeServerScript script_;
  std::unique_ptr<Guardian> guardian_;
  std::optional<ServerCatalog> catalog_;
  std::optional<InstalledServers> installed_;
  std::unique_ptr<ServerPool> pool_;
};

TEST_F(ProcessPoolTest, ManyFirstCallsStartOneProcess) {
  script_.Answer("initialize",
                 {fake::Sleep(100),
                  fake::Result({{"capabilities", {{"hoverProvider", true}}}})});
  Start();
  std::atomic<int> answered = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      const absl::StatusOr<ServerLease> lease = Acquire(root_.path());
      ASSERT_THAT(lease, IsOk());
      answered += Hover(*lease).ok();
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(answered, 6);
  EXPECT_EQ(script_.Starts(), 1);
}

TEST_F(ProcessPoolTest, AServerKilledInMidRequestIsReplacedAtOnce) {
  script_
      .Answer("textDocument/hover", {fake::Never()},
              {.params = {{"for", "ever"}}})
      .Answer("textDocument/hover", {fake::Result({{"contents", "int"}})});
  Start();
  const absl::Time start = absl::Now();
  {
    ASSERT_OK_AND_ASSIGN(const ServerLease lease, Acquire(root_.path()));
    std::thread killer([&] {
      Eventually([&] { return lease->in_flight() == 1; });
      kill(lease->pid(), SIGKILL);
    });
    EXPECT_THAT(Hover(lease, {{"for", "ever"}}),
                HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
    killer.join();
    ASSERT_OK_AND_ASSIGN(const ServerLease next, Acquire(root_.path()));
    EXPECT_GT(next.generation(), lease.generation());
    ASSERT_OK_AND_ASSIGN(const json answer, Hover(next));
    EXPECT_EQ(answer["contents"], "int");
  }
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
}

TEST_F(ProcessPoolTest, ACrashInAnyMannerIsNoticed) {
  const std::vector<fake::Actions> ends = {
      {fake::Exit(0)},
      {fake::Exit(1)},
      {fake::Signal(SIGSEGV)},
      {fake::CloseStdout(), fake::Never()}};
  for (size_t i = 0; i < ends.size(); ++i) {
    script_.Answer("textDocument/hover", ends[i],
                   {.params = {{"how", static_cast<int>(i)}}});
  }
  Start();
  for (size_t i = 0; i < ends.size(); ++i) {
    ASSERT_OK_AND_ASSIGN(const ServerLease lease, Acquire(root_.path()));
    EXPECT_THAT(
        lease->Request("textDocument/hover", {{"how", static_cast<int>(i)}},
                       CallFor(absl::Seconds(20))),
        HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN))
        << i;
    EXPECT_TRUE(Eventually([&] { return !lease->is_alive(); })) << i;
    ++skips_;
  }
  EXPECT_EQ(script_.Starts(), 4);
}

TEST_F(ProcessPoolTest, WhatAServerLeavesBehindDiesWithIt) {
  const std::string pid_file = folder_.PathOf("helper.pid");
  script_.Answer("initialized", {fake::Helper({.new_session = true,
                                               .holds_stdout = true,
                                               .pid_file = pid_file})});
  Start();
  ASSERT_OK_AND_ASSIGN(const ServerLease lease, Acquire(root_.path()));
  int helper = 0;
  ASSERT_TRUE(Eventually([&] {
    std::ifstream(pid_file) >> helper;
    return helper > 0;
  }));
  EXPECT_EQ(pool_->Restart(root_.path(), "x"), 1);
  EXPECT_TRUE(Eventually([&] { return !IsRunning(helper); }));
}

TEST_F(ProcessPoolTest, AQuestionFailsWhenItsServerIsRestarted) {
  script_
      .Answer("textDocument/hover", {fake::Never()},
              {.params = {{"for", "ever"}}})
      .Answer("textDocument/hover", {fake::Result(nullptr)});
  Start();
  ASSERT_OK_AND_ASSIGN(const ServerLease lease, Acquire(root_.path()));
  std::thread asker([&] {
    EXPECT_THAT(Hover(lease, {{"for", "ever"}}),
                HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  });
  ASSERT_TRUE(Eventually([&] { return lease->in_flight() == 1; }));
  EXPECT_EQ(pool_->Restart(root_.path(), ""), 1);
  asker.join();
  ASSERT_OK_AND_ASSIGN(const ServerLease next, Acquire(root_.path()));
  EXPECT_THAT(Hover(next), IsOk());
  EXPECT_EQ(script_.Starts(), 2);
}

TEST_F(ProcessPoolTest, AServerThatDiesInItsShutdownIsStillReplaced) {
  script_.Answer("shutdown", {fake::Signal(SIGKILL)});
  Start();
  ASSERT_THAT(Acquire(root_.path()), IsOk());
  EXPECT_EQ(pool_->Restart(root_.path(), ""), 1);
  ASSERT_OK_AND_ASSIGN(const ServerLease next, Acquire(root_.path()));
  EXPECT_THAT(Hover(next), IsOk());
}

TEST_F(ProcessPoolTest, AServerThatNeverInitializesIsAnErrorForAll) {
  script_.Answer("initialize", {fake::Exit(3)});
  Start();
  EXPECT_THAT(Acquire(root_.path()),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_THAT(Acquire(root_.path()),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
}

// The start limit is a minute; nobody wants to wait that long for an end.
TEST_F(ProcessPoolTest, AStartThatHangsHoldsUpNoShutdown) {
  script_.Answer("initialize", {fake::Never()});
  Start();
  std::thread caller([&] {
    EXPECT_THAT(Acquire(root_.path()),
                HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  });
  ASSERT_TRUE(
      Eventually([&] { return script_.Received("initialize").size() == 1; }));
  const absl::Time start = absl::Now();
  pool_->Shutdown();
  EXPECT_LT(absl::Now() - start, absl::Seconds(15));
  caller.join();
}

// A strict server counts a folder twice, or an unknown one taken away.
TEST_F(ProcessPoolTest, RootsComeAndGoInOneSharedProcess) {
  script_.Capabilities(
      {{"hoverProvider", true},
       {"textDocumentSync", 1},
       {"workspace",
        {{"workspaceFolders",
          {{"supported", true}, {"changeNotifications", true}}}}}});
  Start("POOLING_POLICY_SHARED_INSTANCE");
  ASSERT_OK_AND_ASSIGN(const ServerLease one, Acquire(root_.path()));
  ASSERT_OK_AND_ASSIGN(const ServerLease two, Acquire(other_root_.path()));
  EXPECT_EQ(one->pid(), two->pid());
  ASSERT_THAT(one->documents().Sync(root_.PathOf("a.x"), "1", "1"), IsOk());
  ASSERT_THAT(two->documents().Sync(other_root_.PathOf("a.x"), "1", "1"),
              IsOk());
  EXPECT_EQ(pool_->CloseRoot(other_root_.path()), 1);
  ASSERT_OK_AND_ASSIGN(const ServerLease again, Acquire(other_root_.path()));
  ASSERT_THAT(Hover(again), IsOk());
  EXPECT_EQ(script_.Starts(), 1);
  EXPECT_THAT(script_.Received("workspace/didChangeWorkspaceFolders"),
              SizeIs(3));
}

}  // namespace
}  // namespace banyan::lspd
