// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/transport/file_descriptor.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMostOutput = 64 << 10;

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// A session of its own, so that a kill reaches what the program starts.
int Spawn(const std::vector<std::string>& argv,
          const std::vector<std::string>& environment, int output, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  const int error =
      posix_spawn(pid, argv[0].c_str(), &actions, &attributes,
                  Pointers(argv).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// False if the deadline came before the end of the output.
bool ReadAll(int fd, absl::Time deadline, std::string* output) {
  char buffer[4096];
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    pollfd readable = {fd, POLLIN, 0};
    const int64_t milliseconds =
        std::clamp<int64_t>(absl::ToInt64Milliseconds(left), 1, 60'000);
    if (poll(&readable, 1, static_cast<int>(milliseconds)) <= 0) continue;
    const ssize_t count = read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    const size_t room = kMostOutput - std::min(kMostOutput, output->size());
    output->append(buffer, std::min(room, static_cast<size_t>(count)));
  }
}

}  // namespace

absl::StatusOr<std::string> RunProgram(
    const std::vector<std::string>& argv,
    const std::vector<std::string>& environment, absl::Duration limit) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::NotFoundError(absl::StrCat("no pipe: ", strerror(errno)));
  }
  FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  pid_t pid = -1;
  if (const int error = Spawn(argv, environment, writer.get(), &pid)) {
    return absl::NotFoundError(absl::StrCat(argv[0], ": ", strerror(error)));
  }
  writer.Close();

  std::string output;
  const bool has_ended = ReadAll(reader.get(), absl::Now() + limit, &output);
  kill(-pid, SIGKILL);  // What it left behind; itself when it is too slow.
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!has_ended) {
    return absl::DeadlineExceededError(absl::StrCat(
        argv[0], " did not end within ", absl::FormatDuration(limit)));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  return absl::UnknownError(
      absl::StrCat(argv[0],
                   WIFEXITED(status)
                       ? absl::StrCat(" exits with ", WEXITSTATUS(status))
                       : absl::StrCat(" is ended by signal ", WTERMSIG(status)),
                   ": ", output.substr(0, 300)));
}

}  // namespace banyan::lspd
