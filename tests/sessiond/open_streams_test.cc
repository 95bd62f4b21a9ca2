// SPDX-License-Identifier: Apache-2.0
#include "sessiond/open_streams.h"

#include <gtest/gtest.h>

namespace banyan::sessiond {
namespace {

TEST(OpenStreamsTest, AStopEndsEachStreamThatStandsOnce) {
  OpenStreams streams;
  int first = 0;
  int second = 0;
  auto gone = streams.Add([&first] { ++first; });
  const auto standing = streams.Add([&second] { ++second; });
  gone.reset();
  streams.EndAll();
  streams.EndAll();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
}

TEST(OpenStreamsTest, AfterAStopNoStreamBegins) {
  OpenStreams streams;
  streams.EndAll();
  EXPECT_EQ(streams.Add([] {}), nullptr);
}

}  // namespace
}  // namespace banyan::sessiond
