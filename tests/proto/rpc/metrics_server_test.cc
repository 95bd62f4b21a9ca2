// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/metrics_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/rpc/call_metrics.h"
#include "tests/support/status_matchers.h"

namespace banyan::rpc {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Get(int port, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  std::string answer;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) == 0) {
    const std::string request =
        absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n");
    send(fd, request.data(), request.size(), 0);
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = recv(fd, part.data(), part.size(), 0)) > 0;) {
      answer.append(part.data(), static_cast<size_t>(n));
    }
  }
  close(fd);
  return answer;
}

class MetricsServerTest : public testing::Test {
 protected:
  std::shared_ptr<prometheus::Registry> registry_ = NewMetricsRegistry("test");
  std::atomic<bool> is_ready_ = true;
  std::unique_ptr<MetricsServer> server_ = *MetricsServer::Start(
      "127.0.0.1:0", registry_, [this] { return is_ready_.load(); });
};

TEST_F(MetricsServerTest, MetricsNameTheBuildAndTheProcess) {
  const std::string page = Get(server_->port(), "/metrics");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, HasSubstr("banyan_build_info{"));
  EXPECT_THAT(page, HasSubstr("process_resident_memory_bytes "));
}

TEST_F(MetricsServerTest, ReadinessFollowsThePrograms) {
  EXPECT_THAT(Get(server_->port(), "/readyz"), StartsWith("HTTP/1.1 200"));
  is_ready_ = false;
  EXPECT_THAT(Get(server_->port(), "/readyz"), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(Get(server_->port(), "/livez"), StartsWith("HTTP/1.1 200"));
}

TEST_F(MetricsServerTest, NothingElseIsServed) {
  for (const std::string path :
       {"/", "/metrics/", "/metrics/x", "/livezz", "/../etc/passwd", "/mcp"}) {
    EXPECT_THAT(Get(server_->port(), path), StartsWith("HTTP/1.1 404")) << path;
  }
}

TEST_F(MetricsServerTest, ATakenPortIsAnErrorThatNamesTheFlag) {
  const auto second =
      MetricsServer::Start(absl::StrCat("127.0.0.1:", server_->port()),
                           registry_, [] { return true; });
  EXPECT_THAT(second, HasCode(absl::StatusCode::kUnavailable));
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("--metrics_listen"));
}

TEST_F(MetricsServerTest, ClientCallsAreSeenByServiceMethodAndCode) {
  CallMetrics calls(*registry_);
  calls.Observe("SessionService", "Authorize", absl::OkStatus(), absl::Now());
  calls.Observe("SessionService", "Authorize", absl::UnavailableError(""),
                absl::Now());
  const std::string page = Get(server_->port(), "/metrics");
  EXPECT_THAT(page, HasSubstr("grpc_method=\"Authorize\""));
  EXPECT_THAT(page, HasSubstr("grpc_code=\"UNAVAILABLE\""));
  EXPECT_THAT(page, HasSubstr("grpc_code=\"OK\""));
}

}  // namespace
}  // namespace banyan::rpc
