// SPDX-License-Identifier: Apache-2.0
#include "edge/http/worker_pool.h"

#include <system_error>
#include <utility>

#include "absl/time/time.h"

namespace banyan::edge {

bool WorkerPool::Submit(std::function<void()> job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t startable = max_workers_ - threads_.size();
    if (is_stopping_ || jobs_.size() >= max_waiting_ + idle_ + startable) {
      return false;
    }
    jobs_.push_back(std::move(job));
    if (jobs_.size() > idle_ && startable > 0) StartThreadLocked();
  }
  work_.notify_one();
  return true;
}

void WorkerPool::StartThreadLocked() {
  try {
    threads_.emplace_back([this] { Run(); });
    ++idle_;
  } catch (const std::system_error&) {
    // The machine gives us no more threads: those that run take the job.
    if (threads_.empty()) throw;
  }
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
