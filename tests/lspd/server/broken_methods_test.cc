// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/broken_methods.h"

#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

TEST(BrokenMethodsTest, FourErrorsAndNoGoodAnswerAreABrokenProcess) {
  BrokenMethods methods;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(methods.OnAnswer("a", true));
  EXPECT_TRUE(methods.OnAnswer("a", true));
}

// rust-analyzer panics over one file, and answers about all others.
TEST(BrokenMethodsTest, WhatHasWorkedOnceIsNotBroken) {
  BrokenMethods methods;
  methods.OnAnswer("a", true);
  methods.OnAnswer("a", false);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(methods.OnAnswer("a", true));
}

TEST(BrokenMethodsTest, EachMethodIsJudgedByItself) {
  BrokenMethods methods;
  methods.OnAnswer("works", false);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(methods.OnAnswer("a", true));
    EXPECT_FALSE(methods.OnAnswer("b", true));
  }
  EXPECT_TRUE(methods.OnAnswer("a", true));
}

}  // namespace
}  // namespace banyan::lspd
