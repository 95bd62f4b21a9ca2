// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/message_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/transport/message_framing.h"

namespace banyan::lspd {

MessageWriter::MessageWriter(
    FileDescriptor pipe, const Options& options,
    std::function<void(const absl::Status&)> on_failure)
    : options_(options),
      on_failure_(std::move(on_failure)),
      wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      pipe_(std::move(pipe)) {
  ::fcntl(pipe_.get(), F_SETFL, ::fcntl(pipe_.get(), F_GETFL) | O_NONBLOCK);
  thread_ = std::thread([this] { Run(); });
}

MessageWriter::~MessageWriter() { Stop(); }

void MessageWriter::Write(std::string body) {
  Message message{.header = MessageHeader(body.size()),
                  .body = std::move(body)};
  absl::Status failure;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_closing_ || is_stopped_ || !failure_.ok()) return;
    if (queue_.empty()) {
      const Outcome outcome = WriteSome(message);
      if (outcome == Outcome::kDone) return;
      if (outcome == Outcome::kFailed) failure = failure_;
    }
    queued_bytes_ += message.size() - message.written;
    if (failure.ok() && queued_bytes_ > options_.max_queued_bytes) {
      failure = failure_ = absl::ResourceExhaustedError(absl::StrCat(
          "reads too slowly: ", queued_bytes_, " bytes wait for it"));
    }
    if (queue_.empty()) last_progress_ = absl::Now();
    queue_.push_back(std::move(message));
  }
  changed_.notify_one();
  if (!failure.ok()) on_failure_(failure);
}

void MessageWriter::CloseWhenDone() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_one();
}

absl::Status MessageWriter::failure() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

void MessageWriter::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_one();
  ::eventfd_write(wakeup_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

void MessageWriter::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] {
      return !queue_.empty() || is_closing_ || is_stopped_ || !failure_.ok();
    });
    if (is_stopped_ || !failure_.ok() || queue_.empty()) break;

    const size_t written_before = queue_.front().written;
    const Outcome outcome = WriteSome(queue_.front());
    queued_bytes_ -= queue_.front().written - written_before;
    if (outcome == Outcome::kDone) queue_.pop_front();
    bool failed_here = outcome == Outcome::kFailed;
    if (outcome == Outcome::kBlocked) {
      lock.unlock();
      const bool is_writable = WaitUntilWritable();
      lock.lock();
      if (!is_writable && !is_stopped_ && failure_.ok()) {
        failure_ = absl::DeadlineExceededError(
            absl::StrCat("has not read its input for ",
                         absl::FormatDuration(options_.stall_limit)));
        failed_here = true;
      }
    }
    if (failed_here) {
      const absl::Status failure = failure_;
      lock.unlock();
      on_failure_(failure);
      lock.lock();
    }
  }
  pipe_.Close();
}

// REQUIRES: mutex_ is held.
MessageWriter::Outcome MessageWriter::WriteSome(Message& message) {
  while (message.written < message.size()) {
    const size_t header_left = message.header.size() -
                               std::min(message.written, message.header.size());
    const size_t body_written =
        message.written - std::min(message.written, message.header.size());
    iovec parts[2] = {
        {message.header.data() + message.header.size() - header_left,
         header_left},
        {message.body.data() + body_written,
         message.body.size() - body_written}};
    const ssize_t count = ::writev(pipe_.get(), parts, 2);
    if (count >= 0) {
      message.written += static_cast<size_t>(count);
      last_progress_ = absl::Now();
    } else if (errno == EAGAIN) {
      return Outcome::kBlocked;
    } else if (errno != EINTR) {
      failure_ = absl::UnavailableError(
          absl::StrCat("does not take input any more: ", strerror(errno)));
      return Outcome::kFailed;
    }
  }
  return Outcome::kDone;
}

// False when the other end has read nothing for too long.
bool MessageWriter::WaitUntilWritable() {
  while (true) {
    absl::Time give_up;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (is_stopped_) return true;
      give_up = last_progress_ + options_.stall_limit;
    }
    const int64_t left = absl::ToInt64Milliseconds(give_up - absl::Now());
    if (left <= 0) return false;
    pollfd sources[2] = {{pipe_.get(), POLLOUT, 0}, {wakeup_.get(), POLLIN, 0}};
    const int ready = ::poll(
        sources, 2, static_cast<int>(std::min<int64_t>(left + 1, 60'000)));
    if (ready > 0) return true;
  }
}

}  // namespace banyan::lspd
