// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_TEST_REDIS_H_
#define TESTS_SUPPORT_TEST_REDIS_H_

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "sessiond/store/redis_connection.h"
#include "tests/support/processes.h"
#include "tests/support/temp_workspace.h"

namespace banyan {

// A real Redis on a port of its own, with nothing of an earlier one.
class TestRedis {
 public:
  explicit TestRedis(std::vector<std::string> settings = {})
      : settings_(std::move(settings)), port_(FreePort()) {
    Start();
  }
  ~TestRedis() { Kill(); }
  TestRedis(const TestRedis&) = delete;
  TestRedis& operator=(const TestRedis&) = delete;

  // What it is told to keep is there again.
  void Start() {
    std::vector<std::string> words = {
        "redis-server", "--port",    std::to_string(port_),
        "--bind",       "127.0.0.1", "--dir",
        folder_.path(), "--logfile", folder_.PathOf("log"),
        "--daemonize",  "no"};
    if (settings_.empty()) words.insert(words.end(), {"--save", ""});
    words.insert(words.end(), settings_.begin(), settings_.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    if (!Eventually([this] { return Connect().ok(); },
                    std::chrono::seconds(20))) {
      std::abort();  // Is the package redis-server installed?
    }
  }

  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  int port() const { return port_; }

  sessiond::RedisOptions Options() const {
    return {.address = {.servers = {{"127.0.0.1", port_}}}};
  }

  absl::StatusOr<std::unique_ptr<sessiond::RedisConnection>> Connect() const {
    return sessiond::RedisConnection::Open(Options());
  }

  void Call(const std::vector<std::string>& words) const {
    const auto connection = Connect();
    if (!connection.ok() || !(*connection)->Call(words).ok()) std::abort();
  }

 private:
  static int FreePort() {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    if (::bind(probe, raw, size) != 0 ||
        ::getsockname(probe, raw, &size) != 0) {
      std::abort();
    }
    ::close(probe);
    return ntohs(address.sin_port);
  }

  TempWorkspace folder_;
  const std::vector<std::string> settings_;
  const int port_;
  pid_t pid_ = 0;
};

// One for a whole test binary, emptied between the tests.
inline const TestRedis& SharedRedis() {
  static const TestRedis server;
  server.Call({"FLUSHALL"});
  return server;
}

}  // namespace banyan

#endif  // TESTS_SUPPORT_TEST_REDIS_H_
