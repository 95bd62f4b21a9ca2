// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/background_work.h"

#include <utility>

namespace banyan::lspd {

void BackgroundWork::Run(std::function<void()> piece) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto each = pieces_.begin(); each != pieces_.end();) {
    const auto next = std::next(each);
    if (each->is_done) {
      each->thread.join();
      pieces_.erase(each);
    }
    each = next;
  }
  std::list<Piece> fresh(1);
  Piece& place = fresh.front();
  // Started under the lock, so that is_done cannot be set before this returns.
  // Where no thread can be had this throws, and nothing is to be waited for.
  place.thread = std::thread([this, &place, work = std::move(piece)] {
    work();
    std::lock_guard<std::mutex> done_lock(mutex_);
    place.is_done = true;
  });
  pieces_.splice(pieces_.end(), fresh);
}

void BackgroundWork::Finish() {
  while (true) {
    std::thread thread;
    std::list<Piece> taken;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (pieces_.empty()) return;
      // The piece itself moves along: its thread still writes to it.
      taken.splice(taken.end(), pieces_, pieces_.begin());
      thread = std::move(taken.front().thread);
    }
    thread.join();
  }
}

}  // namespace banyan::lspd
