// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/process_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace banyan::lspd {
namespace {

TEST(ProcessTableTest, WeAreInItWithOurParent) {
  const auto self = ReadProcess(::getpid());
  ASSERT_TRUE(self.has_value());
  EXPECT_EQ(self->parent, ::getppid());
  EXPECT_GT(self->start_time, 0u);
  const auto table = ReadProcessTable();
  EXPECT_TRUE(std::any_of(table.begin(), table.end(), [&](const auto& entry) {
    return entry.pid == ::getpid() && entry.start_time == self->start_time;
  }));
}

TEST(ProcessTableTest, AProcessThatIsNotThereIsNothing) {
  EXPECT_FALSE(ReadProcess(4194305).has_value());
}

TEST(ProcessTableTest, ANameThatLooksLikeFieldsDoesNotShiftThem) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_NAME, "a) Z 1 2 (b");
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, WUNTRACED);
  const auto entry = ReadProcess(child);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->parent, ::getpid());
  EXPECT_EQ(entry->state, 'T');
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(ProcessTableTest, DescendantsAreFoundAtAnyDepthParentsFirst) {
  const std::vector<ProcessEntry> table = {{.pid = 5, .parent = 4},
                                           {.pid = 2, .parent = 1},
                                           {.pid = 4, .parent = 2},
                                           {.pid = 3, .parent = 1},
                                           {.pid = 9, .parent = 8}};
  std::vector<pid_t> found;
  for (const auto& entry : DescendantsOf(2, table)) found.push_back(entry.pid);
  EXPECT_EQ(found, (std::vector<pid_t>{4, 5}));
}

}  // namespace
}  // namespace banyan::lspd
