// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/server_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "proto/rpc/event_log.h"
#include "tests/lspd/pool/fake_servers.h"
#include "tests/support/server_fixture.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr char kRows[] = R"json({"servers": [
  {"id": "solo", "language": "solo", "isDefault": true, "command": ["/bin/sh"],
   "documents": [{"id": "solo", "extensions": [".s"]}],
   "policy": "POOLING_POLICY_ISOLATED_PROCESS",
   "limits": {"hardMemoryBytes": "5000"}},
  {"id": "many", "language": "many", "isDefault": true, "command": ["/bin/sh"],
   "documents": [{"id": "many", "extensions": [".m"]}],
   "policy": "POOLING_POLICY_SHARED_INSTANCE", "limits": {"maxRoots": 2}},
  {"id": "gone", "language": "gone", "isDefault": true, "command": ["/no/such"],
   "documents": [{"id": "gone", "extensions": [".g"]}],
   "install": {"hint": "buy it"}},
  {"id": "never", "language": "never", "isDefault": true,
   "command": ["/bin/sh"],
   "documents": [{"id": "never", "extensions": [".n"]}],
   "policy": "POOLING_POLICY_FORCED_ISOLATION"}
]})json";

class ServerPoolTest : public testing::Test, public PoolObserver {
 protected:
  ServerPoolTest() {
    rpc::SetLogObserver([this](const rpc::LogEntry& entry) {
      std::lock_guard<std::mutex> lock(mutex_);
      lines_.push_back(entry.message);
    });
    MakePool();
  }
  ~ServerPoolTest() override {
    book_.Block(false);
    for (const auto& server : book_.servers()) server->AllowStop(true);
    pool_.reset();
    rpc::SetLogObserver(nullptr);
    for (const auto& server : book_.servers()) {
      EXPECT_FALSE(server->is_alive()) << "left running";
    }
    EXPECT_LE(book_.most_at_once(), 1);
  }

  void OnServerCount(absl::string_view language, lsp::v1::ServerStatus state,
                     int count) override {
    std::lock_guard<std::mutex> lock(mutex_);
    counts_[{std::string(language), state}] = count;
  }
  void OnRestart(absl::string_view language,
                 absl::string_view reason) override {
    std::lock_guard<std::mutex> lock(mutex_);
    restarts_.emplace_back(language, reason);
  }
  void OnRequest(absl::string_view, absl::string_view,
                 absl::Duration) override {}

  void MakePool(int max_servers = 8) {
    pool_.reset();
    ServerPoolOptions options;
    options.sweep_interval = absl::ZeroDuration();
    options.private_dir = "/private";
    options.max_servers = max_servers;
    options.memory_budget_bytes = 10'000;
    options.now = [this] { return Now(); };
    options.memory_of = [this](pid_t) { return memory_.load(); };
    options.observer = this;
    pool_ = NewServerPool(installed_, std::make_unique<FakeStarter>(book_),
                          options);
  }

  static AcquireRequest For(const std::string& root, const std::string& session,
                            const std::string& language = "solo") {
    AcquireRequest request;
    request.root = root;
    request.trust_domain = "d";
    request.language = language;
    request.session_public_id = session;
    return request;
  }
  absl::StatusOr<ServerLease> Acquire(const AcquireRequest& request) {
    return pool_->Acquire(request, CallFor(absl::Seconds(20)));
  }

  absl::Time Now() {
    std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }
  void Pass(absl::Duration time) {
    std::lock_guard<std::mutex> lock(mutex_);
    now_ += time;
  }
  std::vector<std::string> Lines() {
    std::lock_guard<std::mutex> lock(mutex_);
    return lines_;
  }
  // The server that was started as the nth, from zero.
  FakeServerLife& Server(size_t index) { return *book_.servers().at(index); }
  // Its death, once the pool watches for it.
  void Kill(size_t index) {
    ASSERT_TRUE(Eventually([&] { return Server(index).is_watched(); }));
    Server(index).Die();
  }
  bool IsGone(size_t index) {
    return Eventually([&] { return !Server(index).is_alive(); });
  }
  bool HasStats(size_t count) {
    return Eventually([&] {
      return pool_->Stats().servers_size() == static_cast<int>(count);
    });
  }

  const ServerCatalog catalog_ = *ServerCatalog::Parse(kRows);
  InstalledServers installed_{catalog_, {}};
  StartBook book_;
  std::atomic<int64_t> memory_ = 100;
  std::mutex mutex_;
  absl::Time now_ = absl::FromUnixSeconds(100'000);
  std::vector<std::string> lines_;
  std::vector<std::pair<std::string, std::string>> restarts_;
  std::map<std::pair<std::string, lsp::v1::ServerStatus>, int> counts_;
  std::unique_ptr<ServerPool> pool_;
};

TEST_F(ServerPoolTest, TwoSessionsOnOneRootShareOneServer) {
  ASSERT_OK_AND_ASSIGN(const ServerLease one, Acquire(For("/r", "aaaa1111")));
  ASSERT_OK_AND_ASSIGN(const ServerLease two, Acquire(For("/r", "bbbb2222")));
  EXPECT_EQ(&*one, &*two);
  EXPECT_EQ(one.generation(), two.generation());
  EXPECT_EQ(book_.begun(), 1);
  const auto stats = pool_->Stats();
  ASSERT_EQ(stats.servers_size(), 1);
  EXPECT_EQ(stats.servers(0).ref_count(), 2);
  EXPECT_THAT(stats.servers(0).active_sessions(),
              ElementsAre("aaaa1111", "bbbb2222"));
  EXPECT_EQ(stats.servers(0).status(), lsp::v1::SERVER_STATUS_RUNNING);
  EXPECT_EQ(stats.servers(0).pid(), 1001);
}

TEST_F(ServerPoolTest, ASessionCountsBetweenItsCallsUntilItIsDetached) {
  for (int call = 0; call < 3; ++call) {
    ASSERT_THAT(Acquire(For("/r", "aaaa1111")), IsOk());
  }
  EXPECT_EQ(pool_->Stats().servers(0).ref_count(), 1);
  pool_->Detach("aaaa1111");
  EXPECT_EQ(pool_->Stats().servers(0).ref_count(), 0);
  EXPECT_EQ(pool_->Stats().servers(0).status(), lsp::v1::SERVER_STATUS_IDLE);
  EXPECT_THAT(
      Lines(),
      Contains("[LSP-Pool] Acquired solo LSP for /r (Session: aaaa)").Times(1));
  EXPECT_THAT(
      Lines(),
      Contains("[LSP-Pool] Released solo LSP for /r (Ref Count: 0)").Times(1));
}

TEST_F(ServerPoolTest, ConcurrentFirstCallsWaitForOneStart) {
  book_.Block(true);
  std::atomic<int> leased = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&, i] {
      leased += Acquire(For("/r", "session" + std::to_string(i))).ok();
    });
  }
  ASSERT_TRUE(Eventually([&] { return book_.begun() == 1; }));
  EXPECT_EQ(pool_->Stats().servers(0).status(),
            lsp::v1::SERVER_STATUS_STARTING);
  book_.Block(false);
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(leased, 8);
  EXPECT_EQ(book_.begun(), 1);
}

// The lock of the pool is not held while a server starts.
TEST_F(ServerPoolTest, ASlowStartHoldsUpNobodyElse) {
  book_.Block(true);
  std::thread slow([&] { EXPECT_THAT(Acquire(For("/slow", "")), IsOk()); });
  ASSERT_TRUE(Eventually([&] { return book_.begun() == 1; }));
  EXPECT_EQ(pool_->Stats().servers_size(), 1);
  pool_->Detach("nobody");
  pool_->Sweep();
  book_.Block(false);
  slow.join();
}

TEST_F(ServerPoolTest, AStartGoesOnWhenItsCallerLeaves) {
  book_.Block(true);
  EXPECT_THAT(pool_->Acquire(For("/r", ""), CallFor(absl::Milliseconds(50))),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  rpc::CallContext cancelled = CallFor(absl::Seconds(20));
  cancelled.is_cancelled = [] { return true; };
  EXPECT_THAT(pool_->Acquire(For("/r", ""), cancelled),
              HasReason(rpc::v1::ERROR_REASON_CANCELLED));
  book_.Block(false);
  EXPECT_THAT(Acquire(For("/r", "")), IsOk());
  EXPECT_EQ(book_.begun(), 1);
}

TEST_F(ServerPoolTest, IsolatedRootsHaveServersOfTheirOwn) {
  ASSERT_THAT(Acquire(For("/a", "s")), IsOk());
  ASSERT_THAT(Acquire(For("/b", "s")), IsOk());
  EXPECT_EQ(book_.begun(), 2);
  EXPECT_NE(Server(0).launch.private_dir, Server(1).launch.private_dir);
}

TEST_F(ServerPoolTest, SharedRootsMeetInOneServerUpToItsLimit) {
  for (const char* root : {"/a", "/b", "/c", "/a"}) {
    ASSERT_THAT(Acquire(For(root, "s", "many")), IsOk());
  }
  EXPECT_EQ(book_.begun(), 2);
  EXPECT_THAT(Server(0).roots(), UnorderedElementsAre("/a", "/b"));
  EXPECT_THAT(Server(1).roots(), UnorderedElementsAre("/c"));
  EXPECT_EQ(pool_->Stats().servers_size(), 3);
  EXPECT_EQ(pool_->Stats().servers(0).pid(), pool_->Stats().servers(1).pid());
}

TEST_F(ServerPoolTest, TrustDomainsNeverShareAServer) {
  AcquireRequest request = For("/a", "s", "many");
  ASSERT_THAT(Acquire(request), IsOk());
  request.root = "/b";
  request.trust_domain = "other";
  ASSERT_THAT(Acquire(request), IsOk());
  EXPECT_EQ(book_.begun(), 2);
}

TEST_F(ServerPoolTest, MissingServersAndUnknownLanguagesAreErrors) {
  EXPECT_THAT(Acquire(For("/r", "s", "gone")),
              HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
  EXPECT_THAT(Acquire(For("/r", "s", "klingon")),
              HasReason(rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN));
  EXPECT_EQ(pool_->Stats().servers_size(), 0);
}

TEST_F(ServerPoolTest, AnIdleServerIsReclaimedAfterItsIdleLife) {
  ASSERT_THAT(Acquire(For("/r", "aaaa1111")), IsOk());
  Pass(absl::Minutes(30));
  pool_->Sweep();
  EXPECT_TRUE(Server(0).is_alive());
  Pass(absl::Seconds(1));
  pool_->Sweep();
  EXPECT_TRUE(IsGone(0));
  EXPECT_THAT(
      Lines(),
      Contains("[LSP-Pool] Reclaiming idle solo LSP (Idle: 1801s > 1800s)"));
  EXPECT_TRUE(HasStats(0));
  // And is there again when somebody asks.
  ASSERT_THAT(Acquire(For("/r", "aaaa1111")), IsOk());
  EXPECT_EQ(book_.begun(), 2);
}

// An idle checker that knows only the time of the last call kills it.
TEST_F(ServerPoolTest, WhatIsLeasedOrAskedIsNotIdle) {
  {
    ASSERT_OK_AND_ASSIGN(const ServerLease lease, Acquire(For("/r", "s")));
    Pass(absl::Hours(5));
    pool_->Sweep();
    EXPECT_TRUE(Server(0).is_alive());
    EXPECT_EQ(pool_->Stats().servers(0).ref_count(), 1);
  }
  Server(0).SetInFlight(1);
  Pass(absl::Hours(5));
  pool_->Sweep();
  EXPECT_TRUE(Server(0).is_alive());
}

TEST_F(ServerPoolTest, AnIdleRootLeavesASharedServerThatOthersUse) {
  ASSERT_THAT(Acquire(For("/a", "s", "many")), IsOk());
  Pass(absl::Minutes(20));
  ASSERT_THAT(Acquire(For("/b", "t", "many")), IsOk());
  Pass(absl::Minutes(20));
  pool_->Sweep();
  EXPECT_THAT(Server(0).roots(), UnorderedElementsAre("/b"));
  EXPECT_TRUE(Server(0).is_alive());
  ASSERT_THAT(Acquire(For("/a", "s", "many")), IsOk());
  EXPECT_THAT(Server(0).roots(), UnorderedElementsAre("/a", "/b"));
  EXPECT_EQ(book_.begun(), 1);
}

TEST_F(ServerPoolTest, ASilentSessionStopsCounting) {
  ASSERT_THAT(Acquire(For("/r", "old")), IsOk());
  Pass(absl::Minutes(31));
  ASSERT_THAT(Acquire(For("/r", "new")), IsOk());
  pool_->Sweep();
  EXPECT_THAT(pool_->Stats().servers(0).active_sessions(), ElementsAre("new"));
}

TEST_F(ServerPoolTest, ADeadServerIsReplacedByANewGeneration) {
  ASSERT_OK_AND_ASSIGN(const ServerLease first, Acquire(For("/r", "s")));
  Kill(0);
  ASSERT_OK_AND_ASSIGN(const ServerLease second, Acquire(For("/r", "s")));
  EXPECT_GT(second.generation(), first.generation());
  EXPECT_EQ(book_.begun(), 2);
  EXPECT_THAT(
      Lines(),
      Contains("[LSP-Pool] LSP Crashed: solo (PID: 1001). Restarting..."));
  EXPECT_THAT(restarts_, ElementsAre(std::pair("solo", "crash")));
  EXPECT_EQ(pool_->Stats().servers(0).ref_count(), 1);
  EXPECT_EQ(pool_->Stats().servers(0).restarts(), 1);
}

TEST_F(ServerPoolTest, ALeaseOnADeadServerGivesNothingBackToItsSuccessor) {
  std::optional<ServerLease> first;
  {
    ASSERT_OK_AND_ASSIGN(ServerLease lease, Acquire(For("/r", "s")));
    first.emplace(std::move(lease));
  }
  Kill(0);
  ASSERT_OK_AND_ASSIGN(const ServerLease second, Acquire(For("/r", "s")));
  first.reset();
  Pass(absl::Hours(9));
  pool_->Sweep();
  EXPECT_TRUE(Server(1).is_alive()) << "the second lease was given back";
}

// Two generations would fight for the files of one private folder.
TEST_F(ServerPoolTest, ANewGenerationWaitsUntilTheOldOneIsDead) {
  ASSERT_THAT(Acquire(For("/r", "s")), IsOk());
  Server(0).AllowStop(false);
  EXPECT_EQ(pool_->Restart("/r", "solo"), 1);
  EXPECT_THAT(pool_->Acquire(For("/r", "s"), CallFor(absl::Milliseconds(100))),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  EXPECT_EQ(book_.begun(), 1);
  EXPECT_EQ(pool_->Stats().servers(0).status(),
            lsp::v1::SERVER_STATUS_RECLAIMING);
  Server(0).AllowStop(true);
  EXPECT_THAT(Acquire(For("/r", "s")), IsOk());
  EXPECT_EQ(book_.begun(), 2);
}

TEST_F(ServerPoolTest, AFailedStartIsTheErrorOfAllWhoWaitedForIt) {
  book_.FailNext(1);
  const absl::Status status = Acquire(For("/r", "s")).status();
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_THAT(std::string(status.message()), HasSubstr("does not start"));
  EXPECT_THAT(restarts_, ElementsAre(std::pair("solo", "start_failed")));
  EXPECT_THAT(Acquire(For("/r", "s")), IsOk());
}

TEST_F(ServerPoolTest, AServerThatNeverStartsIsTriedLessAndLess) {
  book_.FailNext(1000);
  for (int call = 0; call < 200; ++call) {
    pool_->Acquire(For("/r", "s"), CallFor(absl::Milliseconds(1)))
        .status()
        .IgnoreError();
    Pass(absl::Milliseconds(500));
  }
  EXPECT_LE(book_.begun(), 7);
  Pass(absl::Milliseconds(1));
  const absl::Status status =
      pool_->Acquire(For("/r", "s"), CallFor(absl::Seconds(5))).status();
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_GT(rpc::DetailOf(status).retry_after_ms(), 0);
  EXPECT_EQ(pool_->Stats().servers(0).status(), lsp::v1::SERVER_STATUS_FAILED);
  // Half-open: a minute later one start is tried, and it may work.
  book_.FailNext(0);
  Pass(absl::Seconds(61));
  EXPECT_THAT(Acquire(For("/r", "s")), IsOk());
}

// A stop during a start was lost, and the server ran for ever.
TEST_F(ServerPoolTest, AStopDuringTheStartIsHonouredByIt) {
  book_.Block(true);
  std::thread caller([&] {
    pool_->Acquire(For("/r", "s"), CallFor(absl::Seconds(5)))
        .status()
        .IgnoreError();
  });
  ASSERT_TRUE(Eventually([&] { return book_.begun() == 1; }));
  EXPECT_EQ(pool_->Restart("/r", ""), 1);
  book_.Block(false);
  EXPECT_TRUE(Eventually([&] { return !book_.servers().empty(); }));
  EXPECT_TRUE(IsGone(0));
  caller.join();
}

TEST_F(ServerPoolTest, RestartEndsOnlyWhatIsMeant) {
  ASSERT_THAT(Acquire(For("/r", "s")), IsOk());
  ASSERT_THAT(Acquire(For("/r", "s", "many")), IsOk());
  ASSERT_THAT(Acquire(For("/other", "s")), IsOk());
  EXPECT_EQ(pool_->Restart("/r", "solo"), 1);
  EXPECT_TRUE(IsGone(0));
  EXPECT_TRUE(Server(1).is_alive());
  EXPECT_TRUE(Server(2).is_alive());
  EXPECT_EQ(pool_->Restart("/nowhere", ""), 0);
  EXPECT_EQ(pool_->Restart("/r", "klingon"), 0);
}

TEST_F(ServerPoolTest, AClosedRootLeavesOthersAlone) {
  ASSERT_THAT(Acquire(For("/a", "s")), IsOk());
  ASSERT_THAT(Acquire(For("/a", "s", "many")), IsOk());
  ASSERT_THAT(Acquire(For("/b", "s", "many")), IsOk());
  EXPECT_EQ(pool_->CloseRoot("/a"), 2);
  EXPECT_THAT(Lines(),
              Contains("[LSP-Pool] Released solo LSP for /a (Ref Count: 0)"));
  EXPECT_TRUE(IsGone(0));
  EXPECT_TRUE(Server(1).is_alive());
  EXPECT_THAT(Server(1).roots(), UnorderedElementsAre("/b"));
  EXPECT_TRUE(HasStats(1));
}

TEST_F(ServerPoolTest, TheLongestIdleMakesRoomForANewServer) {
  MakePool(/*max_servers=*/2);
  ASSERT_THAT(Acquire(For("/a", "s")), IsOk());
  Pass(absl::Seconds(1));
  ASSERT_OK_AND_ASSIGN(const ServerLease held, Acquire(For("/b", "s")));
  ASSERT_THAT(Acquire(For("/c", "s")), IsOk());
  EXPECT_FALSE(Server(0).is_alive());
  EXPECT_TRUE(Server(1).is_alive());
}

TEST_F(ServerPoolTest, APoolWhosePlacesAreAllHeldSaysByWhat) {
  MakePool(/*max_servers=*/1);
  ASSERT_OK_AND_ASSIGN(const ServerLease held, Acquire(For("/a", "s")));
  const absl::Status status = Acquire(For("/b", "s")).status();
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_POOL_FULL));
  EXPECT_THAT(std::string(status.message()), HasSubstr("1 solo"));
}

TEST_F(ServerPoolTest, PastTheBudgetTheLongestIdleGoes) {
  ASSERT_THAT(Acquire(For("/a", "s")), IsOk());
  Pass(absl::Seconds(1));
  ASSERT_THAT(Acquire(For("/b", "s")), IsOk());
  Pass(absl::Seconds(1));
  ASSERT_THAT(Acquire(For("/c", "s")), IsOk());
  memory_ = 4000;
  pool_->Sweep();
  EXPECT_TRUE(IsGone(0));
  EXPECT_TRUE(Server(1).is_alive());
  EXPECT_TRUE(Server(2).is_alive());
  EXPECT_TRUE(
      Eventually([&] { return pool_->Stats().total_memory_bytes() == 8000; }));
}

TEST_F(ServerPoolTest, OverItsLimitAServerInUseIsDrainedAndStartedAnew) {
  std::optional<ServerLease> lease;
  {
    ASSERT_OK_AND_ASSIGN(ServerLease acquired, Acquire(For("/r", "s")));
    lease.emplace(std::move(acquired));
  }
  memory_ = 6000;
  pool_->Sweep();
  EXPECT_TRUE(Server(0).is_alive());
  EXPECT_EQ(pool_->Stats().servers(0).status(),
            lsp::v1::SERVER_STATUS_DRAINING);
  EXPECT_THAT(pool_->Acquire(For("/r", "t"), CallFor(absl::Milliseconds(60))),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  memory_ = 100;
  lease.reset();
  pool_->Sweep();
  EXPECT_TRUE(IsGone(0));
  EXPECT_THAT(Acquire(For("/r", "t")), IsOk());
  EXPECT_THAT(restarts_, Contains(std::pair("solo", "memory")));
}

TEST_F(ServerPoolTest, CountsServersByStateAndForgetsNone) {
  ASSERT_THAT(Acquire(For("/r", "s")), IsOk());
  pool_->Sweep();
  EXPECT_EQ((counts_[{"solo", lsp::v1::SERVER_STATUS_RUNNING}]), 1);
  pool_->Detach("s");
  pool_->Sweep();
  EXPECT_EQ((counts_[{"solo", lsp::v1::SERVER_STATUS_RUNNING}]), 0);
  EXPECT_EQ((counts_[{"solo", lsp::v1::SERVER_STATUS_IDLE}]), 1);
}

TEST_F(ServerPoolTest, AfterShutdownNothingRunsAndNothingStarts) {
  ASSERT_THAT(Acquire(For("/r", "s")), IsOk());
  pool_->Shutdown();
  EXPECT_FALSE(Server(0).is_alive());
  EXPECT_THAT(Acquire(For("/r", "s")),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
}

TEST_F(ServerPoolTest, ShutdownDuringAStartEndsWhatComesOutOfIt) {
  book_.Block(true);
  std::thread caller([&] {
    EXPECT_THAT(Acquire(For("/r", "s")),
                HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  });
  ASSERT_TRUE(Eventually([&] { return book_.begun() == 1; }));
  std::thread stopper([&] { pool_->Shutdown(); });
  caller.join();
  book_.Block(false);
  stopper.join();
  EXPECT_FALSE(Server(0).is_alive());
}

TEST_F(ServerPoolTest, ChoicesOfTheOperatorAreCheckedAtTheStart) {
  using lsp::v1::POOLING_POLICY_SHARED_INSTANCE;
  EXPECT_THAT(
      CheckPolicies(catalog_, {{"solo", POOLING_POLICY_SHARED_INSTANCE}}),
      IsOk());
  EXPECT_THAT(
      CheckPolicies(catalog_, {{"never", POOLING_POLICY_SHARED_INSTANCE}}),
      HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(
      CheckPolicies(catalog_, {{"nobody", POOLING_POLICY_SHARED_INSTANCE}}),
      HasCode(absl::StatusCode::kInvalidArgument));
}

// Leases, crashes, restarts and sweeps at once, for the thread sanitizer.
TEST_F(ServerPoolTest, RandomTrafficLeavesTheBooksBalanced) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const std::string root = "/r" + std::to_string((t + i) % 3);
        const std::string session = "s" + std::to_string(t);
        const absl::StatusOr<ServerLease> lease =
            pool_->Acquire(For(root, session, i % 2 == 0 ? "many" : "solo"),
                           CallFor(absl::Milliseconds(200)));
        if (lease.ok()) (*lease)->documents().size();
        if (i % 7 == 0) pool_->Restart(root, "");
        if (i % 9 == 0) pool_->Detach(session);
        if (i % 11 == 0) pool_->Sweep();
        if (i % 13 == 0) pool_->CloseRoot(root);
        if (i % 5 == 0) pool_->Stats();
        if (i % 17 == 0) {
          for (const auto& server : book_.servers()) server->Die();
        }
        Pass(absl::Seconds(10));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const char* session : {"s0", "s1", "s2", "s3"}) pool_->Detach(session);
  const auto stats = pool_->Stats();
  for (const lsp::v1::ServerStats& each : stats.servers()) {
    EXPECT_EQ(each.ref_count(), 0);
  }
}

TEST_F(ServerPoolTest, AnOutdatedServerIsReplacedOnceAndIsNoCrash) {
  ASSERT_OK_AND_ASSIGN(ServerLease old, Acquire(For("/r", "aaaa1111")));
  pool_->Retire(old);
  EXPECT_TRUE(IsGone(0));
  ASSERT_OK_AND_ASSIGN(const ServerLease next, Acquire(For("/r", "aaaa1111")));
  EXPECT_GT(next.generation(), old.generation());
  // Whoever saw the old one too does not end the new one.
  pool_->Retire(old);
  ASSERT_OK_AND_ASSIGN(const ServerLease same, Acquire(For("/r", "aaaa1111")));
  EXPECT_EQ(&*same, &*next);
  EXPECT_EQ(book_.begun(), 2);
  EXPECT_EQ(pool_->Stats().servers(0).ref_count(), 1);
  EXPECT_THAT(restarts_, ElementsAre(std::pair("solo", "outdated")));
}

TEST_F(ServerPoolTest, ARootStaysWithItsServerWhenAnEarlierOneHasRoomAgain) {
  ASSERT_THAT(Acquire(For("/1", "", "many")), IsOk());
  ASSERT_THAT(Acquire(For("/2", "", "many")), IsOk());
  ASSERT_OK_AND_ASSIGN(const ServerLease third, Acquire(For("/3", "", "many")));
  EXPECT_EQ(book_.begun(), 2);
  EXPECT_EQ(pool_->CloseRoot("/1"), 1);
  ASSERT_OK_AND_ASSIGN(const ServerLease again, Acquire(For("/3", "", "many")));
  EXPECT_EQ(&*again, &*third);
}

}  // namespace
}  // namespace banyan::lspd
