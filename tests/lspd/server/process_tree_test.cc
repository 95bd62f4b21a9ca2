// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lspd/server/vital_children.h"
#include "tests/support/server_fixture.h"

namespace banyan::lspd {
namespace {

using testing::Contains;
using testing::IsEmpty;

// A shell and the `sleep` that it starts.
class ProcessTreeTest : public testing::Test {
 protected:
  ProcessTreeTest() {
    shell_ = fork();
    if (shell_ == 0) {
      execl("/bin/sh", "sh", "-c", "sleep 600 & wait", nullptr);
      _exit(127);
    }
    EXPECT_TRUE(Eventually([this] {
      const std::vector<pid_t> tree = ProcessTree(shell_);
      return tree.size() == 2 && CommandLineOf(tree[1]) == "sleep 600";
    }));
    sleeper_ = ProcessTree(shell_).back();
  }
  ~ProcessTreeTest() override {
    kill(sleeper_, SIGKILL);
    kill(shell_, SIGKILL);
    waitpid(shell_, nullptr, 0);
  }

  pid_t shell_ = -1;
  pid_t sleeper_ = -1;
};

TEST_F(ProcessTreeTest, HoldsDescendantsParentsFirst) {
  EXPECT_THAT(ProcessTree(shell_), testing::ElementsAre(shell_, sleeper_));
  EXPECT_THAT(ProcessTree(getpid()), Contains(sleeper_));
}

TEST_F(ProcessTreeTest, CountsTheMemoryOfAllOfThem) {
  EXPECT_GT(ProportionalSetSize(shell_), ProportionalSetSize(sleeper_));
  EXPECT_GT(ProportionalSetSize(sleeper_), 0);
}

TEST_F(ProcessTreeTest, WhatEndedIsNotThereAnyMore) {
  kill(shell_, SIGKILL);
  // Not waited for yet: a zombie does not run.
  EXPECT_TRUE(Eventually([this] { return !IsRunning(shell_); }));
  EXPECT_THAT(ProcessTree(shell_), IsEmpty());
  EXPECT_EQ(CommandLineOf(shell_), "");
}

TEST_F(ProcessTreeTest, AVitalChildIsMissedOnceItIsGone) {
  VitalChildren children;
  EXPECT_TRUE(children.AreAlive(shell_, "nothing of the kind"));
  EXPECT_TRUE(children.AreAlive(shell_, "sleep 600"));
  kill(sleeper_, SIGKILL);
  EXPECT_TRUE(Eventually([this] { return !IsRunning(sleeper_); }));
  EXPECT_FALSE(children.AreAlive(shell_, "sleep 600"));
}

}  // namespace
}  // namespace banyan::lspd
