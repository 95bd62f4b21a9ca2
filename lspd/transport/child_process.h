// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_CHILD_PROCESS_H_
#define LSPD_TRANSPORT_CHILD_PROCESS_H_

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lspd/transport/file_descriptor.h"
#include "lspd/transport/output_ring.h"

namespace banyan::lspd {

// How a process ended.
struct ExitStatus {
  enum class Kind {
    kExited,    // `value` is its exit code.
    kSignaled,  // `value` is the signal.
    kLost,      // The guardian died and took it along; how is not known.
  };
  Kind kind = Kind::kLost;
  int value = 0;

  bool IsSuccess() const { return kind == Kind::kExited && value == 0; }

  // "exited with code 3", "was killed by signal 11 (Segmentation fault)".
  std::string ToString() const;
};

// The one place where the end of a process is told. Shared by whoever waits
// for the process and whoever reaps it. Thread-safe.
class ExitNotice {
 public:
  // At once when the end has come already; else on the thread that reaps, in
  // the order of subscription. The callback must not block.
  void Subscribe(std::function<void(const ExitStatus&)> callback);

  // True as soon as the end has come; false after `timeout`.
  bool WaitFor(absl::Duration timeout) const;

  std::optional<ExitStatus> status() const;

  // Only the first call counts.
  void Set(const ExitStatus& status);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::optional<ExitStatus> status_;  // Guarded by mutex_.
  std::vector<std::function<void(const ExitStatus&)>>
      callbacks_;  // Guarded by mutex_.
};

// A running language server: its pipes, its end, the tail of its standard
// error (which somebody drains all the time, whether or not anybody looks).
//
// Destruction kills the whole process group and does not wait; who wants an
// orderly end asks for it before (JsonRpcPeer::CloseInput, exit().WaitFor).
// Thread-safe, but for input() and output(), which belong to one JsonRpcPeer.
class ChildProcess {
 public:
  struct Parts {
    pid_t pid = -1;
    FileDescriptor input;   // We write; its standard input.
    FileDescriptor output;  // We read; its standard output.
    std::shared_ptr<OutputRing> errors;
    std::shared_ptr<ExitNotice> exit;
    // Sends a signal to the process and its descendants. May be called after
    // the end, then does nothing.
    std::function<absl::Status(int signal)> kill;
  };

  explicit ChildProcess(Parts parts) : parts_(std::move(parts)) {}
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return parts_.pid; }
  FileDescriptor& input() { return parts_.input; }
  FileDescriptor& output() { return parts_.output; }

  ExitNotice& exit() { return *parts_.exit; }
  const ExitNotice& exit() const { return *parts_.exit; }
  bool IsRunning() const { return !parts_.exit->status().has_value(); }

  std::string RecentErrors() const { return parts_.errors->Tail(); }

  absl::Status Kill(int signal);

 private:
  Parts parts_;
};

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_CHILD_PROCESS_H_
