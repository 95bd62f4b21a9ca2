// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/guardian_link.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lspd/sandbox/leftovers.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// Starting a program takes milliseconds; a folder that hangs takes for ever.
constexpr std::chrono::seconds kSpawnLimit(10);
constexpr std::chrono::seconds kStopLimit(6);

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

absl::Status SystemError(absl::string_view what, int error) {
  return rpc::Error(rpc::v1::ERROR_REASON_SERVER_MISSING,
                    absl::StrCat(what, ": ", ::strerror(error)));
}

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError("no pipe", errno);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

ExitStatus FromWaitStatus(int status) {
  if (WIFSIGNALED(status)) {
    return {ExitStatus::Kind::kSignaled, WTERMSIG(status)};
  }
  return {ExitStatus::Kind::kExited, WEXITSTATUS(status)};
}

absl::Status SpawnError(const SpawnRequest& request,
                        const GuardianMessage& answer) {
  const absl::string_view what = answer.stage == SpawnStage::kDirectory
                                     ? "cannot enter its working directory"
                                     : "cannot be started";
  return SystemError(absl::StrCat(request.argv[0], " ", what), answer.value);
}

// A session and a signal state of its own; nothing inherited but standard
// error and the socket.
int SpawnProgram(const std::string& program, int socket, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&actions, 0, 1);
  ::posix_spawn_file_actions_adddup2(&actions, socket, kGuardianSocket);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kGuardianSocket + 1);

  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  ::sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID |
                                              POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);

  std::string name = "banyan-guardian";
  char* argv[] = {name.data(), nullptr};
  char* environment[] = {nullptr};
  const int error = ::posix_spawn(pid, program.c_str(), &actions, &attributes,
                                  argv, environment);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

absl::StatusOr<std::shared_ptr<GuardianLink>> GuardianLink::Start(
    const std::string& program, absl::string_view data_dir) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemError("no socket for the guardian", errno);
  }
  FileDescriptor ours(ends[0]);
  const FileDescriptor theirs(ends[1]);
  pid_t pid = -1;
  const int error = SpawnProgram(program, theirs.get(), &pid);
  if (error != 0) return SystemError("banyan-guardian does not start", error);

  // A number of its own: one process may have several guardians.
  static std::atomic<int> links = 0;
  std::shared_ptr<GuardianLink> link(new GuardianLink(
      pid, std::move(ours), absl::StrCat(OwnerMark(data_dir), ":", ++links)));
  link->thread_ = std::thread([raw = link.get()] { raw->Listen(); });
  return link;
}

GuardianLink::GuardianLink(pid_t pid, FileDescriptor socket,
                           std::string owner_mark)
    : pid_(pid),
      owner_mark_(std::move(owner_mark)),
      socket_(std::move(socket)) {}

GuardianLink::~GuardianLink() { Stop(); }

absl::StatusOr<std::unique_ptr<ChildProcess>> GuardianLink::Spawn(
    const SpawnRequest& request, size_t stderr_bytes) {
  ASSIGN_OR_RETURN(Pipe input, MakePipe());
  ASSIGN_OR_RETURN(Pipe output, MakePipe());
  ASSIGN_OR_RETURN(Pipe errors, MakePipe());

  GuardianMessage message = {.verb = GuardianVerb::kSpawn,
                             .directory = request.directory,
                             .argv = request.argv};
  for (const auto& [name, value] : request.environment) {
    message.environment.push_back(absl::StrCat(name, "=", value));
  }
  message.environment.push_back(absl::StrCat(kOwnerVariable, "=", owner_mark_));

  const auto ring = std::make_shared<OutputRing>(stderr_bytes);
  const auto exit = std::make_shared<ExitNotice>();
  ASSIGN_OR_RETURN(const GuardianMessage answer,
                   Ask(std::move(message),
                       {input.read_end.get(), output.write_end.get(),
                        errors.write_end.get()},
                       {std::move(errors.read_end), ring, exit}));
  if (answer.verb != GuardianVerb::kSpawned) {
    return SpawnError(request, answer);
  }
  ChildProcess::Parts parts;
  parts.pid = answer.pid;
  parts.input = std::move(input.write_end);
  parts.output = std::move(output.read_end);
  parts.errors = ring;
  parts.exit = exit;
  parts.kill = [link = weak_from_this(), server = answer.pid](int signal) {
    const auto alive = link.lock();
    return alive == nullptr ? absl::OkStatus() : alive->Kill(server, signal);
  };
  return std::make_unique<ChildProcess>(std::move(parts));
}

absl::StatusOr<GuardianMessage> GuardianLink::Ask(
    GuardianMessage message, const std::vector<int>& streams, Server server) {
  const auto wish = std::make_shared<Wish>();
  wish->server = std::move(server);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    message.request = ++last_request_;
    if (is_alive_) wishes_[message.request] = wish;
  }
  const bool is_sent = SendGuardianMessage(socket_.get(), message, streams);
  const int error = errno;

  std::unique_lock<std::mutex> lock(mutex_);
  if (is_sent || error == EPIPE) {
    changed_.wait_for(lock, kSpawnLimit,
                      [&] { return wish->is_answered || !is_alive_; });
  }
  // From here on an answer is nobody's: see TakeAnswer().
  wishes_.erase(message.request);
  if (wish->is_answered) return wish->answer;
  if (!is_sent && error == E2BIG) {
    return SystemError("arguments and environment are too long", error);
  }
  return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN,
                    is_alive_ ? "the guardian process does not answer"
                              : "the guardian process has ended; try again");
}

absl::Status GuardianLink::Kill(pid_t server, int signal) {
  SendGuardianMessage(
      socket_.get(),
      {.verb = GuardianVerb::kKill, .pid = server, .value = signal});
  return absl::OkStatus();  // A dead guardian has taken the server along.
}

void GuardianLink::Stop() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (is_stopping_) return;
  is_stopping_ = true;
  ::shutdown(socket_.get(), SHUT_WR);
  if (!changed_.wait_for(lock, kStopLimit, [this] { return !is_alive_; })) {
    ::kill(pid_, SIGKILL);
  }
  lock.unlock();
  thread_.join();
}

bool GuardianLink::is_alive() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return is_alive_;
}

void GuardianLink::Listen() {
  while (true) {
    pollfd sources[2] = {{socket_.get(), POLLIN, 0},
                         {drain_.descriptor(), POLLIN, 0}};
    if (::poll(sources, 2, -1) < 0) continue;
    if (sources[1].revents != 0) drain_.DrainReady();
    if (sources[0].revents == 0) continue;

    GuardianMessage message;
    std::vector<int> none;
    if (!ReceiveGuardianMessage(socket_.get(), &message, &none)) break;
    if (message.verb == GuardianVerb::kExited) {
      TakeExit(message);
    } else {
      TakeAnswer(message);
    }
  }
  TakeEnd();
}

void GuardianLink::TakeAnswer(const GuardianMessage& message) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto wish = wishes_.find(message.request);
  if (wish == wishes_.end()) {
    lock.unlock();
    if (message.verb != GuardianVerb::kSpawned) return;
    Kill(message.pid, SIGKILL).IgnoreError();  // Nobody waits for it any more.
    return;
  }
  if (message.verb == GuardianVerb::kSpawned) {
    Server& server = wish->second->server;
    drain_.Add(std::move(server.error_pipe), server.errors);
    servers_[message.pid] = std::move(server);
  }
  wish->second->answer = message;
  wish->second->is_answered = true;
  lock.unlock();
  changed_.notify_all();
}

void GuardianLink::TakeExit(const GuardianMessage& message) {
  const auto server = servers_.find(message.pid);
  if (server == servers_.end()) return;
  // Its last words first: whoever hears of the end may want to show them.
  drain_.DrainInto(*server->second.errors);
  const std::shared_ptr<ExitNotice> exit = std::move(server->second.exit);
  servers_.erase(server);
  exit->Set(FromWaitStatus(message.value));
}

// The guardian is gone, and what it could not kill is killed here.
void GuardianLink::TakeEnd() {
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  bool is_expected = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_expected = is_stopping_;
  }
  if (!is_expected) {
    KillMarked(owner_mark_);
    rpc::Log({.level = rpc::LogLevel::kError,
              .event = "guardian_died",
              .message = absl::StrCat("[LSP-Pool] The guardian ",
                                      FromWaitStatus(status).ToString(),
                                      "; all language servers ended with it"),
              .fields = {{"pid", absl::StrCat(pid_)}}});
  }
  for (auto& [pid, server] : servers_) {
    drain_.DrainInto(*server.errors);
    server.exit->Set({ExitStatus::Kind::kLost, 0});
  }
  servers_.clear();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_alive_ = false;
  }
  changed_.notify_all();
}

}  // namespace banyan::lspd
