// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_PROCESSES_H_
#define TESTS_SUPPORT_PROCESSES_H_

#include <signal.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

namespace banyan {

// True as soon as `condition` holds, false after `limit`. For what other
// processes do; for our own threads there are better ways.
inline bool Eventually(
    const std::function<bool()>& condition,
    std::chrono::milliseconds limit = std::chrono::milliseconds(5000)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// Not there, or ended and not yet reaped by whoever adopted it.
inline bool IsGone(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(stat, text)) return true;
  const size_t name_end = text.rfind(')');
  return name_end == std::string::npos || text.size() < name_end + 3 ||
         text[name_end + 2] == 'Z';
}

// The number in a file that another process writes.
inline pid_t PidFrom(const std::string& path) {
  pid_t pid = 0;
  Eventually([&] {
    std::ifstream file(path);
    return static_cast<bool>(file >> pid);
  });
  return pid;
}

}  // namespace banyan

#endif  // TESTS_SUPPORT_PROCESSES_H_
