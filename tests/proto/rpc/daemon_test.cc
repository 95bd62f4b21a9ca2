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

}  // namespace
}  // namespace banyan::rpc
