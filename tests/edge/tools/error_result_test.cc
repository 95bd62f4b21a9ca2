// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/error_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "edge/tools/all_tools.h"
#include "edge/tools/argument_schema.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/fake_lsp_client.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

TEST(ErrorResultTest, EveryReasonButThreeIsAToolResult) {
  const auto* descriptor = rpc::v1::ErrorReason_descriptor();
  for (int i = 0; i < descriptor->value_count(); ++i) {
    const int number = descriptor->value(i)->number();
    const auto reason = static_cast<rpc::ErrorReason>(number);
    if (reason == rpc::v1::ERROR_REASON_UNSPECIFIED) continue;
    const absl::Status status = rpc::Error(reason, "what to do");
    ErrorRoute expected = ErrorRoute::kToolResult;
    if (reason == rpc::v1::ERROR_REASON_SESSION_GONE) {
      expected = ErrorRoute::kSessionGone;
    } else if (reason == rpc::v1::ERROR_REASON_SCOPE_MISSING) {
      expected = ErrorRoute::kScopeMissing;
    } else if (reason == rpc::v1::ERROR_REASON_INTERNAL) {
      expected = ErrorRoute::kOurFault;
    }
    EXPECT_EQ(RouteOf(status), expected) << rpc::ReasonName(reason);

    const json result = ErrorResult(status);
    EXPECT_EQ(result["isError"], true);
    EXPECT_EQ(result["content"],
              json::array({{{"type", "text"}, {"text", "what to do"}}}));
    EXPECT_EQ(result["structuredContent"]["error"]["reason"],
              rpc::ReasonName(reason));
  }
}

TEST(ErrorResultTest, AReasonOfANewerDaemonIsPassedOnByNumber) {
  rpc::ErrorDetail detail;
  detail.set_reason(static_cast<rpc::ErrorReason>(77));
  const absl::Status status = rpc::Error(detail, "new");
  EXPECT_EQ(RouteOf(status), ErrorRoute::kToolResult);
  EXPECT_EQ(ErrorResult(status)["structuredContent"]["error"]["reason"],
            "UNKNOWN_77");
}

TEST(ErrorResultTest, AStatusWithoutReasonIsOurFault) {
  EXPECT_EQ(RouteOf(absl::InternalError("null pointer")),
            ErrorRoute::kOurFault);
  EXPECT_EQ(RouteOf(absl::NotFoundError("x")), ErrorRoute::kOurFault);
}

TEST(ErrorResultTest, DetailsThatHelpAreShownAndOwnersAreNot) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_OUTCOME_UNKNOWN);
  detail.set_retry_after_ms(1500);
  detail.set_transaction("tx1");
  detail.set_owner("10.0.0.7:8432");
  detail.add_alternatives("a");
  const json result = ErrorResult(rpc::Error(detail, "m"));
  EXPECT_EQ(result["structuredContent"]["error"],
            json({{"reason", "OUTCOME_UNKNOWN"},
                  {"message", "m"},
                  {"retry_after_ms", 1500},
                  {"transaction", "tx1"},
                  {"alternatives", {"a"}}}));
}

// SDK clients hold structuredContent against the output schema even when
// isError is set, and throw when it does not fit.
TEST(ErrorResultTest, AnErrorFitsTheOutputSchemaOfEveryTool) {
  FakeSessionClient sessions;
  FakeLspClient lsp;
  for (const auto& tool : AllTools({sessions, lsp}, "0.1.0")) {
    ASSERT_OK_AND_ASSIGN(const ArgumentSchema schema,
                         ArgumentSchema::Create(tool->spec().output_schema));
    const json error =
        ErrorResult(rpc::Error(rpc::v1::ERROR_REASON_FILE_NOT_FOUND, "m"));
    EXPECT_THAT(schema.Check(error["structuredContent"]), IsOk())
        << tool->spec().name;
    EXPECT_FALSE(schema.Check(json::object()).ok()) << tool->spec().name;
  }
}

}  // namespace
}  // namespace banyan::edge
