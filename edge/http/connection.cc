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
                       std::shared_ptr<ByteBudget> budget, absl::Time now,
                       std::unique_ptr<TlsSession> tls)
    : fd_(fd),
      tls_(std::move(tls)),
      peer_(std::move(peer), std::move(own)),
      reader_(limits),
      clock_(limits, idle_timeout, now),
      hold_(std::move(budget)) {}

Connection::~Connection() { ::close(fd_); }

Connection::Received Connection::ReadBytes(char* buffer, size_t size,
                                           size_t& count) {
  if (tls_ != nullptr) {
    switch (tls_->Read(buffer, size, count)) {
      case TlsSession::Outcome::kDone:
        return Received::kBytes;
      case TlsSession::Outcome::kWantsRead:
      case TlsSession::Outcome::kWantsWrite:
        return Received::kNothing;
      case TlsSession::Outcome::kEnd:
        return Received::kEnd;
    }
  }
  ssize_t received;
  do {
    received = ::recv(fd_, buffer, size, 0);
  } while (received < 0 && errno == EINTR);
  if (received > 0) {
    count = static_cast<size_t>(received);
    return Received::kBytes;
  }
  const bool is_early =
      received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  return is_early ? Received::kNothing : Received::kEnd;
}

Connection::Received Connection::Receive() {
  std::array<char, kReceiveBytes> buffer;
  size_t count = 0;
  const Received received = ReadBytes(buffer.data(), buffer.size(), count);
  if (received == Received::kBytes) {
    reader_.Feed(absl::string_view(buffer.data(), count));
  }
  return received;
}

Connection::Received Connection::Discard() {
  std::array<char, kReceiveBytes> buffer;
  while (discarded_ <= kMaxDiscardedBytes) {
    size_t count = 0;
    const Received received = ReadBytes(buffer.data(), buffer.size(), count);
    if (received != Received::kBytes) return received;
    discarded_ += count;
  }
  return Received::kEnd;
}

bool Connection::Write(absl::string_view bytes, absl::Duration timeout) {
  while (!bytes.empty()) {
    short wanted = POLLOUT;
    if (tls_ != nullptr) {
      size_t count = 0;
      switch (tls_->Write(bytes, count)) {
        case TlsSession::Outcome::kDone:
          bytes.remove_prefix(count);
          continue;
        case TlsSession::Outcome::kWantsRead:
          wanted = POLLIN;
          break;
        case TlsSession::Outcome::kWantsWrite:
          break;
        case TlsSession::Outcome::kEnd:
          return false;
      }
    } else {
      const ssize_t count =
          ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count >= 0) {
        bytes.remove_prefix(static_cast<size_t>(count));
        continue;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    }
    pollfd ready_fd = {.fd = fd_, .events = wanted, .revents = 0};
    const int ready = ::poll(
        &ready_fd, 1, static_cast<int>(absl::ToInt64Milliseconds(timeout)));
    if (ready == 0 || (ready < 0 && errno != EINTR)) return false;
  }
  return true;
}

bool Connection::IsPeerGone() const {
  pollfd end = {.fd = fd_, .events = POLLRDHUP, .revents = 0};
  return ::poll(&end, 1, 0) > 0;
}

void Connection::Linger(absl::Time deadline) {
  EndWriting();
  is_lingering_ = true;
  linger_until_ = deadline;
}

void Connection::EndWriting() {
  if (tls_ != nullptr) tls_->EndWriting();
  ::shutdown(fd_, SHUT_WR);
}

void Connection::Abort() { ::shutdown(fd_, SHUT_RDWR); }

}  // namespace banyan::edge
