// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/program_run.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "lspd/workspace/unique_fd.h"
#include "tests/support/processes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ProgramRun ShellRun(const std::string& script) {
  ProgramRun run;
  run.arguments = {"sh", "-c", script};
  return run;
}

TEST(ProgramRunTest, GivesOutputErrorsAndExitCode) {
  ASSERT_OK_AND_ASSIGN(
      const ProgramResult result,
      RunProgram(ShellRun("echo out; echo err >&2; exit 3"), {}));
  EXPECT_EQ(result.end, ProgramEnd::kExited);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.exit_code, 3);
}

TEST(ProgramRunTest, RunsInItsFolderWithAnEnvironmentOfItsOwn) {
  TempWorkspace folder;
  ::setenv("BANYAN_TEST_SECRET", "leaked", 1);
  const UniqueFd fd(::open(folder.path().c_str(), O_PATH | O_DIRECTORY));
  ProgramRun run = ShellRun("pwd; env; ls /proc/self/fd");
  run.folder_fd = fd.get();
  run.environment = {"EXTRA=1"};
  ASSERT_OK_AND_ASSIGN(const ProgramResult result, RunProgram(run, {}));
  ::unsetenv("BANYAN_TEST_SECRET");
  EXPECT_THAT(result.output, HasSubstr(folder.path() + "\n"));
  EXPECT_THAT(result.output, HasSubstr("EXTRA=1\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("leaked")));
  // Standard streams and the descriptor that ls itself reads with.
  EXPECT_THAT(result.output, HasSubstr("0\n1\n2\n3\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("3\n4\n")));
}

TEST(ProgramRunTest, FeedsInputOfAnySize) {
  ProgramRun run;
  run.arguments = {"cat"};
  run.input = std::string(3 << 20, 'x');
  ASSERT_OK_AND_ASSIGN(const ProgramResult result, RunProgram(run, {}));
  EXPECT_EQ(result.output.size(), run.input.size());
}

TEST(ProgramRunTest, SurvivesAReaderThatLeaves) {
  ProgramRun run = ShellRun("exec 0<&-; echo done");
  run.input = std::string(3 << 20, 'x');
  ASSERT_OK_AND_ASSIGN(const ProgramResult result, RunProgram(run, {}));
  EXPECT_EQ(result.output, "done\n");
}

TEST(ProgramRunTest, CutsOutputAtItsLimit) {
  ProgramRun run = ShellRun("yes");
  run.max_output_bytes = 1000;
  ASSERT_OK_AND_ASSIGN(const ProgramResult result, RunProgram(run, {}));
  EXPECT_EQ(result.end, ProgramEnd::kOutputLimit);
  EXPECT_EQ(result.output.size(), 1000u);
}

TEST(ProgramRunTest, KillsAtTheDeadlineWithAllItStarted) {
  rpc::CallContext call;
  call.deadline = absl::Now() + absl::Milliseconds(200);
  ASSERT_OK_AND_ASSIGN(
      const ProgramResult result,
      RunProgram(ShellRun("sleep 1000 & echo $!; sleep 1000"), call));
  EXPECT_EQ(result.end, ProgramEnd::kDeadline);
  int grandchild = 0;
  ASSERT_TRUE(absl::SimpleAtoi(result.output, &grandchild));
  // Reaped by whoever inherits it; gone or a zombie is ended.
  const absl::Time limit = absl::Now() + absl::Seconds(5);
  while (::kill(grandchild, 0) == 0 && absl::Now() < limit) {
    std::this_thread::yield();
  }
  EXPECT_NE(::kill(grandchild, 0), 0);
}

TEST(ProgramRunTest, DoesNotWaitForWhatTheProgramLeftBehind) {
  const absl::Time start = absl::Now();
  ASSERT_OK_AND_ASSIGN(const ProgramResult result,
                       RunProgram(ShellRun("sleep 1000 & echo done"), {}));
  EXPECT_EQ(result.output, "done\n");
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
}

TEST(ProgramRunTest, EndsWhenTheCallerCancels) {
  std::atomic<int> asked = 0;
  rpc::CallContext call;
  call.is_cancelled = [&asked] { return ++asked > 3; };
  ASSERT_OK_AND_ASSIGN(const ProgramResult result,
                       RunProgram(ShellRun("sleep 1000"), call));
  EXPECT_EQ(result.end, ProgramEnd::kCancelled);
}

TEST(ProgramRunTest, TellsASignalFromAnExit) {
  ASSERT_OK_AND_ASSIGN(const ProgramResult result,
                       RunProgram(ShellRun("kill -9 $$"), {}));
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
  EXPECT_EQ(result.end, ProgramEnd::kDied);
}

TEST(ProgramRunTest, SaysThatThereIsNoSuchProgram) {
  ProgramRun run;
  run.arguments = {"no-such-program-here"};
  EXPECT_THAT(RunProgram(run, {}), HasCode(absl::StatusCode::kNotFound));
  run.arguments = {"/etc/passwd"};
  EXPECT_THAT(RunProgram(run, {}), HasCode(absl::StatusCode::kNotFound));
}

TEST(ProgramRunTest, TheProgramDoesNotOutliveUs) {
  TempWorkspace folder;
  const std::string pid_file = folder.PathOf("pid");
  const pid_t us = ::fork();
  ASSERT_GE(us, 0);
  if (us == 0) {
    static_cast<void>(RunProgram(
        ShellRun("echo $$ > " + pid_file + "; exec sleep 1000"), {}));
    ::_exit(0);
  }
  const pid_t program = PidFrom(pid_file);
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  ASSERT_GT(program, 0);
  EXPECT_TRUE(Eventually([program] { return IsGone(program); }));
  ::kill(program, SIGKILL);
}

}  // namespace
}  // namespace banyan::lspd
