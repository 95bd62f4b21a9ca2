// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_PIPE_READER_H_
#define LSPD_TRANSPORT_PIPE_READER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lspd/transport/child_process.h"
#include "lspd/transport/file_descriptor.h"
#include "lspd/transport/message_framing.h"

namespace banyan::lspd {

// Reads framed messages from a pipe until there is a reason to stop.
class PipeReader {
 public:
  // `drain_limit`: how long reading goes on after the process has ended, while
  // somebody else holds the pipe open and writes to it.
  PipeReader(FileDescriptor pipe, const MessageReader::Limits& limits,
             absl::Duration drain_limit);

  // Make Run() return, from any thread: at once, or when the pipe is empty.
  // May be called after our end.
  std::function<void()> stopper() const;
  std::function<void()> finisher() const;

  // Once the process has ended, Run() returns when the pipe is empty.
  void StopAtEndOf(ExitNotice& exit);

  // Calls `handle` for each message. Returns OK at the end of the stream, of
  // the process, or when stopped; else why no message can come any more, or
  // the first error of `handle`.
  absl::Status Run(const std::function<absl::Status(std::string)>& handle);

  int64_t skipped_bytes() const { return skipped_bytes_; }

 private:
  // Outlives the reader in the hands of whoever may still stop it.
  struct Signal {
    Signal();
    void Raise(std::atomic<bool>& flag);
    FileDescriptor event;
    std::atomic<bool> is_stopped = false;
    std::atomic<bool> has_ended = false;
  };

  enum class Outcome { kBytes, kNothingYet, kEnd };

  Outcome ReadSome();
  void WaitForBytes();

  FileDescriptor pipe_;
  MessageReader messages_;
  const absl::Duration drain_limit_;
  const std::shared_ptr<Signal> signal_;
  std::atomic<int64_t> skipped_bytes_ = 0;
};

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_PIPE_READER_H_
