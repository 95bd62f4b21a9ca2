// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/grpc_session_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "banyan/session/v1/session_service.grpc.pb.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/status_convert.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

// Answers Authorize and CreateSession as the test says; counts.
class ScriptedSessiond final : public session::v1::SessionService::Service {
 public:
  std::function<grpc::Status(grpc::ServerContext*)> script =
      [](grpc::ServerContext*) { return grpc::Status::OK; };
  std::atomic<int> calls = 0;

  grpc::Status Authorize(grpc::ServerContext* context,
                         const session::v1::AuthorizeRequest* request,
                         session::v1::AuthorizeResponse* response) override {
    ++calls;
    response->mutable_workspace()->set_handle(request->workspace());
    return script(context);
  }
  grpc::Status CreateSession(grpc::ServerContext* context,
                             const session::v1::CreateSessionRequest*,
                             session::v1::CreateSessionResponse*) override {
    ++calls;
    return script(context);
  }
};

class GrpcSessionClientTest : public testing::Test {
 protected:
  void StartServer(const std::string& address) {
    server_ = std::make_unique<rpc::GrpcServer>(
        rpc::GrpcServer::Options{.listen = address});
    ASSERT_THAT(server_->Start({&service_}), IsOk());
  }

  std::unique_ptr<SessionClient> MakeClient(const std::string& address) {
    return NewGrpcSessionClient(
        rpc::NewChannel(address),
        {.restart_wait = absl::Seconds(3), .metrics = &metrics_});
  }

  const std::string address_ = absl::StrCat(
      "unix:", testing::TempDir(), "/sessiond_", getpid(), "_",
      testing::UnitTest::GetInstance()->current_test_info()->name());
  prometheus::Registry registry_;
  rpc::CallMetrics metrics_{registry_};
  ScriptedSessiond service_;
  std::unique_ptr<rpc::GrpcServer> server_;
};

TEST_F(GrpcSessionClientTest, AnAnswerComesBackAndIsMeasured) {
  StartServer(address_);
  session::v1::AuthorizeRequest request;
  request.set_workspace("ws_a");
  ASSERT_OK_AND_ASSIGN(const auto response,
                       MakeClient(address_)->Authorize(request, {}));
  EXPECT_EQ(response.workspace().handle(), "ws_a");
  EXPECT_EQ(registry_.Collect()[0].metric.size(), 1);
}

TEST_F(GrpcSessionClientTest, TheDaemonsReasonAndTextSurviveTheWay) {
  StartServer(address_);
  service_.script = [](grpc::ServerContext*) {
    return rpc::ToGrpc(
        rpc::Error(rpc::v1::ERROR_REASON_HANDLE_GONE, "call activate_project"));
  };
  const auto answer = MakeClient(address_)->Authorize({}, {});
  EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_HANDLE_GONE));
  EXPECT_EQ(answer.status().message(), "call activate_project");
  EXPECT_EQ(service_.calls, 1);
}

TEST_F(GrpcSessionClientTest, ACallWaitsForADaemonThatIsStarting) {
  const auto client = MakeClient(address_);
  std::atomic<bool> is_done = false;
  std::thread caller([&] {
    EXPECT_THAT(client->Authorize({}, {}), IsOk());
    is_done = true;
  });
  EXPECT_FALSE(is_done);
  StartServer(address_);
  caller.join();
}

TEST_F(GrpcSessionClientTest, ADaemonThatStaysAwayIsNamedWithoutItsAddress) {
  const auto client = NewGrpcSessionClient(
      rpc::NewChannel(address_), {.restart_wait = absl::Milliseconds(100)});
  const auto answer = client->Authorize({}, {});
  EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
  EXPECT_THAT(std::string(answer.status().message()),
              testing::AllOf(testing::HasSubstr("Retry in 5 s"),
                             testing::Not(testing::HasSubstr("unix:"))));
  EXPECT_EQ(rpc::DetailOf(answer.status()).retry_after_ms(), 5000);
}

TEST_F(GrpcSessionClientTest,
       WeakSpot12AnInterruptedReadIsAskedAgainOnceAndAWriteNever) {
  StartServer(address_);
  service_.script = [](grpc::ServerContext*) {
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "Socket closed");
  };
  const auto client = MakeClient(address_);
  EXPECT_THAT(client->Authorize({}, {}),
              HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
  EXPECT_EQ(service_.calls, 2);
  EXPECT_THAT(client->CreateSession({}, {}),
              HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
  EXPECT_EQ(service_.calls, 3);
}

TEST_F(GrpcSessionClientTest, TheSecondAttemptMaySucceed) {
  StartServer(address_);
  service_.script = [this](grpc::ServerContext*) {
    return service_.calls == 1
               ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "reset")
               : grpc::Status::OK;
  };
  EXPECT_THAT(MakeClient(address_)->Authorize({}, {}), IsOk());
}

TEST_F(GrpcSessionClientTest, ADaemonThatIsNotReadyYetIsAskedAgain) {
  StartServer(address_);
  service_.script = [this](grpc::ServerContext*) {
    return service_.calls < 3
               ? rpc::ToGrpc(rpc::Error(
                     rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE, "registering"))
               : grpc::Status::OK;
  };
  EXPECT_THAT(MakeClient(address_)->Authorize({}, {}), IsOk());
  EXPECT_EQ(service_.calls, 3);
}

TEST_F(GrpcSessionClientTest, ADaemonThatNeverGetsReadyIsNotAskedForEver) {
  StartServer(address_);
  service_.script = [](grpc::ServerContext*) {
    return rpc::ToGrpc(
        rpc::Error(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE, "registering"));
  };
  const auto client = NewGrpcSessionClient(
      rpc::NewChannel(address_), {.restart_wait = absl::Milliseconds(300)});
  EXPECT_THAT(client->Authorize({}, {}),
              HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
  EXPECT_LE(service_.calls, 5);
}

TEST_F(GrpcSessionClientTest, AHungDaemonIsADeadline) {
  StartServer(address_);
  // It may run on after this test's own variables are gone.
  service_.script = [](grpc::ServerContext* context) {
    while (!context->IsCancelled()) std::this_thread::yield();
    return grpc::Status::OK;
  };
  rpc::CallContext call;
  call.deadline = absl::Now() + absl::Milliseconds(300);
  EXPECT_THAT(MakeClient(address_)->Authorize({}, call),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
}

TEST_F(GrpcSessionClientTest, ACallThatNobodyWaitsForIsCancelledAtTheDaemon) {
  StartServer(address_);
  std::atomic<bool> is_running = false;
  std::atomic<bool> was_cancelled = false;
  service_.script = [&](grpc::ServerContext* context) {
    is_running = true;
    while (!context->IsCancelled()) std::this_thread::yield();
    was_cancelled = true;
    return grpc::Status::CANCELLED;
  };
  rpc::CallContext call;
  call.is_cancelled = [&] { return is_running.load(); };
  EXPECT_THAT(MakeClient(address_)->Authorize({}, call),
              HasReason(rpc::v1::ERROR_REASON_CANCELLED));
  server_.reset();
  EXPECT_TRUE(was_cancelled);
}

TEST_F(GrpcSessionClientTest, AnInProcessChannelNeedsNoConnection) {
  rpc::GrpcServer server(rpc::GrpcServer::Options{});
  ASSERT_THAT(server.Start({&service_}), IsOk());
  const auto client =
      NewGrpcSessionClient(server.InProcessChannel(), {.is_in_process = true});
  EXPECT_THAT(client->Authorize({}, {}), IsOk());
}

}  // namespace
}  // namespace banyan::edge
