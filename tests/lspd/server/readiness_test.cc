// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/readiness.h"

#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

using Kind = Readiness::ProgressKind;

constexpr absl::Duration kLater = absl::Milliseconds(200);

class ReadinessTest : public testing::Test {
 protected:
  Readiness Make(lsp::v1::ReadinessKind kind, const std::string& pattern = "",
                 bool needs_open_file = false) {
    lsp::v1::Readiness rule;
    rule.set_kind(kind);
    rule.set_pattern(pattern);
    rule.set_grace_ms(2000);
    rule.set_needs_open_file(needs_open_file);
    return Readiness(rule, start_);
  }

  absl::Time After(int milliseconds) const {
    return start_ + absl::Milliseconds(milliseconds);
  }

  const absl::Time start_ = absl::FromUnixSeconds(1000);
};

TEST_F(ReadinessTest, ServersThatBlockUntilTheyAreRightAreReady) {
  EXPECT_EQ(Make(lsp::v1::READINESS_KIND_IMMEDIATE).At(start_),
            ReadinessState::kReady);
}

TEST_F(ReadinessTest, ProgressThatEndsIsReadyOnceNothingFollows) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_PROGRESS);
  EXPECT_EQ(readiness.At(After(0)), ReadinessState::kIndexing);
  readiness.OnProgress("1", Kind::kBegin, "indexing", After(100));
  EXPECT_EQ(readiness.At(After(60'000)), ReadinessState::kIndexing);
  readiness.OnProgress("1", Kind::kEnd, "", After(5000));
  EXPECT_EQ(readiness.At(After(5001)), ReadinessState::kIndexing);
  EXPECT_EQ(readiness.At(After(5000) + kLater), ReadinessState::kReady);
}

// "Ready" was decided between two pieces of work.
TEST_F(ReadinessTest, WorkThatFollowsAtOnceIsWaitedForToo) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_PROGRESS);
  readiness.OnProgress("1", Kind::kBegin, "", After(10));
  readiness.OnProgress("1", Kind::kEnd, "", After(20));
  readiness.OnProgress("2", Kind::kBegin, "", After(60));
  EXPECT_EQ(readiness.At(After(1000)), ReadinessState::kIndexing);
  readiness.OnProgress("2", Kind::kEnd, "", After(1500));
  EXPECT_EQ(readiness.At(After(1500) + kLater), ReadinessState::kReady);
}

TEST_F(ReadinessTest, OverlappingWorkIsReadyWhenAllOfItEnded) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_PROGRESS);
  readiness.OnProgress("1", Kind::kBegin, "", After(10));
  readiness.OnProgress("2", Kind::kBegin, "", After(20));
  readiness.OnProgress("2", Kind::kEnd, "", After(30));
  EXPECT_EQ(readiness.At(After(900)), ReadinessState::kIndexing);
  readiness.OnProgress("1", Kind::kEnd, "", After(1000));
  EXPECT_EQ(readiness.At(After(1000) + kLater), ReadinessState::kReady);
}

TEST_F(ReadinessTest, NoProgressWithinItsTimeIsUnknownAndNotReady) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_PROGRESS);
  EXPECT_EQ(readiness.At(After(1999)), ReadinessState::kIndexing);
  EXPECT_EQ(readiness.At(After(2000)), ReadinessState::kUnknown);
  EXPECT_EQ(readiness.NextChange(After(100)), After(2000));
}

TEST_F(ReadinessTest, LateProgressStillCounts) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_PROGRESS);
  readiness.OnProgress("1", Kind::kBegin, "", After(3000));
  EXPECT_EQ(readiness.At(After(3001)), ReadinessState::kIndexing);
  readiness.OnProgress("1", Kind::kEnd, "", After(4000));
  EXPECT_EQ(readiness.At(After(4000) + kLater), ReadinessState::kReady);
}

TEST_F(ReadinessTest, ProgressOfOtherThingsDoesNotCount) {
  Readiness readiness =
      Make(lsp::v1::READINESS_KIND_PROGRESS, "^backgroundIndexProgress$");
  readiness.OnProgress("spell", Kind::kBegin, "Checking spelling", After(10));
  readiness.OnProgress("spell", Kind::kEnd, "", After(20));
  EXPECT_EQ(readiness.At(After(1000)), ReadinessState::kIndexing);
  EXPECT_EQ(readiness.At(After(2500)), ReadinessState::kUnknown);
  readiness.OnProgress("backgroundIndexProgress", Kind::kBegin, "",
                       After(2600));
  readiness.OnProgress("backgroundIndexProgress", Kind::kEnd, "", After(2700));
  EXPECT_EQ(readiness.At(After(2700) + kLater), ReadinessState::kReady);
}

TEST_F(ReadinessTest, AReportWhoseBeginWasLostIsWorkToo) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_PROGRESS, "^index$");
  readiness.OnProgress("index", Kind::kReport, "", After(10));
  EXPECT_EQ(readiness.At(After(5000)), ReadinessState::kIndexing);
}

TEST_F(ReadinessTest, IndexingThatNeedsADocumentIsAwaitedFromItsOpening) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_PROGRESS, "", true);
  EXPECT_TRUE(readiness.WaitsForDocument());
  EXPECT_EQ(readiness.At(After(90'000)), ReadinessState::kIndexing);
  readiness.OnDocumentOpened(After(90'000));
  EXPECT_FALSE(readiness.WaitsForDocument());
  EXPECT_EQ(readiness.At(After(91'000)), ReadinessState::kIndexing);
  EXPECT_EQ(readiness.At(After(92'000)), ReadinessState::kUnknown);
}

TEST_F(ReadinessTest, OneLogLineIsWantedForEachFolder) {
  Readiness readiness =
      Make(lsp::v1::READINESS_KIND_LOG_MESSAGE, "Found \\d+ source file");
  readiness.OnLogMessage("Starting", After(10));
  EXPECT_EQ(readiness.At(After(1000)), ReadinessState::kIndexing);
  readiness.OnLogMessage("Found 3 source files", After(1000));
  EXPECT_EQ(readiness.At(After(1000) + kLater), ReadinessState::kReady);
  readiness.OnFolderAdded(After(3000));
  EXPECT_EQ(readiness.At(After(4000)), ReadinessState::kIndexing);
  EXPECT_EQ(readiness.At(After(5001)), ReadinessState::kUnknown);
  readiness.OnLogMessage("Found 1 source file", After(6000));
  EXPECT_EQ(readiness.At(After(6000) + kLater), ReadinessState::kReady);
}

TEST_F(ReadinessTest, AFolderMoreMustBeIndexedAnew) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_PROGRESS);
  readiness.OnProgress("1", Kind::kBegin, "", After(10));
  readiness.OnProgress("1", Kind::kEnd, "", After(100));
  readiness.OnFolderAdded(After(1000));
  EXPECT_EQ(readiness.At(After(1500)), ReadinessState::kIndexing);
  readiness.OnProgress("2", Kind::kBegin, "", After(1600));
  readiness.OnProgress("2", Kind::kEnd, "", After(1700));
  EXPECT_EQ(readiness.At(After(1700) + kLater), ReadinessState::kReady);
}

TEST_F(ReadinessTest, ServerStatusCountsOnlyWhenQuiescent) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_SERVER_STATUS);
  readiness.OnServerStatus(false, After(10));
  EXPECT_EQ(readiness.At(After(60'000)), ReadinessState::kIndexing);
  readiness.OnServerStatus(true, After(60'000));
  EXPECT_EQ(readiness.At(After(60'000) + kLater), ReadinessState::kReady);
  readiness.OnServerStatus(false, After(70'000));
  EXPECT_EQ(readiness.At(After(70'001)), ReadinessState::kIndexing);
}

TEST_F(ReadinessTest, WithoutASignalOnlyTheCanaryMakesReady) {
  for (const auto kind : {lsp::v1::READINESS_KIND_UNSPECIFIED,
                          lsp::v1::READINESS_KIND_OPEN_ONLY}) {
    Readiness readiness = Make(kind);
    EXPECT_EQ(readiness.At(After(5000)), ReadinessState::kUnknown);
    readiness.OnCanary(true);
    EXPECT_EQ(readiness.At(After(5000)), ReadinessState::kReady);
    readiness.OnCanary(false);
    EXPECT_EQ(readiness.At(After(5000)), ReadinessState::kUnknown);
  }
}

TEST_F(ReadinessTest, AnEndWithoutABeginIsNoWork) {
  Readiness readiness = Make(lsp::v1::READINESS_KIND_PROGRESS);
  readiness.OnProgress("1", Kind::kEnd, "", After(10));
  EXPECT_EQ(readiness.At(After(500)), ReadinessState::kIndexing);
}

}  // namespace
}  // namespace banyan::lspd
