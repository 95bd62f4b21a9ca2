// SPDX-License-Identifier: Apache-2.0
#include "lspd/edit_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "absl/time/clock.h"
#include "lspd/edits/edit_journal.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/status_convert.h"
#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

class HeldLeases : public RootLeases {
 public:
  absl::StatusOr<int64_t> Acquire(const std::string&,
                                  const rpc::CallContext&) override {
    return 1;
  }
  bool IsHeld(const std::string&) const override { return true; }
  void Release(const std::string&) override {}
};

class EditServiceTest : public QueryTest {
 protected:
  EditServiceTest() {
    verifier_.SetKeys({key_.ToProto()});
    verifier_.SetClock(absl::Now());
    WorkspaceRegistry::Options options;
    options.workspaces_roots = {folder_.path()};
    options.on_opened = RecoverRoot;
    workspaces_ = std::make_unique<WorkspaceRegistry>(leases_, options);
    service_ = std::make_unique<EditService>(verifier_, *workspaces_, tools_);
    EXPECT_THAT(server_.Start({service_.get()}), IsOk());
    stub_ = lsp::v1::EditService::NewStub(server_.InProcessChannel());
  }
  ~EditServiceTest() override { server_.Drain(absl::ZeroDuration()); }

  session::v1::SignedGrant Grant(session::v1::Access access) const {
    session::v1::Grant grant;
    grant.set_root(folder_.path());
    grant.set_access(access);
    grant.set_handle_hash("handle");
    grant.set_trust_domain("local");
    grant.set_issued_unix_ms(absl::ToUnixMillis(absl::Now()));
    grant.set_expires_unix_ms(
        absl::ToUnixMillis(absl::Now() + absl::Seconds(30)));
    return key_.Sign(grant);
  }

  absl::StatusOr<lsp::v1::ApplyEditResponse> Replace(
      session::v1::Access access, const std::string& path,
      const std::string& needle) {
    lsp::v1::ApplyEditRequest request;
    *request.mutable_grant() = Grant(access);
    auto& operation = *request.add_operations();
    operation.set_relative_path(path);
    operation.mutable_replace_content()->set_needle(needle);
    operation.mutable_replace_content()->set_replacement("new");
    grpc::ClientContext context;
    lsp::v1::ApplyEditResponse response;
    const grpc::Status status = stub_->ApplyEdit(&context, request, &response);
    if (!status.ok()) return rpc::FromGrpc(status);
    return response;
  }

  std::string Text(const std::string& path) const {
    std::ifstream file(folder_.PathOf(path), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  HeldLeases leases_;
  const rpc::GrantKey key_ = *rpc::GrantKey::Generate();
  GrantVerifier verifier_{GrantVerifier::Options()};
  std::unique_ptr<WorkspaceRegistry> workspaces_;
  std::unique_ptr<EditService> service_;
  rpc::GrpcServer server_{{.listen = ""}};
  std::unique_ptr<lsp::v1::EditService::Stub> stub_;
};

TEST_F(EditServiceTest, TheGrantCarriesTheRightToWrite) {
  folder_.Write("a.txt", "old");
  EXPECT_THAT(Replace(session::v1::ACCESS_READ_ONLY, "a.txt", "old"),
              HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
  EXPECT_EQ(Text("a.txt"), "old");
  EXPECT_THAT(Replace(session::v1::ACCESS_READ_WRITE, "a.txt", "old"), IsOk());
  EXPECT_EQ(Text("a.txt"), "new");
}

TEST_F(EditServiceTest, AHandleThatEndedWritesNoMore) {
  folder_.Write("a.txt", "old");
  verifier_.Revoke("handle");
  EXPECT_FALSE(Replace(session::v1::ACCESS_READ_WRITE, "a.txt", "old").ok());
  EXPECT_EQ(Text("a.txt"), "old");
}

TEST_F(EditServiceTest, PathsLeadNowhereElse) {
  folder_.Write("a.txt", "old");
  EXPECT_THAT(Replace(session::v1::ACCESS_READ_WRITE, "../a.txt", "old"),
              HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT));
  EXPECT_THAT(Replace(session::v1::ACCESS_READ_WRITE, ".git/config", "old"),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
}

// What another process left unfinished is undone before anybody is answered.
TEST_F(EditServiceTest, WhoOpensTheRootFirstUndoesWhatWasLeft) {
  folder_.Write("a.txt", "half done");
  folder_.Write(".banyan/edits/1-aa/0.new", "as it was");
  folder_.Write(".banyan/edits/1-aa/journal",
                ToText({.steps = {{.path = "a.txt",
                                   .kind = StepKind::kExchange,
                                   .before = HashOf("as it was"),
                                   .after = HashOf("half done")}}}));
  EXPECT_THAT(Replace(session::v1::ACCESS_READ_WRITE, "a.txt", "half"),
              HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_EQ(Text("a.txt"), "as it was");
}

}  // namespace
}  // namespace banyan::lspd
