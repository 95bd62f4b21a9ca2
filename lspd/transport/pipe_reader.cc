// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/pipe_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace banyan::lspd {

PipeReader::Signal::Signal()
    : event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void PipeReader::Signal::Raise(std::atomic<bool>& flag) {
  flag = true;
  ::eventfd_write(event.get(), 1);
}

PipeReader::PipeReader(FileDescriptor pipe, const MessageReader::Limits& limits,
                       absl::Duration drain_limit)
    : pipe_(std::move(pipe)),
      messages_(limits),
      drain_limit_(drain_limit),
      signal_(std::make_shared<Signal>()) {
  ::fcntl(pipe_.get(), F_SETFL, ::fcntl(pipe_.get(), F_GETFL) | O_NONBLOCK);
}

std::function<void()> PipeReader::stopper() const {
  return [signal = signal_] { signal->Raise(signal->is_stopped); };
}

std::function<void()> PipeReader::finisher() const {
  return [signal = signal_] { signal->Raise(signal->has_ended); };
}

void PipeReader::StopAtEndOf(ExitNotice& exit) {
  exit.Subscribe([finish = finisher()](const ExitStatus&) { finish(); });
}

absl::Status PipeReader::Run(
    const std::function<absl::Status(std::string)>& handle) {
  std::optional<absl::Time> end_of_draining;
  while (!signal_->is_stopped) {
    // Before the read: what came before the end of the process is in the pipe.
    const bool had_ended = signal_->has_ended;
    const Outcome outcome = ReadSome();
    if (outcome == Outcome::kEnd) break;
    while (std::optional<std::string> message = messages_.Next()) {
      const absl::Status handled = handle(*std::move(message));
      if (!handled.ok()) return handled;
      if (signal_->is_stopped) return absl::OkStatus();
    }
    skipped_bytes_ = messages_.skipped_bytes();
    if (!messages_.status().ok()) {
      return absl::Status(messages_.status().code(),
                          absl::StrCat("sent ", messages_.status().message()));
    }
    if (had_ended) {
      if (!end_of_draining) end_of_draining = absl::Now() + drain_limit_;
      const bool is_over = absl::Now() >= *end_of_draining;
      if (is_over || outcome == Outcome::kNothingYet) break;
    }
    if (outcome == Outcome::kNothingYet) WaitForBytes();
  }
  return absl::OkStatus();
}

PipeReader::Outcome PipeReader::ReadSome() {
  const absl::Span<char> space = messages_.Space();
  const ssize_t count = ::read(pipe_.get(), space.data(), space.size());
  if (count > 0) {
    messages_.Commit(static_cast<size_t>(count));
    return Outcome::kBytes;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return Outcome::kNothingYet;
  }
  return Outcome::kEnd;
}

void PipeReader::WaitForBytes() {
  // Whoever raises the signal sets its flag first, so no wake-up is lost.
  pollfd sources[2] = {{pipe_.get(), POLLIN, 0},
                       {signal_->event.get(), POLLIN, 0}};
  ::poll(sources, 2, -1);
  if ((sources[1].revents & POLLIN) != 0) {
    eventfd_t ignored = 0;
    ::eventfd_read(signal_->event.get(), &ignored);
  }
}

}  // namespace banyan::lspd
