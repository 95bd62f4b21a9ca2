// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/operation_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

class OperationMetricsTest : public testing::Test {
 protected:
  std::string Text() {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, registry_.Collect());
    return out.str();
  }
  size_t Series() {
    size_t count = 0;
    for (const auto& family : registry_.Collect())
      count += family.metric.size();
    return count;
  }

  prometheus::Registry registry_;
  OperationMetrics metrics_{registry_, {"find_symbol", "read_file"}};
};

TEST_F(OperationMetricsTest, ACallIsCountedUnderItsNames) {
  metrics_.ObserveOperation({.method = "tools/call",
                             .tool = "find_symbol",
                             .version = "2026-07-28",
                             .error_type = "tool_error"},
                            absl::Microseconds(700));
  const std::string text = Text();
  for (const char* part :
       {"mcp_server_operation_duration_seconds_bucket{",
        "mcp_method_name=\"tools/call\"", "gen_ai_tool_name=\"find_symbol\"",
        "error_type=\"tool_error\"", "network_transport=\"tcp\"",
        "mcp_protocol_version=\"2026-07-28\"", "le=\"0.0005\"} 0",
        "le=\"0.001\"} 1", "le=\"300\"} 1"}) {
    EXPECT_THAT(text, testing::HasSubstr(part));
  }
}

TEST_F(OperationMetricsTest, WhatClientsMakeUpMakesNoSeries) {
  const auto observe = [&](int i) {
    const std::string made_up = absl::StrCat("no_such_", i);
    metrics_.ObserveOperation({.method = "tools/call",
                               .tool = made_up,
                               .version = made_up,
                               .error_type = "-32602"},
                              absl::Seconds(1));
    metrics_.ObserveOperation(
        {.method = made_up, .tool = "", .version = "", .error_type = made_up},
        absl::Seconds(1));
  };
  observe(0);
  const size_t before = Series();
  for (int i = 1; i < 1000; ++i) observe(i);
  EXPECT_EQ(Series(), before);
  EXPECT_THAT(Text(), testing::HasSubstr("gen_ai_tool_name=\"_other\""));
  EXPECT_THAT(Text(), testing::Not(testing::HasSubstr("no_such")));
}

TEST_F(OperationMetricsTest, AnEndedSessionIsCounted) {
  metrics_.ObserveSession("2025-11-25", absl::Minutes(5));
  const std::string text = Text();
  EXPECT_THAT(text, testing::HasSubstr("mcp_protocol_version=\"2025-11-25\""));
  EXPECT_THAT(text, testing::HasSubstr("le=\"60\"} 0"));
  EXPECT_THAT(text, testing::HasSubstr("le=\"600\"} 1"));
}

}  // namespace
}  // namespace banyan::edge
