// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/grpc_server.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "banyan/session/v1/session_service.grpc.pb.h"
#include "tests/support/processes.h"
#include "tests/support/status_matchers.h"

namespace banyan::rpc {
namespace {

namespace v1 = session::v1;

// A call that lasts until it is let go.
class SlowService : public v1::SessionService::Service {
 public:
  grpc::Status GetEdgeKeys(grpc::ServerContext*, const v1::GetEdgeKeysRequest*,
                           v1::GetEdgeKeysResponse*) override {
    entered.count_down();
    let_go.wait();
    return grpc::Status::OK;
  }

  std::latch entered{1};
  std::latch let_go{1};
};

TEST(GrpcServerTest, HealthIsServedUntilItIsTakenBack) {
  GrpcServer server({.listen = "127.0.0.1:0"});
  ASSERT_THAT(server.Start({}), IsOk());
  const std::string address = absl::StrCat("127.0.0.1:", server.port());
  EXPECT_THAT(CheckHealth(address, absl::Seconds(5)), IsOk());
  server.SetServing(false);
  EXPECT_FALSE(CheckHealth(address, absl::Seconds(5)).ok());
  server.Drain(absl::ZeroDuration());
  EXPECT_FALSE(CheckHealth(address, absl::Milliseconds(300)).ok());
}

TEST(GrpcServerTest,
     Behaviour72And73ADrainAdmitsNoCallAndEndsWithTheLastThatWasAdmitted) {
  SlowService service;
  GrpcServer server({.listen = "127.0.0.1:0"});
  ASSERT_THAT(server.Start({&service}), IsOk());
  const auto stub = v1::SessionService::NewStub(
      NewChannel(absl::StrCat("127.0.0.1:", server.port())));
  std::atomic<bool> was_answered = false;
  std::thread admitted([&] {
    grpc::ClientContext context;
    v1::GetEdgeKeysResponse response;
    was_answered = stub->GetEdgeKeys(&context, {}, &response).ok();
  });
  service.entered.wait();
  std::atomic<bool> is_drained = false;
  std::thread drain([&] {
    server.Drain(absl::Seconds(60));
    is_drained = true;
  });
  EXPECT_TRUE(banyan::Eventually([&] {
    grpc::ClientContext context;
    v1::ListProjectsResponse response;
    return stub->ListProjects(&context, {}, &response).error_code() ==
           grpc::StatusCode::UNAVAILABLE;
  }));
  EXPECT_FALSE(is_drained);
  service.let_go.count_down();
  drain.join();
  admitted.join();
  EXPECT_TRUE(was_answered);
  server.Drain(absl::Seconds(60));  // Returns at once.
}

// Answers at once, and counts.
class CountingService : public v1::SessionService::Service {
 public:
  grpc::Status GetEdgeKeys(grpc::ServerContext*, const v1::GetEdgeKeysRequest*,
                           v1::GetEdgeKeysResponse*) override {
    ++calls;
    return grpc::Status::OK;
  }

  std::atomic<int> calls = 0;
};

TEST(GrpcServerTest, AListOfAddressesIsEveryHealthyDaemonInTurn) {
  CountingService services[2];
  GrpcServer first({.listen = "127.0.0.1:0"});
  GrpcServer second({.listen = "127.0.0.1:0"});
  ASSERT_THAT(first.Start({&services[0]}), IsOk());
  ASSERT_THAT(second.Start({&services[1]}), IsOk());
  const auto stub = v1::SessionService::NewStub(NewChannel(absl::StrCat(
      "ipv4:127.0.0.1:", first.port(), ",127.0.0.1:", second.port())));
  const auto call = [&stub] {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    v1::GetEdgeKeysResponse response;
    return stub->GetEdgeKeys(&context, {}, &response).ok();
  };
  EXPECT_TRUE(banyan::Eventually([&] {
    EXPECT_TRUE(call());
    return services[0].calls > 0 && services[1].calls > 0;
  }));
  // One that drains is left alone though it still listens.
  first.SetServing(false);
  EXPECT_TRUE(banyan::Eventually([&] {
    const int before = services[0].calls;
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(call());
    return services[0].calls == before;
  }));
  // And one that is gone costs nobody a call.
  first.Drain(absl::ZeroDuration());
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(call());
}

TEST(GrpcServerTest, APublicAddressNeedsTheFlag) {
  GrpcServer server({.listen = "0.0.0.0:0"});
  const absl::Status status = server.Start({});
  EXPECT_THAT(status, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("--allow_insecure"));
}

TEST(GrpcServerTest, ATakenPortIsAnError) {
  GrpcServer first({.listen = "127.0.0.1:0"});
  ASSERT_THAT(first.Start({}), IsOk());
  GrpcServer second({.listen = absl::StrCat("127.0.0.1:", first.port())});
  EXPECT_THAT(second.Start({}), HasCode(absl::StatusCode::kUnavailable));
}

TEST(IsLoopbackAddressTest, NamesWhatIsLoopback) {
  for (const std::string yes :
       {"127.0.0.1:80", "127.8.8.8:1", "localhost:1", "[::1]:1", "unix:/a"}) {
    EXPECT_TRUE(IsLoopbackAddress(yes)) << yes;
  }
  for (const std::string no :
       {"0.0.0.0:1", "[::]:1", "192.168.0.1:1", "localhost.evil:1", ""}) {
    EXPECT_FALSE(IsLoopbackAddress(no)) << no;
  }
}

}  // namespace
}  // namespace banyan::rpc
