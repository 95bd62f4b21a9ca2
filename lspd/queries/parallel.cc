// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace banyan::lspd {

void InParallel(size_t count, size_t width,
                const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(count, width); ++i) others.emplace_back(run);
  run();
  for (std::thread& thread : others) thread.join();
}

}  // namespace banyan::lspd
