// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/typed_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "proto/rpc/error_reason.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_record_store.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

using session::v1::SessionRecord;

class TypedRecordsTest : public ::testing::Test {
 protected:
  SessionRecord Load() { return **records_.Load("key"); }

  FakeClock clock_;
  FaultyRecordStore store_{clock_.AsFunction()};
  TypedRecords<SessionRecord> records_{store_};
};

TEST_F(TypedRecordsTest, FieldsThatThisVersionDoesNotKnowAreKept) {
  SessionRecord record;
  record.set_log_level("info");
  // Field 1000, as a later version may write it.
  record.GetReflection()->MutableUnknownFields(&record)->AddVarint(1000, 42);
  ASSERT_EQ(*records_.Create("key", record, {}), WriteResult::kDone);
  ASSERT_THAT(records_.Change("key",
                              [](SessionRecord& changed) {
                                changed.set_log_level("debug");
                                return absl::OkStatus();
                              }),
              IsOk());
  const SessionRecord read = Load();
  EXPECT_EQ(read.log_level(), "debug");
  const auto& unknown = read.GetReflection()->GetUnknownFields(read);
  ASSERT_EQ(unknown.field_count(), 1);
  EXPECT_EQ(unknown.field(0).number(), 1000);
  EXPECT_EQ(unknown.field(0).varint(), 42u);
}

TEST_F(TypedRecordsTest, AChangeThatMeetsAnotherIsAppliedAgain) {
  ASSERT_EQ(*records_.Create("key", {}, {}), WriteResult::kDone);
  int runs = 0;
  store_.after_load = [this] {
    ASSERT_THAT(records_.Change("key",
                                [](SessionRecord& record) {
                                  record.add_subscriptions("rival");
                                  return absl::OkStatus();
                                }),
                IsOk());
  };
  ASSERT_THAT(records_.Change("key",
                              [&runs](SessionRecord& record) {
                                ++runs;
                                record.add_subscriptions("ours");
                                return absl::OkStatus();
                              }),
              IsOk());
  EXPECT_EQ(runs, 2);
  EXPECT_THAT(Load().subscriptions(), ::testing::ElementsAre("rival", "ours"));
  EXPECT_EQ(Load().version(), 3);
}

TEST_F(TypedRecordsTest, AChangeNeverBringsBackWhatIsGone) {
  ASSERT_EQ(*records_.Create("key", {}, {}), WriteResult::kDone);
  store_.after_load = [this] { ASSERT_TRUE(*records_.Delete("key", 0)); };
  const auto changed =
      records_.Change("key", [](SessionRecord&) { return absl::OkStatus(); });
  ASSERT_THAT(changed, IsOk());
  EXPECT_FALSE(changed->has_value());
  EXPECT_FALSE(records_.Load("key")->has_value());
}

TEST_F(TypedRecordsTest, AnErrorOfTheChangeLeavesAllAsItWas) {
  ASSERT_EQ(*records_.Create("key", {}, {}), WriteResult::kDone);
  EXPECT_THAT(records_.Change("key",
                              [](SessionRecord& record) {
                                record.set_log_level("half");
                                return rpc::Error(
                                    rpc::v1::ERROR_REASON_VERSION_CONFLICT,
                                    "no");
                              }),
              HasReason(rpc::v1::ERROR_REASON_VERSION_CONFLICT));
  EXPECT_EQ(Load().log_level(), "");
  EXPECT_EQ(Load().version(), 1);
}

TEST_F(TypedRecordsTest, ATerminatedSessionIsOverForTheStore) {
  SessionRecord record;
  record.set_state(session::v1::SESSION_STATE_TERMINATED);
  ASSERT_EQ(*records_.Create("key", record, {}), WriteResult::kDone);
  EXPECT_TRUE(store_.Load(RecordKind::kSession, "key")->value().is_over);
}

TEST_F(TypedRecordsTest, ABodyThatIsNoRecordIsAnErrorAndNotAnEmptyRecord) {
  ASSERT_THAT(store_.Write({.record = {.kind = RecordKind::kSession,
                                       .key = "key",
                                       .body = "\xff\xff\xff not a message"}}),
              IsOk());
  EXPECT_THAT(records_.Load("key"), HasReason(rpc::v1::ERROR_REASON_INTERNAL));
}

TEST_F(TypedRecordsTest, OneThatCannotBeReadDoesNotHideTheOthers) {
  ASSERT_THAT(store_.Write({.record = {.kind = RecordKind::kSession,
                                       .key = "bad",
                                       .body = "\xff\xff\xff no message"}}),
              IsOk());
  ASSERT_EQ(*records_.Create("good", {}, {}), WriteResult::kDone);
  const auto entries = records_.List(std::nullopt);
  ASSERT_THAT(entries, IsOk());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().key, "good");
}

}  // namespace
}  // namespace banyan::sessiond
