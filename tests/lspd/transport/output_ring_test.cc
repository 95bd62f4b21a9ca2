// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/output_ring.h"

#include <gtest/gtest.h>

#include <string>

namespace banyan::lspd {
namespace {

TEST(OutputRingTest, WhatFitsIsKeptWhole) {
  OutputRing ring(10);
  ring.Append("one\n");
  ring.Append("two");
  EXPECT_EQ(ring.Tail(), "one\ntwo");
}

TEST(OutputRingTest, TheTailStartsAtALineAndForgetsTheRest) {
  OutputRing ring(10);
  for (int i = 0; i < 100; ++i) ring.Append("line" + std::to_string(i) + "\n");
  EXPECT_EQ(ring.Tail(), "line99\n");
  EXPECT_EQ(ring.total_bytes(), 690);
}

TEST(OutputRingTest, OneAppendLargerThanAllKeepsItsEnd) {
  OutputRing ring(4);
  ring.Append("abcdefgh");
  EXPECT_EQ(ring.Tail(), "efgh");
  EXPECT_EQ(ring.total_bytes(), 8);
}

}  // namespace
}  // namespace banyan::lspd
