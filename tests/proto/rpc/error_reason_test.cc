// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/error_reason.h"

#include <gtest/gtest.h>

#include "banyan/rpc/v1/error_detail.pb.h"
#include "proto/rpc/status_convert.h"
#include "tests/support/status_matchers.h"

namespace banyan::rpc {
namespace {

TEST(ErrorReasonTest, EveryNamedReasonHasACodeOfItsOwnChoice) {
  const auto* reasons = v1::ErrorReason_descriptor();
  for (int i = 0; i < reasons->value_count(); ++i) {
    const auto reason = static_cast<ErrorReason>(reasons->value(i)->number());
    if (reason == v1::ERROR_REASON_UNSPECIFIED ||
        reason == v1::ERROR_REASON_INTERNAL) {
      continue;
    }
    EXPECT_NE(CodeOf(reason), absl::StatusCode::kInternal)
        << ReasonName(reason) << " is missing in the table";
  }
}

TEST(ErrorReasonTest, TheReasonIsReadBackFromTheStatus) {
  const absl::Status status =
      Error(v1::ERROR_REASON_FILE_NOT_FOUND, "no file src/a.cc");
  EXPECT_THAT(status, HasReason(v1::ERROR_REASON_FILE_NOT_FOUND));
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no file src/a.cc");
}

TEST(ErrorReasonTest, AStatusWithoutDetailIsJudgedByItsCode) {
  EXPECT_THAT(absl::UnavailableError(""),
              HasReason(v1::ERROR_REASON_DAEMON_UNREACHABLE));
  EXPECT_THAT(absl::DeadlineExceededError(""),
              HasReason(v1::ERROR_REASON_DEADLINE));
  EXPECT_THAT(absl::NotFoundError(""), HasReason(v1::ERROR_REASON_INTERNAL));
}

TEST(ErrorReasonTest, UnknownNumbersKeepTheirNumber) {
  EXPECT_EQ(ReasonName(static_cast<ErrorReason>(777)), "UNKNOWN_777");
  EXPECT_EQ(ReasonName(v1::ERROR_REASON_MOVED), "MOVED");
}

TEST(StatusConvertTest, DetailAndMessageSurviveTheWire) {
  ErrorDetail detail;
  detail.set_reason(v1::ERROR_REASON_MOVED);
  detail.set_owner("10.0.0.7:8432");
  const absl::Status back = FromGrpc(ToGrpc(Error(detail, "it lives there")));
  EXPECT_THAT(back, HasReason(v1::ERROR_REASON_MOVED));
  EXPECT_EQ(DetailOf(back).owner(), "10.0.0.7:8432");
  EXPECT_EQ(back.message(), "it lives there");
}

TEST(StatusConvertTest, AReasonFromANewerDaemonKeepsItsCode) {
  ErrorDetail detail;
  detail.set_reason(static_cast<ErrorReason>(901));
  const grpc::Status sent(grpc::StatusCode::FAILED_PRECONDITION, "new thing",
                          detail.SerializeAsString());
  const absl::Status back = FromGrpc(sent);
  EXPECT_EQ(back.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(static_cast<int>(ReasonOf(back)), 901);
}

TEST(StatusConvertTest, OkStaysOk) {
  EXPECT_THAT(FromGrpc(ToGrpc(absl::OkStatus())), IsOk());
}

}  // namespace
}  // namespace banyan::rpc
