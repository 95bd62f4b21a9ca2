// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SANDBOX_GUARDIAN_H_
#define LSPD_SANDBOX_GUARDIAN_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lspd/transport/child_process.h"

namespace banyan::lspd {

// What to start.
struct SpawnRequest {
  // The program is absolute, or found by the PATH of `environment`.
  std::vector<std::string> argv;
  // All of it: nothing is inherited.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory = "/";
};

// Starts language servers and sees to it that none outlives us.
//
// The work is done by a small program, `banyan-guardian`, our only child: it
// starts the servers, adopts their orphans, and when its socket closes (we
// ended, however) it kills all of them and ends. Each server leads a session of
// its own, holds no descriptor but its three pipes, and dies with the guardian.
//
// If the guardian itself is killed, all its servers count as ended (kLost) and
// the next Spawn() starts another guardian.
//
// Outlives its ChildProcesses, or they are told kLost. Thread-safe.
class Guardian {
 public:
  struct Options {
    // Empty: `banyan-guardian` beside the running program.
    std::string program;
    // Marks the servers as ours; see ReapLeftovers().
    std::string data_dir;
    // What is kept of each server's standard error.
    size_t stderr_bytes = 16 << 10;
  };

  // SERVER_MISSING: the program is not there or does not start.
  static absl::StatusOr<std::unique_ptr<Guardian>> Start(Options options);

  virtual ~Guardian() = default;

  // SERVER_MISSING: the message holds the system's reason ("No such file or
  //                 directory", "Permission denied") and the program.
  // SERVER_DOWN:    no guardian, and none starts.
  virtual absl::StatusOr<std::unique_ptr<ChildProcess>> Spawn(
      const SpawnRequest& request) = 0;

  // Of the guardian process; changes when it is started again.
  virtual pid_t pid() const = 0;
};

}  // namespace banyan::lspd

#endif  // LSPD_SANDBOX_GUARDIAN_H_
