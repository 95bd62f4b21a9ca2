// SPDX-License-Identifier: Apache-2.0
#include "edge/http/worker_pool.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>

namespace banyan::edge {
namespace {

TEST(WorkerPoolTest, RunsJobsSideBySideUpToItsThreads) {
  WorkerPool pool(2, 10);
  std::promise<void> first_runs, second_runs;
  // Each waits for the other: one thread would never end.
  pool.Submit([&] {
    first_runs.set_value();
    second_runs.get_future().wait();
  });
  pool.Submit([&] {
    second_runs.set_value();
    first_runs.get_future().wait();
  });
  EXPECT_TRUE(pool.WaitUntilIdle(absl::Seconds(20)));
}

TEST(WorkerPoolTest, RefusesAJobWhenThreadsAndQueueAreFull) {
  WorkerPool pool(1, 1);
  std::promise<void> is_running, release;
  ASSERT_TRUE(pool.Submit([&] {
    is_running.set_value();
    release.get_future().wait();
  }));
  is_running.get_future().wait();
  EXPECT_TRUE(pool.Submit([] {}));
  EXPECT_FALSE(pool.Submit([] {}));
  release.set_value();
  EXPECT_TRUE(pool.WaitUntilIdle(absl::Seconds(20)));
  EXPECT_TRUE(pool.Submit([] {}));
}

TEST(WorkerPoolTest, WithoutAQueueThreadsAreStillStarted) {
  WorkerPool pool(1, 0);
  EXPECT_TRUE(pool.Submit([] {}));
}

TEST(WorkerPoolTest, WaitingForIdleHasALimit) {
  WorkerPool pool(1, 1);
  std::promise<void> release;
  pool.Submit([&] { release.get_future().wait(); });
  EXPECT_FALSE(pool.WaitUntilIdle(absl::Milliseconds(1)));
  release.set_value();
}

TEST(WorkerPoolTest, StopRunsWhatWaits) {
  std::atomic<int> count = 0;
  WorkerPool pool(2, 100);
  for (int i = 0; i < 50; ++i) pool.Submit([&] { ++count; });
  pool.Stop();
  EXPECT_EQ(count, 50);
  EXPECT_FALSE(pool.Submit([&] { ++count; }));
}

}  // namespace
}  // namespace banyan::edge
