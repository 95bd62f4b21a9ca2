// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_BACKGROUND_WORK_H_
#define LSPD_POOL_BACKGROUND_WORK_H_

#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace banyan::lspd {

// Threads for pieces of work that block for long: one each, for there are few
// at a time. Thread-safe.
class BackgroundWork {
 public:
  ~BackgroundWork() { Finish(); }

  // Pieces that ended are cleared away at the next call.
  void Run(std::function<void()> piece);

  // Waits for all, those included that the last ones start.
  void Finish();

 private:
  struct Piece {
    std::thread thread;
    bool is_done = false;
  };

  std::mutex mutex_;
  std::list<Piece> pieces_;  // Guarded by mutex_.
};

}  // namespace banyan::lspd

#endif  // LSPD_POOL_BACKGROUND_WORK_H_
