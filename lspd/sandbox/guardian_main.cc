// SPDX-License-Identifier: Apache-2.0
//
// banyan-guardian: starts language servers for lspd and takes them along when
// lspd ends, however it ends. Not for people: it is started by lspd, with a
// socket as descriptor 3 (guardian_wire.h). One thread, no state on disk.
//
// It is a process of its own since the parent-death signal follows the thread
// that forked, and since only a sub-reaper hears of a server's orphans.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lspd/sandbox/guardian_wire.h"
#include "lspd/sandbox/process_table.h"
#include "lspd/sandbox/scheduling.h"

namespace banyan::lspd {
namespace {

// In the environment of each server and so of its helpers: which server they
// belong to, once its end has made them our own children.
constexpr char kServerVariable[] = "BANYAN_SERVER";

constexpr char kOomScore[] = "500";  // Servers go before us.

struct SpawnError {
  SpawnStage stage;
  int error;
};

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void RaiseOomScore() {
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (::write(fd, kOomScore, sizeof(kOomScore) - 1) < 0) {
    // A wish only; the server runs without it as well.
  }
  ::close(fd);
}

// Every signal as a fresh program expects it.
void ResetSignals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The child's side of a spawn: becomes the server, or says why not.
[[noreturn]] void BecomeServer(GuardianMessage& request,
                               const std::vector<int>& streams, int report,
                               pid_t guardian) {
  const auto fail = [report](SpawnStage stage) {
    const SpawnError error = {stage, errno};
    if (::write(report, &error, sizeof(error)) < 0) ::_exit(126);
    ::_exit(127);
  };
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != guardian) ::_exit(126);
  RaiseOomScore();
  RefuseIdleScheduling();
  ResetSignals();
  for (int i = 0; i < 3; ++i) {
    if (::dup2(streams[static_cast<size_t>(i)], i) < 0) fail(SpawnStage::kFork);
  }
  if (::chdir(request.directory.c_str()) != 0) fail(SpawnStage::kDirectory);
  std::vector<char*> argv = Pointers(request.argv);
  std::vector<char*> environment = Pointers(request.environment);
  environ = environment.data();
  ::execvp(argv[0], argv.data());
  fail(SpawnStage::kExec);
  ::_exit(127);
}

class GuardianProgram {
 public:
  int Run();

 private:
  // A child that has not become the server yet. It may take long: its folder
  // may lie on a file system that does not answer.
  struct Start {
    GuardianMessage answer;  // Without its outcome.
    int report = -1;         // Closed by exec; a SpawnError before that.
  };

  void Spawn(GuardianMessage request, const std::vector<int>& streams);
  void FinishStart(pid_t pid);
  void Kill(pid_t pid, int signal);
  void ReapAll();
  void KillOrphansOf(pid_t pid, uint64_t server);
  void KillEverything();
  void Tell(const GuardianMessage& message) {
    // Nobody listens any more at our end; that is no reason to stop halfway.
    static_cast<void>(SendGuardianMessage(kGuardianSocket, message));
  }

  std::map<pid_t, uint64_t> servers_;  // Running ones, with their numbers.
  std::map<pid_t, Start> starts_;      // Those of servers_ that begin.
  uint64_t last_server_ = 0;
};

int GuardianProgram::Run() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::fcntl(kGuardianSocket, F_SETFD, FD_CLOEXEC);
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t watched;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &watched, nullptr);
  const int signals = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);

  while (true) {
    std::vector<pollfd> sources = {{kGuardianSocket, POLLIN, 0},
                                   {signals, POLLIN, 0}};
    std::vector<pid_t> starting;
    for (const auto& [pid, start] : starts_) {
      sources.push_back({start.report, POLLIN, 0});
      starting.push_back(pid);
    }
    if (::poll(sources.data(), sources.size(), -1) < 0) {
      if (errno != EINTR) break;
      continue;
    }
    for (size_t i = 0; i < starting.size(); ++i) {
      if (sources[i + 2].revents != 0) FinishStart(starting[i]);
    }
    if (sources[1].revents != 0) {
      signalfd_siginfo ignored;
      while (::read(signals, &ignored, sizeof(ignored)) > 0) {
      }
      ReapAll();
    }
    if (sources[0].revents == 0) continue;
    GuardianMessage message;
    std::vector<int> streams;
    const bool is_open =
        ReceiveGuardianMessage(kGuardianSocket, &message, &streams);
    if (is_open && message.verb == GuardianVerb::kSpawn) {
      Spawn(std::move(message), streams);
    } else if (is_open && message.verb == GuardianVerb::kKill) {
      Kill(message.pid, message.value);
    }
    for (const int fd : streams) ::close(fd);
    if (!is_open) break;
  }
  KillEverything();
  return 0;
}

void GuardianProgram::Spawn(GuardianMessage request,
                            const std::vector<int>& streams) {
  GuardianMessage answer = {.verb = GuardianVerb::kSpawnFailed,
                            .request = request.request,
                            .value = EINVAL};
  const uint64_t server = ++last_server_;
  request.environment.push_back(std::string(kServerVariable) + "=" +
                                std::to_string(server));
  int report[2] = {-1, -1};
  if (streams.size() != 3 || request.argv.empty()) return Tell(answer);
  if (::pipe2(report, O_CLOEXEC) != 0) {
    answer.value = errno;
    return Tell(answer);
  }

  const pid_t guardian = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) BecomeServer(request, streams, report[1], guardian);
  answer.value = errno;
  ::close(report[1]);
  if (pid < 0) {
    ::close(report[0]);
    return Tell(answer);
  }
  servers_[pid] = server;
  starts_[pid] = {answer, report[0]};
}

// The report has come, or can come no more.
void GuardianProgram::FinishStart(pid_t pid) {
  Start start = std::move(starts_.at(pid));
  starts_.erase(pid);
  SpawnError error = {};
  ::fcntl(start.report, F_SETFL, O_NONBLOCK);
  if (::read(start.report, &error, sizeof(error)) == sizeof(error)) {
    start.answer.stage = error.stage;
    start.answer.value = error.error;
    servers_.erase(pid);  // It ends by itself, and was never a server.
  } else {
    start.answer.verb = GuardianVerb::kSpawned;
    start.answer.pid = pid;
  }
  ::close(start.report);
  Tell(start.answer);
}

void GuardianProgram::Kill(pid_t pid, int signal) {
  // Only what we have not reaped has its number for sure.
  if (servers_.count(pid) == 0) return;
  if (signal == SIGKILL) {
    // Helpers may have left the group.
    for (const auto& entry : DescendantsOf(pid, ReadProcessTable())) {
      ::kill(entry.pid, SIGKILL);
    }
  }
  ::kill(-pid, signal);
}

void GuardianProgram::ReapAll() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (starts_.count(pid) != 0) FinishStart(pid);
    const auto server = servers_.find(pid);
    if (server == servers_.end()) continue;
    const uint64_t number = server->second;
    servers_.erase(server);
    ::kill(-pid, SIGKILL);
    KillOrphansOf(pid, number);
    Tell({.verb = GuardianVerb::kExited, .pid = pid, .value = status});
  }
}

// A helper that outlives its server would hold memory and locks for nobody. It
// may have cleared its environment, but then it is still of the server's
// session.
void GuardianProgram::KillOrphansOf(pid_t pid, uint64_t server) {
  const std::string mark = std::to_string(server);
  std::set<pid_t> doomed;
  for (const auto& entry : DescendantsOf(::getpid(), ReadProcessTable())) {
    if (servers_.count(entry.pid) != 0 || entry.state == 'Z') continue;
    if (doomed.count(entry.parent) != 0 || entry.session == pid ||
        EnvironmentOf(entry.pid, kServerVariable) == mark) {
      doomed.insert(entry.pid);
      ::kill(entry.pid, SIGKILL);
    }
  }
}

// Until nothing is left: what forks while we kill is found in the next round.
void GuardianProgram::KillEverything() {
  while (true) {
    for (const auto& entry : DescendantsOf(::getpid(), ReadProcessTable())) {
      ::kill(entry.pid, SIGKILL);
    }
    ReapAll();
    siginfo_t ignored;
    const int waited =
        ::waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT);
    if (waited < 0 && errno == ECHILD) return;
    ::usleep(1000);
  }
}

}  // namespace
}  // namespace banyan::lspd

int main() {
  if (::fcntl(banyan::lspd::kGuardianSocket, F_GETFD) < 0) {
    ::fputs("banyan-guardian is started by banyan-lspd, not by hand.\n",
            stderr);
    return 2;
  }
  return banyan::lspd::GuardianProgram().Run();
}
