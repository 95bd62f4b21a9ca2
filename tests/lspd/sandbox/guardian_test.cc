// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/guardian.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tests/support/processes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr absl::Duration kSoon = absl::Seconds(10);

SpawnRequest Shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script},
          .environment = {{"PATH", "/usr/bin:/bin"}}};
}

// Until the end of the stream.
std::string ReadAll(ChildProcess& child) {
  std::string text;
  char chunk[4096];
  ssize_t count = 0;
  while ((count = ::read(child.output().get(), chunk, sizeof(chunk))) > 0) {
    text.append(chunk, static_cast<size_t>(count));
  }
  return text;
}

int OpenDescriptors() {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

class GuardianTest : public testing::Test {
 protected:
  void SetUp() override {
    auto guardian = Guardian::Start(
        {.program = BANYAN_GUARDIAN, .data_dir = workspace_.path()});
    ASSERT_THAT(guardian, IsOk());
    guardian_ = *std::move(guardian);
  }

  std::unique_ptr<ChildProcess> Spawn(const std::string& script) {
    auto child = guardian_->Spawn(Shell(script));
    EXPECT_THAT(child, IsOk());
    return child.ok() ? *std::move(child) : nullptr;
  }

  TempWorkspace workspace_;
  std::unique_ptr<Guardian> guardian_;
};

TEST_F(GuardianTest, StreamsReachTheChild) {
  auto child = Spawn("read line; echo \"heard $line\"; echo oops >&2");
  ASSERT_EQ(::write(child->input().get(), "hello\n", 6), 6);
  EXPECT_EQ(ReadAll(*child), "heard hello\n");
  ASSERT_TRUE(child->exit().WaitFor(kSoon));
  EXPECT_TRUE(child->exit().status()->IsSuccess());
  EXPECT_EQ(child->RecentErrors(), "oops\n");
}

TEST_F(GuardianTest, TheChildSeesItsOwnEnvironmentAndNothingElse) {
  ::setenv("BANYAN_TEST_SECRET", "leaked", 1);
  SpawnRequest request = {.argv = {"/usr/bin/env"},
                          .environment = {{"GREETING", "two words"}}};
  ASSERT_OK_AND_ASSIGN(auto child, guardian_->Spawn(request));
  std::vector<std::string> names;
  const std::string text = ReadAll(*child);
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    names.emplace_back(line.substr(0, line.find('=')));
  }
  EXPECT_THAT(
      names, UnorderedElementsAre("GREETING", "BANYAN_OWNER", "BANYAN_SERVER"));
  EXPECT_THAT(text, HasSubstr("GREETING=two words\n"));
}

TEST_F(GuardianTest, TheChildStartsInItsDirectoryAndSession) {
  SpawnRequest request = Shell("pwd; ps -o sid= -p $$ | tr -d ' '; echo $$");
  request.directory = workspace_.path();
  ASSERT_OK_AND_ASSIGN(auto child, guardian_->Spawn(request));
  const std::string pid = absl::StrCat(child->pid());
  EXPECT_EQ(ReadAll(*child),
            absl::StrCat(workspace_.path(), "\n", pid, "\n", pid, "\n"));
}

TEST_F(GuardianTest, TheChildHoldsNoDescriptorButItsThreeStreams) {
  auto child = Spawn("ls /proc/$$/fd");
  EXPECT_EQ(ReadAll(*child), "0\n1\n2\n");
}

TEST_F(GuardianTest, ServersDieBeforeTheDaemonWhenMemoryIsShort) {
  auto child = Spawn("cat /proc/self/oom_score_adj");
  EXPECT_EQ(ReadAll(*child), "500\n");
}

// The mask of a line like "SigIgn: 0000000000001000".
uint64_t SignalsIn(const std::string& status, absl::string_view field) {
  for (absl::string_view line : absl::StrSplit(status, '\n')) {
    uint64_t mask = 0;
    if (absl::ConsumePrefix(&line, absl::StrCat(field, ":")) &&
        absl::SimpleHexAtoi(absl::StripAsciiWhitespace(line), &mask)) {
      return mask;
    }
  }
  ADD_FAILURE() << "no " << field << " in " << status;
  return 0;
}

TEST_F(GuardianTest, SignalsAreAsAFreshProgramExpectsThem) {
  auto child = Spawn("cat /proc/self/status");
  const std::string status = ReadAll(*child);
  // 32 and 33 belong to the C library, which lets nobody reset them; whether
  // they are ignored was decided by whoever started these tests.
  const uint64_t theirs = uint64_t{0b11} << 31;
  EXPECT_EQ(SignalsIn(status, "SigBlk") & ~theirs, 0U) << status;
  EXPECT_EQ(SignalsIn(status, "SigIgn") & ~theirs, 0U) << status;
}

TEST_F(GuardianTest, TheChildCannotSentenceItselfToIdleTimeOnly) {
  auto child =
      Spawn("chrt --idle 0 true || echo refused; chrt --batch 0 echo allowed");
  EXPECT_EQ(ReadAll(*child), "refused\nallowed\n");
}

TEST_F(GuardianTest, AProgramByNameIsFoundOnThePathGiven) {
  ASSERT_OK_AND_ASSIGN(
      auto child,
      guardian_->Spawn({.argv = {"echo", "found"},
                        .environment = {{"PATH", "/usr/bin:/bin"}}}));
  EXPECT_EQ(ReadAll(*child), "found\n");
  const auto missing = guardian_->Spawn(
      {.argv = {"echo"}, .environment = {{"PATH", "/nonexistent"}}});
  EXPECT_THAT(missing, HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
}

TEST_F(GuardianTest, AMissingProgramIsSaidWithTheSystemsReason) {
  const auto child = guardian_->Spawn({.argv = {"/nonexistent/gopls"}});
  EXPECT_THAT(child, HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
  EXPECT_THAT(std::string(child.status().message()),
              HasSubstr("/nonexistent/gopls cannot be started: No such file"));
}

TEST_F(GuardianTest, AFileThatMayNotRunIsSaidWithTheSystemsReason) {
  workspace_.Write("not_executable", "#!/bin/sh\n");
  const auto child =
      guardian_->Spawn({.argv = {workspace_.PathOf("not_executable")}});
  EXPECT_THAT(std::string(child.status().message()),
              HasSubstr("Permission denied"));
}

TEST_F(GuardianTest, AMissingDirectoryIsToldApartFromAMissingProgram) {
  SpawnRequest request = Shell("true");
  request.directory = workspace_.PathOf("absent");
  const auto child = guardian_->Spawn(request);
  EXPECT_THAT(std::string(child.status().message()),
              HasSubstr("cannot enter its working directory"));
}

TEST_F(GuardianTest, ArgumentsTooLongForOnePacketAreAnError) {
  EXPECT_THAT(
      guardian_->Spawn({.argv = {"/bin/echo", std::string(1 << 20, 'x')}}),
      HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
  EXPECT_NE(Spawn("true"), nullptr);
}

TEST_F(GuardianTest, EachEndIsToldWithItsCodeOrSignal) {
  auto failing = Spawn("exit 7");
  ASSERT_TRUE(failing->exit().WaitFor(kSoon));
  EXPECT_EQ(failing->exit().status()->ToString(), "exited with code 7");

  auto crashing = Spawn("kill -SEGV $$");
  ASSERT_TRUE(crashing->exit().WaitFor(kSoon));
  EXPECT_EQ(crashing->exit().status()->ToString(),
            "was killed by signal 11 (Segmentation fault)");
}

TEST_F(GuardianTest, LastWordsAreThereWhenTheEndIsTold) {
  for (int i = 0; i < 20; ++i) {
    auto child = Spawn("echo last words >&2; exit 1");
    ASSERT_TRUE(child->exit().WaitFor(kSoon));
    ASSERT_EQ(child->RecentErrors(), "last words\n");
  }
}

TEST_F(GuardianTest, AFloodOnStandardErrorNeverBlocksTheChild) {
  auto child = Spawn("head -c 5000000 /dev/zero | tr '\\0' e >&2; echo done");
  EXPECT_EQ(ReadAll(*child), "done\n");
  ASSERT_TRUE(child->exit().WaitFor(kSoon));
  EXPECT_EQ(child->RecentErrors().size(), 16u << 10);
}

TEST_F(GuardianTest, KillReachesTheGroupAndHelpersThatLeftIt) {
  auto child = Spawn(absl::StrCat(
      "sleep 600 & echo $! > ", workspace_.PathOf("in_group"),
      "; setsid sleep 600 & echo $! > ", workspace_.PathOf("left"), "; wait"));
  const pid_t in_group = PidFrom(workspace_.PathOf("in_group"));
  const pid_t left = PidFrom(workspace_.PathOf("left"));
  ASSERT_FALSE(IsGone(in_group));
  EXPECT_THAT(child->Kill(SIGKILL), IsOk());
  ASSERT_TRUE(child->exit().WaitFor(kSoon));
  EXPECT_TRUE(Eventually([&] { return IsGone(in_group) && IsGone(left); }));
}

TEST_F(GuardianTest, HelpersDoNotOutliveAServerThatCrashed) {
  auto bystander = Spawn("echo ready; exec sleep 600");
  auto child = Spawn(absl::StrCat("setsid sleep 600 & echo $! > ",
                                  workspace_.PathOf("helper"), "; kill -9 $$"));
  const pid_t helper = PidFrom(workspace_.PathOf("helper"));
  EXPECT_TRUE(Eventually([&] { return IsGone(helper); }));
  EXPECT_TRUE(bystander->IsRunning());
}

TEST_F(GuardianTest, AHelperThatClearsItsEnvironmentDoesNotOutliveACrash) {
  auto child = Spawn(absl::StrCat("env -i sleep 600 & echo $! > ",
                                  workspace_.PathOf("helper"), "; kill -9 $$"));
  const pid_t helper = PidFrom(workspace_.PathOf("helper"));
  EXPECT_TRUE(Eventually([&] { return IsGone(helper); }));
}

TEST_F(GuardianTest, DestroyingAChildKillsIt) {
  auto child = Spawn("exec sleep 600");
  const pid_t pid = child->pid();
  child.reset();
  EXPECT_TRUE(Eventually([&] { return IsGone(pid); }));
}

TEST_F(GuardianTest, TheEndOfTheGuardianObjectEndsAllServers) {
  auto one = Spawn("exec sleep 600");
  auto other = Spawn("trap '' TERM HUP INT; while true; do sleep 1; done");
  guardian_.reset();
  EXPECT_TRUE(IsGone(one->pid()));
  EXPECT_TRUE(IsGone(other->pid()));
  EXPECT_TRUE(one->exit().status().has_value());
  EXPECT_THAT(one->Kill(SIGKILL), IsOk());
}

TEST_F(GuardianTest, ServersOfAKilledGuardianCountAsLostAndAnotherOneStarts) {
  auto child = Spawn(absl::StrCat("setsid sleep 600 & echo $! > ",
                                  workspace_.PathOf("helper"), "; wait"));
  const pid_t helper = PidFrom(workspace_.PathOf("helper"));
  const pid_t first = guardian_->pid();
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  ASSERT_TRUE(child->exit().WaitFor(kSoon));
  EXPECT_EQ(child->exit().status()->kind, ExitStatus::Kind::kLost);
  EXPECT_TRUE(Eventually([&] { return IsGone(child->pid()); }));
  EXPECT_TRUE(Eventually([&] { return IsGone(helper); }));

  auto next = Spawn("echo again");
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(ReadAll(*next), "again\n");
  EXPECT_NE(guardian_->pid(), first);
}

TEST_F(GuardianTest, SpawnRightAfterTheGuardianWasKilledSucceeds) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(::kill(guardian_->pid(), SIGKILL), 0);
    auto child = Spawn("echo again");
    ASSERT_NE(child, nullptr);
    EXPECT_EQ(ReadAll(*child), "again\n");
  }
}

TEST_F(GuardianTest, ManyThreadsSpawnAtOnceAndEachGetsItsOwnChild) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 5; ++j) {
        auto child = guardian_->Spawn(Shell(absl::StrCat("echo ", i, ".", j)));
        if (child.ok() && ReadAll(**child) == absl::StrCat(i, ".", j, "\n")) {
          ++right;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 40);
}

TEST_F(GuardianTest, NoDescriptorLeaksFromSpawnsFailuresAndExits) {
  const auto round = [this] {
    EXPECT_THAT(guardian_->Spawn({.argv = {"/nonexistent"}}), Not(IsOk()));
    auto child = Spawn("echo x >&2");
    EXPECT_TRUE(child->exit().WaitFor(kSoon));
  };
  round();
  const int before = OpenDescriptors();
  for (int i = 0; i < 20; ++i) round();
  EXPECT_TRUE(Eventually([&] { return OpenDescriptors() <= before; }))
      << before << " descriptors became " << OpenDescriptors();
}

// A process of its own that starts a guardian and servers, and then only
// waits: what lspd looks like to whoever kills it.
[[noreturn]] void BecomeDaemon(const std::string& folder) {
  auto guardian =
      Guardian::Start({.program = BANYAN_GUARDIAN, .data_dir = folder});
  if (!guardian.ok()) ::_exit(1);
  auto child = (*guardian)->Spawn(Shell(
      absl::StrCat("trap '' TERM HUP; setsid sh -c 'sleep 600 & echo $! > ",
                   folder, "/grandchild; wait' & echo $! > ", folder,
                   "/child; echo $$ > ", folder, "/server; wait")));
  while (true) ::pause();
}

TEST(GuardianDeathTest, NothingOutlivesADaemonThatWasKilled) {
  const TempWorkspace workspace;
  const pid_t daemon = ::fork();
  if (daemon == 0) BecomeDaemon(workspace.path());
  const std::vector<pid_t> family = {PidFrom(workspace.PathOf("server")),
                                     PidFrom(workspace.PathOf("child")),
                                     PidFrom(workspace.PathOf("grandchild"))};
  for (const pid_t pid : family) ASSERT_FALSE(IsGone(pid));
  ASSERT_EQ(::kill(daemon, SIGKILL), 0);
  ::waitpid(daemon, nullptr, 0);
  for (const pid_t pid : family) {
    EXPECT_TRUE(Eventually([&] { return IsGone(pid); })) << pid;
  }
}

TEST(GuardianStartTest, AMissingGuardianProgramIsAnErrorThatNamesIt) {
  const auto guardian = Guardian::Start({.program = "/nonexistent/guardian"});
  EXPECT_THAT(guardian, HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
  EXPECT_THAT(std::string(guardian.status().message()),
              HasSubstr("banyan-guardian does not start"));
}

}  // namespace
}  // namespace banyan::lspd
