// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

struct Fixture {
  std::shared_ptr<ExitNotice> exit = std::make_shared<ExitNotice>();
  std::vector<int> signals;

  std::unique_ptr<ChildProcess> Child() {
    ChildProcess::Parts parts;
    parts.pid = 1234;
    parts.errors = std::make_shared<OutputRing>();
    parts.exit = exit;
    parts.kill = [this](int signal) {
      signals.push_back(signal);
      return absl::OkStatus();
    };
    return std::make_unique<ChildProcess>(std::move(parts));
  }
};

TEST(ChildProcessTest, DestructionKillsWhatRuns) {
  Fixture fixture;
  fixture.Child().reset();
  EXPECT_EQ(fixture.signals, std::vector<int>{SIGKILL});
}

TEST(ChildProcessTest, WhatHasEndedIsNeverSignalled) {
  Fixture fixture;
  auto child = fixture.Child();
  fixture.exit->Set({ExitStatus::Kind::kExited, 0});
  EXPECT_THAT(child->Kill(SIGTERM), IsOk());
  child.reset();
  EXPECT_TRUE(fixture.signals.empty());
}

TEST(ExitNoticeTest, OnlyTheFirstEndCounts) {
  ExitNotice notice;
  notice.Set({ExitStatus::Kind::kExited, 3});
  notice.Set({ExitStatus::Kind::kLost, 0});
  EXPECT_EQ(notice.status()->value, 3);
}

TEST(ExitNoticeTest, EachSubscriberHearsOnceWhetherEarlyOrLate) {
  ExitNotice notice;
  int early = 0;
  int late = 0;
  notice.Subscribe([&](const ExitStatus&) { ++early; });
  notice.Set({ExitStatus::Kind::kSignaled, SIGKILL});
  notice.Subscribe([&](const ExitStatus& status) { late += status.value; });
  notice.Set({ExitStatus::Kind::kExited, 0});
  EXPECT_EQ(early, 1);
  EXPECT_EQ(late, SIGKILL);
}

TEST(ExitNoticeTest, WaitersAreWokenByTheEndAndGiveUpWithoutIt) {
  ExitNotice notice;
  EXPECT_FALSE(notice.WaitFor(absl::Milliseconds(1)));
  std::thread reaper([&] { notice.Set({ExitStatus::Kind::kExited, 0}); });
  EXPECT_TRUE(notice.WaitFor(absl::Seconds(60)));
  reaper.join();
}

}  // namespace
}  // namespace banyan::lspd
