// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/closed_path.h"

#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

TEST(ClosedPathTest, RepositoriesAndJournalsAreClosedAtAnyDepthAndInAnyCase) {
  for (const char* path : {".git", ".git/config", "a/.GIT/x", ".banyan/edits",
                           "sub/.Banyan/Edits/1/journal"}) {
    EXPECT_TRUE(IsClosedPath(path)) << path;
  }
}

TEST(ClosedPathTest, WhatOnlyLooksLikeThemIsOpen) {
  for (const char* path :
       {"", ".gitignore", "git", ".banyan", "edits", ".banyan/memories",
        ".banyan/x/edits", ".banyan/edits.md"}) {
    EXPECT_FALSE(IsClosedPath(path)) << path;
  }
}

}  // namespace
}  // namespace banyan::lspd
