// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/leftovers.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lspd/sandbox/process_table.h"
#include "lspd/transport/file_descriptor.h"

namespace banyan::lspd {
namespace {

// FNV-1a: the same in every build and run, which std::hash is not.
uint64_t HashOf(absl::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return hash;
}

std::string FolderMark(absl::string_view data_dir) {
  return absl::StrFormat("%016x", HashOf(data_dir));
}

bool IsOwnerAlive(pid_t pid, uint64_t start_time) {
  const std::optional<ProcessEntry> owner = ReadProcess(pid);
  return owner.has_value() && owner->state != 'Z' &&
         owner->start_time == start_time;
}

// The folder is ours and the owner is gone.
bool IsLeftover(absl::string_view mark, absl::string_view folder_mark) {
  const std::vector<absl::string_view> parts = absl::StrSplit(mark, ':');
  pid_t pid = 0;
  uint64_t start_time = 0;
  return parts.size() >= 3 && parts[0] == folder_mark &&
         absl::SimpleAtoi(parts[1], &pid) &&
         absl::SimpleAtoi(parts[2], &start_time) &&
         !IsOwnerAlive(pid, start_time);
}

int KillWhere(const std::function<bool(absl::string_view mark)>& is_doomed) {
  int killed = 0;
  for (const ProcessEntry& entry : ReadProcessTable()) {
    if (entry.pid == ::getpid() || entry.state == 'Z') continue;
    // Held before the mark is read: what is signalled is what was looked at.
    const FileDescriptor process(
        static_cast<int>(::syscall(SYS_pidfd_open, entry.pid, 0)));
    if (!process.is_open()) continue;
    const auto mark = EnvironmentOf(entry.pid, kOwnerVariable);
    if (!mark.has_value() || !is_doomed(*mark)) continue;
    if (::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) ==
        0) {
      ++killed;
    }
  }
  return killed;
}

}  // namespace

std::string OwnerMark(absl::string_view data_dir) {
  const std::optional<ProcessEntry> self = ReadProcess(::getpid());
  return absl::StrCat(FolderMark(data_dir), ":", ::getpid(), ":",
                      self.has_value() ? self->start_time : 0);
}

int KillMarked(absl::string_view owner_mark) {
  return KillWhere(
      [owner_mark](absl::string_view mark) { return mark == owner_mark; });
}

int ReapLeftovers(absl::string_view data_dir) {
  const std::string folder_mark = FolderMark(data_dir);
  return KillWhere([&folder_mark](absl::string_view mark) {
    return IsLeftover(mark, folder_mark);
  });
}

}  // namespace banyan::lspd
