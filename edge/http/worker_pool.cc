// SPDX-License-Identifier: Apache-2.0
#include "edge/http/worker_pool.h"

#include <utility>

#include "absl/time/time.h"

namespace banyan::edge {

bool WorkerPool::Submit(std::function<void()> job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_stopping_ || jobs_.size() >= max_waiting_ + idle_) return false;
    jobs_.push_back(std::move(job));
    if (jobs_.size() > idle_ && threads_.size() < max_workers_) {
      threads_.emplace_back([this] { Run(); });
      ++idle_;
    }
  }
  work_.notify_one();
  return true;
}

bool WorkerPool::WaitUntilIdle(absl::Duration limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  return rest_.wait_for(lock, absl::ToChronoMilliseconds(limit), [this] {
    return jobs_.empty() && idle_ == threads_.size();
  });
}

void WorkerPool::Stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
    threads.swap(threads_);
  }
  work_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return !jobs_.empty() || is_stopping_; });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    --idle_;
    lock.unlock();
    job();
    lock.lock();
    ++idle_;
    rest_.notify_all();
  }
}

}  // namespace banyan::edge
