// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/stderr_drain.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/string_view.h"

namespace banyan::lspd {
namespace {

// At most so much of one pipe in a row: a flood must not starve the others.
constexpr int kChunksInARow = 16;

}  // namespace

StderrDrain::StderrDrain() : poller_(::epoll_create1(EPOLL_CLOEXEC)) {}

void StderrDrain::Add(FileDescriptor pipe, std::shared_ptr<OutputRing> ring) {
  const int fd = pipe.get();
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = fd;
  ::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, fd, &event);
  sources_[fd] = {std::move(pipe), std::move(ring)};
}

void StderrDrain::DrainReady() {
  epoll_event events[16];
  const int count = ::epoll_wait(poller_.get(), events, 16, 0);
  for (int i = 0; i < count; ++i) Drain(events[i].data.fd);
}

void StderrDrain::DrainInto(const OutputRing& ring) {
  for (const auto& [fd, source] : sources_) {
    if (source.ring.get() == &ring) return Drain(fd);
  }
}

void StderrDrain::Drain(int fd) {
  const auto source = sources_.find(fd);
  if (source == sources_.end()) return;
  char chunk[16 << 10];
  for (int i = 0; i < kChunksInARow; ++i) {
    const ssize_t count = ::read(fd, chunk, sizeof(chunk));
    if (count > 0) {
      source->second.ring->Append(
          absl::string_view(chunk, static_cast<size_t>(count)));
    } else if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    } else {
      sources_.erase(source);  // Closing takes it out of the epoll too.
      return;
    }
  }
}

}  // namespace banyan::lspd
