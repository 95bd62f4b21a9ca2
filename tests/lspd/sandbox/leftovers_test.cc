// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/leftovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lspd/sandbox/process_table.h"
#include "tests/support/processes.h"

namespace banyan::lspd {
namespace {

// `sleep` with an owner's mark, as a server would have it.
class MarkedProcess {
 public:
  explicit MarkedProcess(const std::string& mark) {
    const std::string variable = absl::StrCat(kOwnerVariable, "=", mark);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execle("/bin/sleep", "sleep", "600", nullptr,
               std::vector<const char*>{variable.c_str(), nullptr}.data());
      ::_exit(127);
    }
    // The mark is readable once the program has been replaced.
    Eventually([&] { return EnvironmentOf(pid_, kOwnerVariable) == mark; });
  }
  ~MarkedProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  bool IsGone() const {
    return Eventually([this] { return banyan::IsGone(pid_); });
  }
  bool IsAlive() const { return !banyan::IsGone(pid_); }

 private:
  pid_t pid_;
};

std::string FolderPart(const std::string& mark) {
  return std::vector<std::string>(absl::StrSplit(mark, ':'))[0];
}

constexpr char kFolder[] = "/var/lib/banyan_leftovers_test";

TEST(ReapLeftoversTest, ServersOfADeadOwnerAreKilled) {
  // No process has number 4194305: the kernel's limit is below.
  const MarkedProcess leftover(
      absl::StrCat(FolderPart(OwnerMark(kFolder)), ":4194305:1:1"));
  EXPECT_EQ(ReapLeftovers(kFolder), 1);
  EXPECT_TRUE(leftover.IsGone());
}

TEST(ReapLeftoversTest, AnotherProcessWithTheOwnersNumberIsNotTheOwner) {
  const MarkedProcess leftover(absl::StrCat(FolderPart(OwnerMark(kFolder)), ":",
                                            ::getpid(), ":12345:1"));
  EXPECT_EQ(ReapLeftovers(kFolder), 1);
  EXPECT_TRUE(leftover.IsGone());
}

TEST(ReapLeftoversTest, ServersOfALivingOwnerAreLeftAlone) {
  const MarkedProcess ours(absl::StrCat(OwnerMark(kFolder), ":1"));
  EXPECT_EQ(ReapLeftovers(kFolder), 0);
  EXPECT_TRUE(ours.IsAlive());
}

TEST(ReapLeftoversTest, ServersOfAnotherDataFolderAreLeftAlone) {
  const MarkedProcess foreign(
      absl::StrCat(FolderPart(OwnerMark("/elsewhere")), ":4194305:1:1"));
  EXPECT_EQ(ReapLeftovers(kFolder), 0);
  EXPECT_TRUE(foreign.IsAlive());
}

TEST(ReapLeftoversTest, AMarkThatIsNoMarkIsLeftAlone) {
  const std::string folder = FolderPart(OwnerMark(kFolder));
  const MarkedProcess cut(folder);
  const MarkedProcess words(absl::StrCat(folder, ":not:numbers"));
  EXPECT_EQ(ReapLeftovers(kFolder), 0);
  EXPECT_TRUE(cut.IsAlive());
  EXPECT_TRUE(words.IsAlive());
}

TEST(KillMarkedTest, OnlyTheSameMarkIsKilled) {
  const MarkedProcess mine(absl::StrCat(OwnerMark(kFolder), ":1"));
  const MarkedProcess other(absl::StrCat(OwnerMark(kFolder), ":11"));
  EXPECT_EQ(KillMarked(absl::StrCat(OwnerMark(kFolder), ":1")), 1);
  EXPECT_TRUE(mine.IsGone());
  EXPECT_TRUE(other.IsAlive());
}

}  // namespace
}  // namespace banyan::lspd
