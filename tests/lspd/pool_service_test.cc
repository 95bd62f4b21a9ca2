// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/status_convert.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class EverFreeLeases : public RootLeases {
 public:
  absl::StatusOr<int64_t> Acquire(const std::string&,
                                  const rpc::CallContext&) override {
    return 1;
  }
  bool IsHeld(const std::string&) const override { return true; }
  void Release(const std::string&) override {}
};

// Notes what it is asked for.
class FakeServerPool : public ServerPool {
 public:
  absl::StatusOr<ServerLease> Acquire(const AcquireRequest&,
                                      const rpc::CallContext&) override {
    return absl::UnimplementedError("no servers here");
  }
  void Detach(absl::string_view) override {}
  int Restart(absl::string_view root, absl::string_view language) override {
    restarts.emplace_back(root, language);
    return running;
  }
  void Retire(const ServerLease&) override {}
  int CloseRoot(absl::string_view) override { return 0; }
  lsp::v1::GetPoolStatsResponse Stats() const override {
    lsp::v1::GetPoolStatsResponse stats;
    stats.add_servers()->set_language("python");
    for (const auto& [root, work] : works) {
      lsp::v1::ServerStats& server = *stats.add_servers();
      server.set_server("clangd");
      server.set_workspace_root(root);
      server.set_work(work);
    }
    stats.set_total_memory_bytes(7);
    return stats;
  }
  void Sweep() override {}
  void Shutdown() override {}

  int running = 1;
  std::vector<std::pair<std::string, std::string>> restarts;
  std::vector<std::pair<std::string, std::string>> works;  // By root.
};

class PoolServiceTest : public testing::Test {
 protected:
  PoolServiceTest() {
    verifier_.SetKeys({key_.ToProto()});
    verifier_.SetClock(absl::Now());
    EXPECT_THAT(server_.Start({&service_}), IsOk());
    stub_ = lsp::v1::PoolService::NewStub(server_.InProcessChannel());
  }
  ~PoolServiceTest() override { server_.Drain(absl::ZeroDuration()); }

  WorkspaceRegistry::Options RegistryOptions() const {
    WorkspaceRegistry::Options options;
    options.workspaces_roots = {folder_.path()};
    return options;
  }

  session::v1::SignedGrant Grant(bool is_operator) const {
    session::v1::Grant grant;
    grant.set_root(folder_.path());
    grant.set_access(session::v1::ACCESS_READ_ONLY);
    grant.set_handle_hash("handle");
    grant.set_is_operator(is_operator);
    grant.set_issued_unix_ms(absl::ToUnixMillis(absl::Now()));
    grant.set_expires_unix_ms(
        absl::ToUnixMillis(absl::Now() + absl::Seconds(30)));
    return key_.Sign(grant);
  }

  absl::StatusOr<int> Restart(const session::v1::SignedGrant& grant,
                              const std::string& root) {
    lsp::v1::RestartServerRequest request;
    *request.mutable_grant() = grant;
    request.set_language("python");
    request.set_workspace_root(root);
    grpc::ClientContext context;
    lsp::v1::RestartServerResponse response;
    const grpc::Status status =
        stub_->RestartServer(&context, request, &response);
    if (!status.ok()) return rpc::FromGrpc(status);
    return response.ended();
  }

  absl::StatusOr<lsp::v1::GetPoolStatsResponse> Stats(
      const session::v1::SignedGrant& grant) {
    lsp::v1::GetPoolStatsRequest request;
    *request.mutable_grant() = grant;
    grpc::ClientContext context;
    lsp::v1::GetPoolStatsResponse response;
    const grpc::Status status =
        stub_->GetPoolStats(&context, request, &response);
    if (!status.ok()) return rpc::FromGrpc(status);
    return response;
  }

  TempWorkspace folder_;
  const rpc::GrantKey key_ = *rpc::GrantKey::Generate();
  EverFreeLeases leases_;
  GrantVerifier verifier_{GrantVerifier::Options()};
  WorkspaceRegistry workspaces_{leases_, RegistryOptions()};
  FakeServerPool pool_;
  PoolService service_{verifier_, workspaces_, pool_};
  rpc::GrpcServer server_{{}};
  std::unique_ptr<lsp::v1::PoolService::Stub> stub_;
};

TEST_F(PoolServiceTest, OnlyOperatorsSeeTheStatistics) {
  EXPECT_THAT(Stats(Grant(/*is_operator=*/false)),
              HasReason(rpc::v1::ERROR_REASON_SCOPE_MISSING));
  ASSERT_OK_AND_ASSIGN(const auto stats, Stats(Grant(/*is_operator=*/true)));
  EXPECT_EQ(stats.total_memory_bytes(), 7);
  EXPECT_EQ(stats.servers_size(), 1);
}

TEST_F(PoolServiceTest, ProgressIsThatOfTheGrantsRootAlone) {
  pool_.works = {{folder_.path(), "indexing"},
                 {folder_.path(), ""},
                 {"/srv/another", "not for you"}};
  lsp::v1::GetProgressRequest request;
  *request.mutable_grant() = Grant(/*is_operator=*/false);
  grpc::ClientContext context;
  lsp::v1::GetProgressResponse response;
  ASSERT_TRUE(stub_->GetProgress(&context, request, &response).ok());
  ASSERT_EQ(response.servers_size(), 1);
  EXPECT_EQ(response.servers(0).server(), "clangd");
  EXPECT_EQ(response.servers(0).work(), "indexing");
}

TEST_F(PoolServiceTest, AGrantThatSomebodyMadeUpIsRefused) {
  session::v1::SignedGrant forged = Grant(/*is_operator=*/true);
  forged.set_signature(std::string(64, 'x'));
  EXPECT_THAT(Stats(forged), HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));
  EXPECT_THAT(Restart(forged, ""),
              HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));
  EXPECT_THAT(pool_.restarts, IsEmpty());
}

TEST_F(PoolServiceTest, EverybodyMayRestartTheServersOfTheirOwnRoot) {
  EXPECT_THAT(Restart(Grant(/*is_operator=*/false), ""), IsOk());
  EXPECT_THAT(Restart(Grant(/*is_operator=*/false), folder_.path()), IsOk());
  EXPECT_THAT(pool_.restarts, ElementsAre(Pair(folder_.path(), "python"),
                                          Pair(folder_.path(), "python")));
}

TEST_F(PoolServiceTest, NobodyElseRestartsTheServersOfAnotherRoot) {
  EXPECT_THAT(Restart(Grant(/*is_operator=*/false), "/somebody/else"),
              HasReason(rpc::v1::ERROR_REASON_SCOPE_MISSING));
  EXPECT_THAT(pool_.restarts, IsEmpty());
  EXPECT_THAT(Restart(Grant(/*is_operator=*/true), "/somebody/else"), IsOk());
  EXPECT_THAT(pool_.restarts, ElementsAre(Pair("/somebody/else", "python")));
}

TEST_F(PoolServiceTest, RestartingWhatDoesNotRunIsAnError) {
  pool_.running = 0;
  EXPECT_THAT(Restart(Grant(/*is_operator=*/false), ""),
              HasReason(rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN));
}

}  // namespace
}  // namespace banyan::lspd
