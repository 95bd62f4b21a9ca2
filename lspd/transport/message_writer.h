// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_MESSAGE_WRITER_H_
#define LSPD_TRANSPORT_MESSAGE_WRITER_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/transport/file_descriptor.h"

namespace banyan::lspd {

// Writes framed messages to a pipe in the order given, and never lets a reader
// that has stopped hold up its callers.
//
// What the pipe takes at once is written on the caller's thread; the rest
// waits in a queue for a thread of its own. Thread-safe.
class MessageWriter {
 public:
  struct Options {
    absl::Duration stall_limit = absl::Seconds(30);
    size_t max_queued_bytes = 256u << 20;
  };

  // `on_failure` is called at most once, from any thread that writes or from
  // the writer's own:
  //   kUnavailable        the other end is closed
  //   kDeadlineExceeded   it took no byte for `stall_limit`
  //   kResourceExhausted  it lets too much queue up
  MessageWriter(FileDescriptor pipe, const Options& options,
                std::function<void(const absl::Status&)> on_failure);
  ~MessageWriter();  // Drops what is queued.

  // Nothing is written any more after a failure or CloseWhenDone().
  void Write(std::string body);

  // Closes the pipe behind what is queued.
  void CloseWhenDone();

  absl::Status failure() const;

  // Ends the thread and closes the pipe.
  void Stop();

 private:
  struct Message {
    std::string header;
    std::string body;
    size_t written = 0;  // Of header and body together.
    size_t size() const { return header.size() + body.size(); }
  };

  enum class Outcome { kDone, kBlocked, kFailed };

  void Run();
  Outcome WriteSome(Message& message);
  bool WaitUntilWritable();

  const Options options_;
  const std::function<void(const absl::Status&)> on_failure_;
  FileDescriptor wakeup_;  // An eventfd: interrupts the poll of the thread.

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FileDescriptor pipe_;        // Guarded by mutex_, but for poll().
  std::deque<Message> queue_;  // Guarded by mutex_.
  size_t queued_bytes_ = 0;    // Guarded by mutex_.
  bool is_closing_ = false;    // Guarded by mutex_.
  bool is_stopped_ = false;    // Guarded by mutex_.
  absl::Status failure_;       // Guarded by mutex_.
  absl::Time last_progress_;   // Guarded by mutex_.

  std::thread thread_;
};

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_MESSAGE_WRITER_H_
