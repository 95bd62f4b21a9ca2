// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/attempts.h"

#include <gmock/gmock.h>

#include <utility>

#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

using Next = Attempts::Next;

const absl::Status& Down() {
  static const absl::Status status =
      rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, "crashed");
  return status;
}

TEST(AttemptsTest, AnAnswerOfASettledTreeIsTheAnswer) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, false, false),
            Next::kAnswer);
  EXPECT_FALSE(attempts.is_torn());
}

TEST(AttemptsTest, AChangeIsAskedAgainOnceThenAdmitted) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(absl::OkStatus(), true, false, false),
            Next::kAskAgain);
  EXPECT_EQ(attempts.After(absl::OkStatus(), true, false, false),
            Next::kAnswer);
  EXPECT_TRUE(attempts.is_torn());
}

TEST(AttemptsTest, ASettledSecondAttemptIsNotTorn) {
  Attempts attempts;
  attempts.After(absl::OkStatus(), true, false, false);
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, false, false),
            Next::kAnswer);
  EXPECT_FALSE(attempts.is_torn());
}

TEST(AttemptsTest, ADeathIsAskedAgainOnceAndAnotherErrorNever) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(Down(), false, false, false), Next::kAskAgain);
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, false, false),
            Next::kAnswer);
  Attempts others;
  EXPECT_EQ(others.After(rpc::Error(rpc::v1::ERROR_REASON_SYMBOL_NOT_FOUND, ""),
                         false, false, false),
            Next::kAnswer);
}

TEST(AttemptsTest, AfterADeathWhatLacksTimeIsAnsweredWithTheDeath) {
  const absl::Status late = rpc::Error(rpc::v1::ERROR_REASON_DEADLINE, "late");
  for (const auto& [status, is_cut_short] :
       {std::pair(late, false), std::pair(Down(), false),
        std::pair(absl::OkStatus(), true)}) {
    Attempts attempts;
    attempts.After(Down(), false, false, false);
    EXPECT_EQ(attempts.After(status, false, is_cut_short, true),
              Next::kAnswerWithDeath);
    EXPECT_EQ(attempts.death(), Down());
  }
}

TEST(AttemptsTest, WithoutADeathWhatLacksTimeIsTheAnswer) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, true, false),
            Next::kAnswer);
}

TEST(AttemptsTest, ADeathAndAChangeAreTwoReasons) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(Down(), true, false, false), Next::kAskAgain);
  EXPECT_EQ(attempts.After(absl::OkStatus(), true, false, false),
            Next::kAskAgain);
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, false, false),
            Next::kAnswer);
}

TEST(AttemptsTest, NobodyIsAskedAgainWhenTheTimeIsOver) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(absl::OkStatus(), true, false, true), Next::kAnswer);
  EXPECT_TRUE(attempts.is_torn());
  EXPECT_EQ(attempts.After(Down(), false, false, true), Next::kAnswer);
}

}  // namespace
}  // namespace banyan::lspd
