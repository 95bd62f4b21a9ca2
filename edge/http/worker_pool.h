// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_WORKER_POOL_H_
#define EDGE_HTTP_WORKER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/time/time.h"

namespace banyan::edge {

// Up to `max_workers` threads, started when a job finds none idle, and a
// bounded queue in front of them. Thread-safe.
class WorkerPool {
 public:
  WorkerPool(size_t max_workers, size_t max_waiting)
      : max_workers_(max_workers), max_waiting_(max_waiting) {}
  ~WorkerPool() { Stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False when the queue is full or the pool has stopped; `job` is dropped.
  bool Submit(std::function<void()> job);

  // False when jobs are still running or waiting after `limit`.
  bool WaitUntilIdle(absl::Duration limit);

  // Runs what waits and returns when every thread has ended.
  void Stop();

 private:
  void StartThreadLocked();
  void Run();

  const size_t max_workers_;
  const size_t max_waiting_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable rest_;
  // Guarded by mutex_.
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool is_stopping_ = false;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_WORKER_POOL_H_
