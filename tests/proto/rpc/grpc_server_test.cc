// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/grpc_server.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace banyan::rpc {
namespace {

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
