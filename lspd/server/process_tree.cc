// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/process_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace banyan::lspd {
namespace {

std::string ReadProc(pid_t pid, const char* name) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/", name));
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

// Any thread of a process may have started a child.
void AppendChildren(pid_t pid, std::vector<pid_t>* pids) {
  std::error_code error;
  std::filesystem::directory_iterator thread(
      absl::StrCat("/proc/", pid, "/task"), error);
  for (; !error && thread != std::filesystem::directory_iterator();
       thread.increment(error)) {
    std::ifstream children((thread->path() / "children").string());
    for (pid_t child = 0; children >> child;) {
      if (IsRunning(child)) pids->push_back(child);
    }
  }
}

// "Z" and "X" are the states of processes that have ended.
char StateOf(pid_t pid) {
  const std::string stat = ReadProc(pid, "stat");
  const size_t end_of_name = stat.rfind(')');
  return end_of_name == std::string::npos || end_of_name + 2 >= stat.size()
             ? 'X'
             : stat[end_of_name + 2];
}

int64_t PssOf(pid_t pid) {
  for (const absl::string_view line :
       absl::StrSplit(ReadProc(pid, "smaps_rollup"), '\n')) {
    if (!absl::StartsWith(line, "Pss:")) continue;
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, ' ', absl::SkipWhitespace());
    int64_t kibibytes = 0;
    if (words.size() >= 2 && absl::SimpleAtoi(words[1], &kibibytes)) {
      return kibibytes << 10;
    }
  }
  return 0;
}

}  // namespace

std::vector<pid_t> ProcessTree(pid_t root) {
  if (!IsRunning(root)) return {};
  std::vector<pid_t> pids = {root};
  for (size_t i = 0; i < pids.size(); ++i) AppendChildren(pids[i], &pids);
  return pids;
}

std::string CommandLineOf(pid_t pid) {
  std::string arguments = ReadProc(pid, "cmdline");
  std::replace(arguments.begin(), arguments.end(), '\0', ' ');
  return std::string(absl::StripTrailingAsciiWhitespace(arguments));
}

bool IsRunning(pid_t pid) {
  const char state = StateOf(pid);
  return state != 'X' && state != 'Z';
}

int64_t ProportionalSetSize(pid_t root) {
  int64_t bytes = 0;
  for (const pid_t pid : ProcessTree(root)) bytes += PssOf(pid);
  return bytes;
}

}  // namespace banyan::lspd
