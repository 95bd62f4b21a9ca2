// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/grpc_lsp_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "banyan/lsp/v1/pool_service.grpc.pb.h"
#include "banyan/lsp/v1/symbol_service.grpc.pb.h"
#include "edge/clients/lsp_placement.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/status_convert.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

// An lspd that says its own name, or what the test tells it to.
class NamedLspd final : public lsp::v1::SymbolService::Service,
                        public lsp::v1::PoolService::Service {
 public:
  std::string name;
  absl::Status outcome;
  std::atomic<int> calls = 0;
  int depth = 0;                        // Of symbols within the first one.
  std::shared_future<void> may_answer;  // If valid, it is waited for.
  int moves_left = 1'000;  // Calls after which `outcome` is forgotten.
  std::unique_ptr<rpc::GrpcServer> server;

  grpc::Status FindSymbol(grpc::ServerContext*,
                          const lsp::v1::FindSymbolRequest*,
                          lsp::v1::FindSymbolResponse* response) override {
    ++calls;
    if (calls > moves_left) outcome = absl::OkStatus();
    if (!outcome.ok()) return rpc::ToGrpc(outcome);
    if (may_answer.valid()) may_answer.wait();
    lsp::v1::Symbol* symbol = response->add_symbols();
    symbol->set_name(name);
    for (int i = 0; i < depth; ++i) symbol = symbol->add_children();
    return grpc::Status::OK;
  }
  grpc::Status GetPoolStats(grpc::ServerContext*,
                            const lsp::v1::GetPoolStatsRequest*,
                            lsp::v1::GetPoolStatsResponse* response) override {
    response->add_servers()->set_language(name);
    return grpc::Status::OK;
  }

  grpc::Status GetProgress(grpc::ServerContext*,
                           const lsp::v1::GetProgressRequest*,
                           lsp::v1::GetProgressResponse* response) override {
    lsp::v1::ServerProgress& progress = *response->add_servers();
    progress.set_server(name);
    progress.set_work("indexing");
    return grpc::Status::OK;
  }

  void Start(const std::string& address) {
    server = std::make_unique<rpc::GrpcServer>(
        rpc::GrpcServer::Options{.listen = address});
    ASSERT_THAT(
        server->Start({static_cast<lsp::v1::SymbolService::Service*>(this),
                       static_cast<lsp::v1::PoolService::Service*>(this)}),
        IsOk());
  }
};

constexpr char kRoot[] = "/srv/backend-api";

class GrpcLspClientTest : public testing::Test {
 protected:
  GrpcLspClientTest() {
    std::vector<LspEndpoint> endpoints;
    for (int i = 0; i < 2; ++i) {
      addresses_.push_back(absl::StrCat(
          "unix:", testing::TempDir(), "/lspd_", getpid(), "_", i, "_",
          testing::UnitTest::GetInstance()->current_test_info()->name()));
      endpoints.push_back({addresses_[i], rpc::NewChannel(addresses_[i])});
      lspds_[i].name = absl::StrCat("lspd", i);
    }
    client_ = NewGrpcLspClient(std::move(endpoints),
                               {.restart_wait = absl::Seconds(2)});
    const auto order = LspPlacement(addresses_).Order(kRoot);
    first_ = order[0];
    second_ = order[1];
  }

  void StartBoth() {
    for (int i = 0; i < 2; ++i) lspds_[i].Start(addresses_[i]);
  }

  static absl::Status Moved(const std::string& owner) {
    rpc::ErrorDetail detail;
    detail.set_reason(rpc::v1::ERROR_REASON_MOVED);
    detail.set_owner(owner);
    return rpc::Error(detail, "moved");
  }

  std::string Ask() {
    const auto answer = client_->FindSymbol(kRoot, {}, {});
    return answer.ok() ? answer->symbols(0).name()
                       : rpc::ReasonName(rpc::ReasonOf(answer.status()));
  }

  std::vector<std::string> addresses_;
  NamedLspd lspds_[2];
  std::unique_ptr<LspClient> client_;
  size_t first_ = 0;
  size_t second_ = 0;
};

TEST_F(GrpcLspClientTest, ThePlacedLspdIsAskedAndNoOther) {
  StartBoth();
  EXPECT_EQ(Ask(), lspds_[first_].name);
  EXPECT_EQ(lspds_[second_].calls, 0);
}

TEST_F(GrpcLspClientTest, WhoWaitsHearsWhatTheServersOfTheRootDo) {
  StartBoth();
  std::promise<void> heard;
  const std::shared_future<void> may_answer = heard.get_future().share();
  for (NamedLspd& lspd : lspds_) lspd.may_answer = may_answer;
  std::vector<std::string> works;
  rpc::CallContext call;
  call.on_progress = [&](const std::string& work) {
    works.push_back(work);
    if (works.size() == 1) heard.set_value();
  };
  ASSERT_THAT(client_->FindSymbol(kRoot, {}, call), IsOk());
  EXPECT_EQ(works.front(), absl::StrCat(lspds_[first_].name, ": indexing"));
}

// gRPC answers OK with as much of it as was read.
TEST_F(GrpcLspClientTest, AnAnswerNestedTooDeepForTheParserIsNoShorterAnswer) {
  StartBoth();
  for (NamedLspd& lspd : lspds_) lspd.depth = 90;
  EXPECT_EQ(Ask(), lspds_[first_].name);
  for (NamedLspd& lspd : lspds_) lspd.depth = 150;
  const auto answer = client_->FindSymbol(kRoot, {}, {});
  EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  EXPECT_THAT(std::string(answer.status().message()),
              testing::HasSubstr("smaller depth"));
}

TEST_F(GrpcLspClientTest, MovedIsFollowedAndRemembered) {
  StartBoth();
  lspds_[first_].outcome = Moved(addresses_[second_]);
  EXPECT_EQ(Ask(), lspds_[second_].name);
  EXPECT_EQ(Ask(), lspds_[second_].name);
  EXPECT_EQ(lspds_[first_].calls, 1);
}

TEST_F(GrpcLspClientTest, MovedIsFollowedOnceOnly) {
  StartBoth();
  lspds_[first_].outcome = Moved(addresses_[second_]);
  lspds_[second_].outcome = Moved(addresses_[first_]);
  EXPECT_EQ(Ask(), "MOVED");
  EXPECT_EQ(lspds_[first_].calls + lspds_[second_].calls, 2);
}

TEST_F(GrpcLspClientTest, AnOwnerThatIsNoneOfOursIsNotFollowed) {
  StartBoth();
  lspds_[first_].outcome = Moved("evil.example:1");
  EXPECT_EQ(Ask(), "DAEMON_UNREACHABLE");
}

TEST_F(GrpcLspClientTest, WhereTheFirstStaysAwayTheNextIsAsked) {
  lspds_[second_].Start(addresses_[second_]);
  EXPECT_EQ(Ask(), lspds_[second_].name);
}

// One that is down must not cost every call a wait.
TEST_F(GrpcLspClientTest, WhoeverTookARootOverIsAskedFirstFromThenOn) {
  StartBoth();
  EXPECT_EQ(Ask(), lspds_[first_].name);
  lspds_[first_].server.reset();
  EXPECT_EQ(Ask(), lspds_[second_].name);
  // Back again, it is not asked: the root has moved.
  lspds_[first_].Start(addresses_[first_]);
  EXPECT_EQ(Ask(), lspds_[second_].name);
  EXPECT_EQ(lspds_[first_].calls, 1);
}

// The lease outlives its holder by a moment: the next one still says MOVED.
TEST_F(GrpcLspClientTest, ALeaseThatLapsesWithinTheWaitIsWaitedFor) {
  lspds_[second_].Start(addresses_[second_]);
  lspds_[second_].outcome = Moved(addresses_[first_]);
  lspds_[second_].moves_left = 2;
  EXPECT_EQ(Ask(), lspds_[second_].name);
  EXPECT_EQ(lspds_[second_].calls, 3);
}

TEST_F(GrpcLspClientTest, AnErrorOfTheLspdIsNoReasonToAskAnother) {
  StartBoth();
  lspds_[first_].outcome =
      rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, "crashed");
  EXPECT_EQ(Ask(), "SERVER_DOWN");
  EXPECT_EQ(lspds_[first_].calls, 1);
  EXPECT_EQ(lspds_[second_].calls, 0);
}

TEST_F(GrpcLspClientTest, ThePoolIsAskedEverywhereAndTheDeadAreLeftOut) {
  lspds_[second_].Start(addresses_[second_]);
  const auto stats = client_->GetPoolStats({}, {});
  ASSERT_EQ(stats.answers.size(), 1);
  EXPECT_EQ(stats.answers[0].servers(0).language(), lspds_[second_].name);
  EXPECT_THAT(stats.silent, testing::ElementsAre(addresses_[first_]));
}

}  // namespace
}  // namespace banyan::edge
