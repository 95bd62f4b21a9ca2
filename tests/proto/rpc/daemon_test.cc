// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/daemon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::rpc {
namespace {

using testing::HasSubstr;

TEST(DataDirTest, ASecondHolderIsRefusedAndToldWhoHoldsIt) {
  const TempWorkspace temp;
  const std::string path = temp.PathOf("state/banyan");
  ASSERT_OK_AND_ASSIGN(const DataDir first, DataDir::Lock(path));
  const auto second = DataDir::Lock(path);
  EXPECT_THAT(second, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr(absl::StrCat("process ", getpid(), ";")));
}

TEST(DataDirTest, ItIsFreeAgainAfterItsHolder) {
  const TempWorkspace temp;
  { ASSERT_OK_AND_ASSIGN(const DataDir first, DataDir::Lock(temp.path())); }
  EXPECT_THAT(DataDir::Lock(temp.path()), IsOk());
}

TEST(DataDirTest, AMoveKeepsTheLock) {
  const TempWorkspace temp;
  ASSERT_OK_AND_ASSIGN(DataDir first, DataDir::Lock(temp.path()));
  const DataDir moved = std::move(first);
  EXPECT_FALSE(DataDir::Lock(temp.path()).ok());
}

TEST(DataDirTest, ANewFolderIsForItsOwnerOnly) {
  const TempWorkspace temp;
  ASSERT_OK_AND_ASSIGN(const DataDir dir, DataDir::Lock(temp.PathOf("new")));
  struct stat info {};
  ASSERT_EQ(stat(dir.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0700u);
}

TEST(ParseFlagsTest, ADurationWithoutAUnitIsToldHowToWriteIt) {
  const absl::Status status = CheckDuration("idle_life", "5");
  EXPECT_THAT(status, HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("--idle_life=5"), HasSubstr("5m")));
  EXPECT_THAT(CheckDuration("idle_life", "5s"), IsOk());
}

TEST(ParseFlagsTest, HelpAndVersionAreGivenAndEndWell) {
  char program[] = "daemon_test";
  char help[] = "--help";
  char version[] = "--version";
  char* ask_help[] = {program, help};
  char* ask_version[] = {program, version};
  EXPECT_EXIT((void)ParseFlags(2, ask_help, "usage"),
              testing::ExitedWithCode(0), "");
  EXPECT_EXIT((void)ParseFlags(2, ask_version, "usage"),
              testing::ExitedWithCode(0), "");
  EXPECT_THAT(HelpText("banyan serve [flags]"),
              HasSubstr("banyan serve [flags]\n\nFlags:"));
}

}  // namespace
}  // namespace banyan::rpc
