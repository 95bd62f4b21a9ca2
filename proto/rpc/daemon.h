// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_DAEMON_H_
#define PROTO_RPC_DAEMON_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// What every program of ours does at its two ends: flags from the environment,
// a data folder of its own, stop signals, exit codes.
namespace banyan::rpc {

// Of all programs.
inline constexpr char kProgramVersion[] = "0.1.0";

// `usage` and the program's own flags (those of a main.cc), for --help.
std::string HelpText(absl::string_view usage);

// Of a flag that takes a duration: Abseil's own message does not say that a unit
// is missing.
absl::Status CheckDuration(absl::string_view name, absl::string_view value);

// Parses flags; BANYAN_<FLAG> in the environment is the default of each.
// Returns the words that are no flags. Exits with a message on an unknown flag,
// as Abseil does, and after --help and --version; a bad value in the environment
// is an error.
absl::StatusOr<std::vector<std::string>> ParseFlags(int argc, char** argv,
                                                    absl::string_view usage);

// Blocks SIGTERM and SIGINT in this thread and all it starts, ignores SIGPIPE,
// and raises the soft limit of open files to the hard one. Call before any
// other thread starts.
void PrepareProcess();

// Returns at the first stop signal. A second one ends the process at once
// with exit code 1.
void WaitForStopSignal();

// $XDG_STATE_HOME/banyan, else $HOME/.local/state/banyan.
std::string DefaultDataDir();

// Where a data file that ships with the programs is: deploy/ of the source tree
// that this was built from while it is there, else ../share/banyan beside the
// program.
std::string SharedFile(absl::string_view name);

// A folder (mode 0700, made with its parents) that is this process's as long
// as it lives: two programs never write into one.
class DataDir {
 public:
  // Codes:
  //   kFailedPrecondition  another process holds it; the message names the pid
  //   kPermissionDenied, kInternal  it cannot be made
  static absl::StatusOr<DataDir> Lock(const std::string& path);

  DataDir(DataDir&& other) noexcept;
  DataDir& operator=(DataDir&& other) noexcept;
  ~DataDir();

  const std::string& path() const { return path_; }

 private:
  DataDir(std::string path, int lock_fd);

  std::string path_;
  int lock_fd_ = -1;
};

// Prints a status that is not OK and gives the exit code.
int ExitCode(const absl::Status& status);

}  // namespace banyan::rpc

#endif  // PROTO_RPC_DAEMON_H_
