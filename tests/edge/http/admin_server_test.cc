// SPDX-License-Identifier: Apache-2.0
#include "edge/http/admin_server.h"

#include <gmock/gmock.h>
#include <prometheus/registry.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "edge/auth/peer_uid.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/raw_http_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FakeAdminSource : public AdminSource {
 public:
  absl::StatusOr<std::string> SessionOverviewJson(
      const session::v1::Principal& caller,
      const rpc::CallContext& context) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    deadline_ = context.deadline;
    return absl::StrCat("{\"asked_by\":\"", caller.subject(), "\"}");
  }
  absl::StatusOr<std::string> LspPoolStatsJson(
      const session::v1::Principal&, const rpc::CallContext&) override {
    return stats;
  }

  absl::Time deadline() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return deadline_;
  }

  absl::StatusOr<std::string> stats = std::string("{}");

 private:
  std::mutex mutex_;
  absl::Time deadline_;  // Guarded by mutex_.
};

// Anybody is a caller without scopes.
class NoScopesAuthenticator : public Authenticator {
 public:
  absl::StatusOr<Authenticated> Authenticate(PeerConnection&,
                                             absl::string_view) override {
    return Authenticated();
  }
  bool IsLoopbackOnly() const override { return true; }
};

class AdminServerTest : public ::testing::Test {
 protected:
  void Start() {
    auto server = AdminServer::Start({.server = {.listen = "127.0.0.1:0"}},
                                     *authenticator_, source_, metrics_);
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
  }

  RawHttpResponse Get(absl::string_view target,
                      absl::string_view headers = "") {
    RawHttpClient client(server_->port());
    client.SendRequest("GET", target, headers);
    return client.Read();
  }

  prometheus::Registry registry_;
  HttpMetrics metrics_{registry_};
  std::unique_ptr<Authenticator> authenticator_ =
      NewPeerUidAuthenticator(::geteuid());
  FakeAdminSource source_;
  std::unique_ptr<AdminServer> server_;
};

TEST_F(AdminServerTest, AnswersTheTwoQuestions) {
  Start();
  const RawHttpResponse overview = Get("/get_session_overview");
  EXPECT_EQ(overview.status, 200);
  EXPECT_EQ(overview.headers.at("content-type"), "application/json");
  EXPECT_EQ(overview.body,
            absl::StrCat("{\"asked_by\":\"", ::geteuid(), "\"}"));
  EXPECT_LT(source_.deadline(), absl::Now() + absl::Seconds(11));
  EXPECT_EQ(Get("/get_lsp_pool_stats?x=1").body, "{}");
  EXPECT_EQ(Get("/mcp").status, 404);
}

TEST_F(AdminServerTest, ADaemonThatIsAwayIs503AFaultOfOursSaysNothing) {
  Start();
  source_.stats = rpc::Error(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE,
                             "lspd does not answer");
  const RawHttpResponse away = Get("/get_lsp_pool_stats");
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(away.headers.count("retry-after"), 1u);
  EXPECT_THAT(away.body, HasSubstr("lspd does not answer"));

  source_.stats = absl::InternalError("secret");
  const RawHttpResponse fault = Get("/get_lsp_pool_stats");
  EXPECT_EQ(fault.status, 500);
  EXPECT_THAT(fault.body, Not(HasSubstr("secret")));
}

TEST_F(AdminServerTest, NeedsTheScopeAdmin) {
  authenticator_ = std::make_unique<NoScopesAuthenticator>();
  Start();
  const RawHttpResponse response = Get("/get_session_overview");
  EXPECT_EQ(response.status, 403);
  EXPECT_THAT(response.body, HasSubstr("SCOPE_MISSING"));
}

TEST_F(AdminServerTest, AnotherUserIsNotServed) {
  authenticator_ = NewPeerUidAuthenticator(::geteuid() + 1);
  Start();
  EXPECT_EQ(Get("/get_session_overview").status, 401);
}

TEST_F(AdminServerTest, LoopbackHostsAreServedOnAnyPortOthersNot) {
  Start();
  for (const auto& [host, status] :
       {std::pair{"localhost:9999", 200}, std::pair{"evil.example", 403}}) {
    RawHttpClient client(server_->port());
    client.Send(absl::StrCat(
        "GET /get_session_overview HTTP/1.1\r\nHost: ", host, "\r\n\r\n"));
    EXPECT_EQ(client.Read().status, status) << host;
  }
  EXPECT_EQ(
      Get("/get_session_overview", "Origin: http://evil.example\r\n").status,
      403);
}

TEST_F(AdminServerTest, QuestionsAreAskedByGet) {
  Start();
  RawHttpClient client(server_->port());
  client.SendRequest("POST", "/get_session_overview", "", "{}");
  EXPECT_EQ(client.Read().status, 405);
}

TEST_F(AdminServerTest, AnOpenAddressWithoutTokensIsRefusedAtStart) {
  const auto server = AdminServer::Start({.server = {.listen = "0.0.0.0:0"}},
                                         *authenticator_, source_, metrics_);
  EXPECT_THAT(server, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(server.status().message(), HasSubstr("--admin_listen"));
}

}  // namespace
}  // namespace banyan::edge
