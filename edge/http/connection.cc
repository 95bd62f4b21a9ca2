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
                       absl::Duration write_timeout,
                       std::shared_ptr<ByteBudget> budget, absl::Time now,
                       std::unique_ptr<TlsSession> tls)
    : fd_(fd),
      tls_(std::move(tls)),
      peer_(std::move(peer), std::move(own)),
      reader_(limits),
      clock_(limits, idle_timeout, now),
      write_clock_(limits.body_bytes_per_window, write_timeout),
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

bool Connection::WriteSome(absl::string_view& bytes, short& wanted) {
  wanted = POLLOUT;
  while (!bytes.empty()) {
    if (tls_ != nullptr) {
      size_t count = 0;
      switch (tls_->Write(bytes, count)) {
        case TlsSession::Outcome::kDone:
          bytes.remove_prefix(count);
          continue;
        case TlsSession::Outcome::kWantsRead:
          wanted = POLLIN;
          return true;
        case TlsSession::Outcome::kWantsWrite:
          return true;
        case TlsSession::Outcome::kEnd:
          return false;
      }
    }
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
  }
  return true;
}

bool Connection::Write(absl::string_view bytes, absl::Duration timeout) {
  for (;;) {
    short wanted = 0;
    if (!WriteSome(bytes, wanted)) return false;
    if (bytes.empty()) return true;
    pollfd ready_fd = {.fd = fd_, .events = wanted, .revents = 0};
    const int ready = ::poll(
        &ready_fd, 1, static_cast<int>(absl::ToInt64Milliseconds(timeout)));
    if (ready == 0 || (ready < 0 && errno != EINTR)) return false;
  }
}

void Connection::Queue(std::string answer, bool keep_alive, absl::Time now) {
  answer_ = std::move(answer);
  sent_ = 0;
  keeps_alive_ = keep_alive;
  write_clock_.Begin(answer_.size(), now);
}

Connection::Sent Connection::SendOn() {
  absl::string_view rest = absl::string_view(answer_).substr(sent_);
  short wanted = 0;
  const bool is_there = WriteSome(rest, wanted);
  sent_ = answer_.size() - rest.size();
  // After its handshake TLS reads nothing in order to write.
  if (!is_there || (!rest.empty() && wanted == POLLIN)) return Sent::kEnd;
  if (!rest.empty()) return Sent::kPart;
  answer_ = std::string();
  sent_ = 0;
  return Sent::kAll;
}

bool Connection::SendAll(absl::Duration timeout) {
  const bool is_sent = Write(absl::string_view(answer_).substr(sent_), timeout);
  answer_ = std::string();
  sent_ = 0;
  return is_sent;
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
