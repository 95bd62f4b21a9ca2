// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/program_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lspd/workspace/unique_fd.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMaxErrorBytes = 64 << 10;

// How long cancelling goes unseen.
constexpr int kTickMs = 20;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

absl::StatusOr<Pipe> NewPipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    return absl::InternalError(absl::StrCat("pipe: ", std::strerror(errno)));
  }
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

// Both ends read and write; unlike a pipe it can be written to without SIGPIPE.
absl::StatusOr<Pipe> NewSocketPair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return absl::InternalError(
        absl::StrCat("socketpair: ", std::strerror(errno)));
  }
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

void SetNonBlocking(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentOf(const ProgramRun& run) {
  const char* const path = std::getenv("PATH");
  std::vector<std::string> environment = {
      absl::StrCat("PATH=", path != nullptr ? path : "/usr/bin:/bin"),
      "LC_ALL=C.UTF-8", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent"};
  environment.insert(environment.end(), run.environment.begin(),
                     run.environment.end());
  return environment;
}

// The kernel kills the program when the thread that started it ends. That
// thread waits for the program, so it ends only with this process.
const std::vector<std::string>& DiesWithParent() {
  static const auto& words =
      *new std::vector<std::string>({"setpriv", "--pdeathsig", "KILL", "--"});
  return words;
}

// What setpriv exits with when the program is not there or may not run.
constexpr int kNotExecutable = 126;
constexpr int kNoSuchProgram = 127;

// A child that leads a process group of its own. The whole group is killed
// when the child ends, and the child reaped.
class Child {
 public:
  explicit Child(pid_t pid)
      : pid_(pid),
        pid_fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~Child() { Reap(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Readable once it has ended.
  int pid_fd() const { return pid_fd_.get(); }

  bool died_by_signal() const { return died_by_signal_; }

  void Kill() { ::kill(-pid_, SIGKILL); }

  // Waits for its end.
  int Reap() {
    if (!pid_fd_.is_open()) return exit_code_;
    siginfo_t info = {};
    // Still a zombie while the rest of its group is killed: nobody else can
    // have got its id.
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) !=
               0 &&
           errno == EINTR) {
    }
    Kill();
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 &&
           errno == EINTR) {
    }
    pid_fd_.Reset();
    died_by_signal_ = info.si_code != CLD_EXITED;
    exit_code_ = died_by_signal_ ? 128 + info.si_status : info.si_status;
    return exit_code_;
  }

 private:
  const pid_t pid_;
  UniqueFd pid_fd_;
  int exit_code_ = -1;
  bool died_by_signal_ = false;
};

// Attributes and file actions of one posix_spawn.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  int Spawn(const ProgramRun& run, int input, int output, int errors,
            pid_t* pid) {
    ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    if (run.folder_fd >= 0) {
      ::posix_spawn_file_actions_addfchdir_np(&actions_, run.folder_fd);
    }
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);

    // Signals that this process blocks or ignores are none of the child's.
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP |
                                                 POSIX_SPAWN_SETSIGMASK |
                                                 POSIX_SPAWN_SETSIGDEF);
    std::vector<std::string> arguments = DiesWithParent();
    arguments.insert(arguments.end(), run.arguments.begin(),
                     run.arguments.end());
    std::vector<std::string> environment = EnvironmentOf(run);
    return ::posix_spawnp(pid, arguments[0].c_str(), &actions_, &attributes_,
                          PointersTo(arguments).data(),
                          PointersTo(environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Appends what is there; closes the descriptor at its end.
void Drain(UniqueFd& from, size_t limit, std::string* to) {
  char buffer[64 << 10];
  const ssize_t got = ::read(from.get(), buffer, sizeof(buffer));
  if (got > 0) {
    to->append(buffer, std::min(static_cast<size_t>(got), limit - to->size()));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    from.Reset();
  }
}

// Writes what goes in; closes the descriptor when all is written. A reader
// that left is no error: its answer is what counts.
void Feed(UniqueFd& to, absl::string_view* rest) {
  const ssize_t wrote =
      ::send(to.get(), rest->data(), rest->size(), MSG_NOSIGNAL);
  if (wrote >= 0) {
    rest->remove_prefix(static_cast<size_t>(wrote));
  } else if (errno != EAGAIN && errno != EINTR) {
    *rest = "";
  }
  if (rest->empty()) to.Reset();
}

bool IsEnding(const ProgramRun& run, const rpc::CallContext& call,
              ProgramResult* result) {
  if (result->output.size() >= run.max_output_bytes) {
    result->end = ProgramEnd::kOutputLimit;
  } else if (call.is_cancelled()) {
    result->end = ProgramEnd::kCancelled;
  } else if (absl::Now() >= call.deadline) {
    result->end = ProgramEnd::kDeadline;
  }
  return result->end != ProgramEnd::kExited;
}

}  // namespace

absl::StatusOr<ProgramResult> RunProgram(const ProgramRun& run,
                                         const rpc::CallContext& call) {
  ASSIGN_OR_RETURN(Pipe input, NewSocketPair());
  ASSIGN_OR_RETURN(Pipe output, NewPipe());
  ASSIGN_OR_RETURN(Pipe errors, NewPipe());

  pid_t pid = 0;
  const int error = SpawnPlan().Spawn(run, input.read.get(), output.write.get(),
                                      errors.write.get(), &pid);
  if (error != 0) {
    return absl::InternalError(absl::StrCat(DiesWithParent()[0], " ",
                                            run.arguments[0], ": ",
                                            std::strerror(error)));
  }
  Child child(pid);
  input.read.Reset();
  output.write.Reset();
  errors.write.Reset();
  for (const int fd :
       {input.write.get(), output.read.get(), errors.read.get()}) {
    SetNonBlocking(fd);
  }

  ProgramResult result;
  absl::string_view rest = run.input;
  if (rest.empty()) input.write.Reset();
  while (child.pid_fd() >= 0 || output.read.is_open() ||
         errors.read.is_open()) {
    if (IsEnding(run, call, &result)) {
      child.Kill();
      break;
    }
    pollfd waits[] = {{output.read.get(), POLLIN, 0},
                      {errors.read.get(), POLLIN, 0},
                      {input.write.get(), POLLOUT, 0},
                      {child.pid_fd(), POLLIN, 0}};
    if (::poll(waits, 4, kTickMs) <= 0) continue;
    if (waits[0].revents != 0) {
      Drain(output.read, run.max_output_bytes, &result.output);
    }
    if (waits[1].revents != 0) {
      Drain(errors.read, kMaxErrorBytes, &result.errors);
    }
    if (waits[2].revents != 0) Feed(input.write, &rest);
    if (waits[3].revents != 0) child.Reap();
  }
  result.exit_code = child.Reap();
  if (result.end == ProgramEnd::kExited && child.died_by_signal()) {
    result.end = ProgramEnd::kDied;
  }
  if ((result.exit_code == kNoSuchProgram ||
       result.exit_code == kNotExecutable) &&
      absl::StartsWith(result.errors, DiesWithParent()[0])) {
    return absl::NotFoundError(
        absl::StrCat(run.arguments[0], " is not installed"));
  }
  return result;
}

}  // namespace banyan::lspd
