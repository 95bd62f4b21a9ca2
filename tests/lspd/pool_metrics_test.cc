// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <string>

namespace banyan::lspd {
namespace {

using testing::HasSubstr;

TEST(PoolMetricsTest, EachObservationIsASeriesOfItsLanguage) {
  prometheus::Registry registry;
  PoolMetrics metrics(registry);
  metrics.OnServerCount("cpp", lsp::v1::SERVER_STATUS_IDLE, 2);
  metrics.OnRestart("cpp", "crash");
  metrics.OnRestart("cpp", "crash");
  metrics.OnRequest("cpp", "textDocument/hover", absl::Milliseconds(3));
  const std::string page =
      prometheus::TextSerializer().Serialize(registry.Collect());
  EXPECT_THAT(
      page,
      HasSubstr("banyan_lspd_lsp_servers{language=\"cpp\",state=\"idle\"} 2"));
  EXPECT_THAT(page, HasSubstr("banyan_lspd_lsp_restarts_total{language=\"cpp\","
                              "reason=\"crash\"} 2"));
  EXPECT_THAT(page, HasSubstr("banyan_lspd_lsp_request_duration_seconds_bucket{"
                              "language=\"cpp\",method=\"textDocument/hover\","
                              "le=\"0.005\"} 1"));
}

}  // namespace
}  // namespace banyan::lspd
