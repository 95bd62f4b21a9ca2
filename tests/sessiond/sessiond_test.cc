// SPDX-License-Identifier: Apache-2.0
#include "sessiond/sessiond.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/sessiond_fixture.h"

namespace banyan::sessiond {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SessiondTest : public SessiondFixture {
 protected:
  // The folder as a SIGKILL at this moment would leave it.
  std::string DataAsAfterAKill() {
    const std::string copy = killed_.PathOf("data");
    std::filesystem::remove_all(copy);
    std::filesystem::copy(data_.path(), copy);
    return copy;
  }

  absl::Status Refusal(Sessiond::Options options) {
    options.now = clock_.AsFunction();
    return Sessiond::Create(std::move(options)).status();
  }

  TempWorkspace killed_;
};

TEST_F(SessiondTest, IdsAndBindingsGoOnAfterAKill) {
  std::vector<std::string> sessions;
  for (int i = 0; i < 20; ++i) {
    sessions.push_back(Initialize());
    ASSERT_THAT(Bind(sessions.back(), i % 2 == 0 ? "back" : "front"), IsOk());
  }
  ASSERT_TRUE(*Terminate(sessions.back()));
  const std::string data = DataAsAfterAKill();
  Stop();
  Start(data);
  for (size_t i = 0; i + 1 < sessions.size(); ++i) {
    const auto granted = Authorize(sessions[i]);
    ASSERT_THAT(granted, IsOk());
    EXPECT_EQ(granted->workspace().project_name(),
              i % 2 == 0 ? "back" : "front");
  }
  EXPECT_THAT(Authorize(sessions.back()),
              HasReason(rpc::v1::ERROR_REASON_SESSION_GONE));
}

TEST_F(SessiondTest, GrantsOfBeforeARestartStillVerify) {
  const auto before = Bind("", "back")->grant();
  Stop();
  Start(data_.path());
  clock_.Advance(absl::Seconds(16));
  const auto after = Bind("", "back")->grant();
  session::v1::Grant first;
  session::v1::Grant second;
  ASSERT_TRUE(first.ParseFromString(before.payload()));
  ASSERT_TRUE(second.ParseFromString(after.payload()));
  EXPECT_EQ(first.key_id(), second.key_id());
}

TEST_F(SessiondTest, AnOrderlyStopWritesEveryLastUse) {
  const std::string id = Initialize();
  clock_.Advance(absl::Hours(1));
  ASSERT_THAT(Bind(id, "back"), IsOk());
  Stop();
  Start(data_.path());
  session::v1::GetSessionRequest get;
  *get.mutable_principal() = Ada();
  get.set_session_id(id);
  EXPECT_EQ(
      Call(&Service::Stub::GetSession, get)->session().last_seen_unix_ms(),
      absl::ToUnixMillis(clock_.Now()));
}

TEST_F(SessiondTest, WhatHappensIsCounted) {
  const std::string id = Initialize();
  Initialize();
  ASSERT_THAT(Bind("", "back"), IsOk());
  ASSERT_THAT(Bind(id, "back"), IsOk());
  ASSERT_TRUE(*Terminate(id));
  EXPECT_THAT(Authorize("", "back", "fine"), IsOk());
  EXPECT_FALSE(Authorize("", "back", "../x").ok());
  EXPECT_FALSE(Authorize("", "back", ".git/x").ok());
  const std::string text =
      prometheus::TextSerializer().Serialize(registry_->Collect());
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("banyan_sessiond_sessions_active{era=\"legacy\"} 1"),
            HasSubstr("banyan_sessiond_sessions_active{era=\"modern\"} 1"),
            HasSubstr("banyan_sessiond_session_events_total{event=\"created\"} "
                      "3"),
            HasSubstr("banyan_sessiond_session_events_total{event="
                      "\"terminated\"} 1"),
            HasSubstr("{reason=\"outside_root\",result=\"refused\"} 1")));
  EXPECT_THAT(text, AllOf(HasSubstr("reason=\"forbidden\""),
                          HasSubstr("banyan_sessiond_wal_fsync_seconds_count"),
                          ::testing::Not(HasSubstr(id))));
}

TEST_F(SessiondTest, TheMemoryStoreNeedsNoFolder) {
  Sessiond::Options options;
  options.store = "memory:";
  EXPECT_THAT(Refusal(options), IsOk());
}

TEST_F(SessiondTest, MistakesOfTheOperatorAreNamed) {
  EXPECT_THAT(std::string(Refusal({.store = "postgres:"}).message()),
              HasSubstr("--store"));
  EXPECT_THAT(std::string(Refusal({.store = "sqlite:"}).message()),
              HasSubstr("--data_dir"));
  EXPECT_THAT(
      std::string(Refusal({.store = "memory:", .projects = {"a=b"}}).message()),
      HasSubstr("--projects"));
  EXPECT_THAT(
      std::string(Refusal({.store = "memory:", .projects_file = "/nonexistent"})
                      .message()),
      HasSubstr("/nonexistent"));
}

TEST_F(SessiondTest, TheProjectsFileIsRead) {
  killed_.Write("projects.json",
                R"({"projects": [{"name": "x", "root": "/srv/x"}]})");
  Sessiond::Options options = Options(killed_.PathOf("other"));
  std::filesystem::create_directory(options.data_dir);
  options.projects_file = killed_.PathOf("projects.json");
  options.metrics = nullptr;
  const auto other = Sessiond::Create(std::move(options));
  ASSERT_THAT(other, IsOk());
}

}  // namespace
}  // namespace banyan::sessiond
