// SPDX-License-Identifier: Apache-2.0
#include "edge/http/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace banyan::edge {
namespace {

constexpr size_t kReceiveBytes = 64 << 10;
constexpr size_t kMaxDiscardedBytes = 1 << 20;

}  // namespace

Connection::Connection(int fd, SocketAddress peer, SocketAddress own,
                       const ReadLimits& limits, absl::Duration idle_timeout,
                       std::shared_ptr<ByteBudget> budget, absl::Time now)
    : fd_(fd),
      peer_(std::move(peer), std::move(own)),
      reader_(limits),
      clock_(limits, idle_timeout, now),
      hold_(std::move(budget)) {}

Connection::~Connection() { ::close(fd_); }

Connection::Received Connection::Receive() {
  std::array<char, kReceiveBytes> buffer;
  ssize_t count;
  do {
    count = ::recv(fd_, buffer.data(), buffer.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count > 0) {
    reader_.Feed(absl::string_view(buffer.data(), static_cast<size_t>(count)));
    return Received::kBytes;
  }
  const bool is_early = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  return is_early ? Received::kNothing : Received::kEnd;
}

Connection::Received Connection::Discard() {
  std::array<char, kReceiveBytes> buffer;
  while (discarded_ <= kMaxDiscardedBytes) {
    const ssize_t count = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (count > 0) {
      discarded_ += static_cast<size_t>(count);
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return Received::kNothing;
    } else if (count == 0 || errno != EINTR) {
      return Received::kEnd;
    }
  }
  return Received::kEnd;
}

bool Connection::Write(absl::string_view bytes, absl::Duration timeout) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    pollfd writable = {.fd = fd_, .events = POLLOUT, .revents = 0};
    const int ready = ::poll(
        &writable, 1, static_cast<int>(absl::ToInt64Milliseconds(timeout)));
    if (ready == 0 || (ready < 0 && errno != EINTR)) return false;
  }
  return true;
}

bool Connection::IsPeerGone() const {
  pollfd end = {.fd = fd_, .events = POLLRDHUP, .revents = 0};
  return ::poll(&end, 1, 0) > 0;
}

void Connection::Linger(absl::Time deadline) {
  ::shutdown(fd_, SHUT_WR);
  is_lingering_ = true;
  linger_until_ = deadline;
}

void Connection::Abort() { ::shutdown(fd_, SHUT_RDWR); }

}  // namespace banyan::edge
