// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace banyan::lspd {
namespace {

// Empty when it cannot be read: processes come and go.
std::string ReadProcFile(pid_t pid, const char* file) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + file;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string content;
  char chunk[4096];
  ssize_t count = 0;
  while ((count = ::read(fd, chunk, sizeof(chunk))) > 0) {
    content.append(chunk, static_cast<size_t>(count));
  }
  ::close(fd);
  return content;
}

}  // namespace

std::optional<ProcessEntry> ReadProcess(pid_t pid) {
  const std::string stat = ReadProcFile(pid, "stat");
  // proc(5): the name in parentheses may itself hold any character.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(name_end + 1));
  ProcessEntry entry;
  entry.pid = pid;
  pid_t group = 0;
  fields >> entry.state >> entry.parent >> group >> entry.session;
  std::string skipped;
  for (int field = 7; field < 22; ++field) fields >> skipped;
  fields >> entry.start_time;
  if (!fields) return std::nullopt;
  return entry;
}

std::vector<ProcessEntry> ReadProcessTable() {
  std::vector<ProcessEntry> table;
  DIR* directory = ::opendir("/proc");
  if (directory == nullptr) return table;
  while (const dirent* name = ::readdir(directory)) {
    const pid_t pid = std::atoi(name->d_name);
    if (pid <= 0) continue;
    if (const auto entry = ReadProcess(pid)) table.push_back(*entry);
  }
  ::closedir(directory);
  return table;
}

std::vector<ProcessEntry> DescendantsOf(
    pid_t ancestor, const std::vector<ProcessEntry>& table) {
  std::vector<ProcessEntry> found;
  std::vector<pid_t> parents = {ancestor};
  while (!parents.empty()) {
    std::vector<pid_t> next;
    for (const pid_t parent : parents) {
      for (const ProcessEntry& entry : table) {
        if (entry.parent != parent) continue;
        found.push_back(entry);
        next.push_back(entry.pid);
      }
    }
    parents = std::move(next);
  }
  return found;
}

std::optional<std::string> EnvironmentOf(pid_t pid, const std::string& name) {
  const std::string all = ReadProcFile(pid, "environ");
  const std::string prefix = name + "=";
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\0', at), all.size());
    if (all.compare(at, prefix.size(), prefix) == 0) {
      return all.substr(at + prefix.size(), end - at - prefix.size());
    }
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace banyan::lspd
