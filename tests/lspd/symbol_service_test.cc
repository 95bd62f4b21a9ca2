// SPDX-License-Identifier: Apache-2.0
#include "lspd/symbol_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/status_convert.h"
#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

class AlwaysLeased : public RootLeases {
 public:
  absl::StatusOr<int64_t> Acquire(const std::string&,
                                  const rpc::CallContext&) override {
    return 1;
  }
  bool IsHeld(const std::string&) const override { return true; }
  void Release(const std::string&) override {}
};

class SymbolServiceTest : public QueryTest {
 protected:
  SymbolServiceTest() {
    verifier_.SetKeys({key_.ToProto()});
    verifier_.SetClock(absl::Now());
    WorkspaceRegistry::Options options;
    options.workspaces_roots = {folder_.path()};
    workspaces_ = std::make_unique<WorkspaceRegistry>(leases_, options);
    service_ = std::make_unique<SymbolService>(verifier_, *workspaces_, tools_);
    EXPECT_THAT(server_.Start({service_.get()}), IsOk());
    stub_ = lsp::v1::SymbolService::NewStub(server_.InProcessChannel());
  }
  ~SymbolServiceTest() override { server_.Drain(absl::ZeroDuration()); }

  session::v1::Grant Grant() const {
    session::v1::Grant grant;
    grant.set_root(folder_.path());
    grant.set_access(session::v1::ACCESS_READ_ONLY);
    grant.set_handle_hash("handle");
    grant.set_trust_domain("local");
    grant.set_issued_unix_ms(absl::ToUnixMillis(absl::Now()));
    grant.set_expires_unix_ms(
        absl::ToUnixMillis(absl::Now() + absl::Seconds(30)));
    return grant;
  }

  absl::StatusOr<lsp::v1::FindSymbolResponse> Find(
      const session::v1::SignedGrant& grant, const std::string& path = "") {
    lsp::v1::FindSymbolRequest request;
    *request.mutable_grant() = grant;
    request.set_name_path_pattern("run");
    request.set_relative_path(path);
    grpc::ClientContext context;
    lsp::v1::FindSymbolResponse response;
    const grpc::Status status = stub_->FindSymbol(&context, request, &response);
    if (!status.ok()) return rpc::FromGrpc(status);
    return response;
  }

  AlwaysLeased leases_;
  const rpc::GrantKey key_ = *rpc::GrantKey::Generate();
  GrantVerifier verifier_{GrantVerifier::Options()};
  std::unique_ptr<WorkspaceRegistry> workspaces_;
  std::unique_ptr<SymbolService> service_;
  rpc::GrpcServer server_{{.listen = ""}};
  std::unique_ptr<lsp::v1::SymbolService::Stub> stub_;
};

TEST_F(SymbolServiceTest, AGrantedQuestionIsAnswered) {
  folder_.Write("a.py", "def run():\n");
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto found, Find(key_.Sign(Grant())));
  ASSERT_EQ(found.symbols_size(), 1);
  EXPECT_EQ(found.symbols(0).relative_path(), "a.py");
}

TEST_F(SymbolServiceTest, WithoutAGoodGrantNothingIsLookedAt) {
  folder_.Write("a.py", "def run():\n");
  AddServer("python");
  EXPECT_THAT(Find({}), HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));
  const auto stranger = rpc::GrantKey::Generate();
  EXPECT_THAT(Find(stranger->Sign(Grant())),
              HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));
  EXPECT_TRUE(pool_.acquired.empty());
}

TEST_F(SymbolServiceTest, ReasonsArriveWithTheirErrors) {
  folder_.Write("a.py", "def run():\n");
  const session::v1::SignedGrant grant = key_.Sign(Grant());
  EXPECT_THAT(Find(grant), HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
  EXPECT_THAT(Find(grant, "../secret.py"),
              HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT));
}

TEST_F(SymbolServiceTest, EveryQueryAsksForItsGrant) {
  const auto refuses = [this](auto method, auto request, auto response) {
    grpc::ClientContext context;
    const grpc::Status status =
        (stub_.get()->*method)(&context, request, &response);
    return rpc::ReasonOf(rpc::FromGrpc(status)) ==
           rpc::v1::ERROR_REASON_GRANT_INVALID;
  };
  using Stub = lsp::v1::SymbolService::Stub;
  EXPECT_TRUE(refuses(&Stub::GetSymbolsOverview,
                      lsp::v1::GetSymbolsOverviewRequest(),
                      lsp::v1::GetSymbolsOverviewResponse()));
  EXPECT_TRUE(refuses(&Stub::FindReferencingSymbols,
                      lsp::v1::FindReferencingSymbolsRequest(),
                      lsp::v1::FindReferencingSymbolsResponse()));
  EXPECT_TRUE(refuses(&Stub::FindDeclaration, lsp::v1::FindDeclarationRequest(),
                      lsp::v1::FindDeclarationResponse()));
  EXPECT_TRUE(refuses(&Stub::FindImplementations,
                      lsp::v1::FindImplementationsRequest(),
                      lsp::v1::FindImplementationsResponse()));
  EXPECT_TRUE(refuses(&Stub::GetSymbolInfo, lsp::v1::GetSymbolInfoRequest(),
                      lsp::v1::GetSymbolInfoResponse()));
  EXPECT_TRUE(refuses(&Stub::GetDiagnostics, lsp::v1::GetDiagnosticsRequest(),
                      lsp::v1::GetDiagnosticsResponse()));
}

}  // namespace
}  // namespace banyan::lspd
