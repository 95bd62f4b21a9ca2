// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SANDBOX_GUARDIAN_LINK_H_
#define LSPD_SANDBOX_GUARDIAN_LINK_H_

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lspd/sandbox/guardian.h"
#include "lspd/sandbox/guardian_wire.h"
#include "lspd/sandbox/stderr_drain.h"
#include "lspd/transport/child_process.h"
#include "lspd/transport/file_descriptor.h"

namespace banyan::lspd {

// One life of the guardian program: from its start to its end, which is the
// end of all its servers. A thread of its own hears what the program says and
// drains the standard error of the servers. Thread-safe.
class GuardianLink : public std::enable_shared_from_this<GuardianLink> {
 public:
  // SERVER_MISSING: the program does not start.
  static absl::StatusOr<std::shared_ptr<GuardianLink>> Start(
      const std::string& program, absl::string_view data_dir);

  ~GuardianLink();

  // As Guardian::Spawn().
  absl::StatusOr<std::unique_ptr<ChildProcess>> Spawn(
      const SpawnRequest& request, size_t stderr_bytes);

  // Ends the program and so all servers, tells how each ended, and joins the
  // thread. Again: nothing. Not from a callback of an ExitNotice.
  void Stop();

  bool is_alive() const;
  pid_t pid() const { return pid_; }

 private:
  struct Server {
    FileDescriptor error_pipe;
    std::shared_ptr<OutputRing> errors;
    std::shared_ptr<ExitNotice> exit;
  };
  // A spawn that waits for the program's answer. Guarded by mutex_.
  struct Wish {
    Server server;
    bool is_answered = false;
    GuardianMessage answer;
  };

  GuardianLink(pid_t pid, FileDescriptor socket, std::string owner_mark);

  absl::StatusOr<GuardianMessage> Ask(GuardianMessage message,
                                      const std::vector<int>& streams,
                                      Server server);
  absl::Status Kill(pid_t server, int signal);

  // The thread.
  void Listen();
  void TakeAnswer(const GuardianMessage& message);
  void TakeExit(const GuardianMessage& message);
  void TakeEnd();

  const pid_t pid_;
  const std::string owner_mark_;
  const FileDescriptor socket_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_alive_ = true;                              // Guarded by mutex_.
  bool is_stopping_ = false;                          // Guarded by mutex_.
  uint64_t last_request_ = 0;                         // Guarded by mutex_.
  std::map<uint64_t, std::shared_ptr<Wish>> wishes_;  // Guarded by mutex_.

  StderrDrain drain_;                // Of the thread alone.
  std::map<pid_t, Server> servers_;  // Of the thread alone.
  std::thread thread_;
};

}  // namespace banyan::lspd

#endif  // LSPD_SANDBOX_GUARDIAN_LINK_H_
