// SPDX-License-Identifier: Apache-2.0
#include "sessiond/open_streams.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

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

TEST(OpenStreamsTest, Behaviour72AfterAStopNoStreamIsAdmitted) {
  OpenStreams streams;
  streams.EndAll();
  EXPECT_EQ(streams.Add([] {}), nullptr);
}

// Whoever was admitted is told of the end, unless it had ended by itself, and
// nobody is told who has given its lease back.
TEST(OpenStreamsTest, Behaviour74InNoRaceIsAStreamForgottenOrUsedAfterItsEnd) {
  for (int round = 0; round < 1'000; ++round) {
    OpenStreams streams;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&streams, i] {
        // On the heap, so that a late call would be a use after free.
        const auto is_told = std::make_unique<std::atomic<bool>>(false);
        const auto lease =
            streams.Add([told = is_told.get()] { *told = true; });
        if (lease == nullptr || i == 0) return;
        while (!*is_told) std::this_thread::yield();
      });
    }
    streams.EndAll();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(streams.Add([] {}), nullptr);
  }
}

}  // namespace
}  // namespace banyan::sessiond
