// SPDX-License-Identifier: Apache-2.0
#include "edge/http/listen_socket.h"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

constexpr int kBacklog = 1024;

sockaddr* AsSockaddr(sockaddr_storage& storage) {
  return reinterpret_cast<sockaddr*>(&storage);
}

SocketAddress OwnAddress(int fd) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(storage);
  ::getsockname(fd, AsSockaddr(storage), &size);
  return SocketAddress::FromSockaddr(AsSockaddr(storage));
}

bool MeansTryLater(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS ||
         error == ENOMEM;
}

}  // namespace

absl::StatusOr<ListenSocket> ListenSocket::Listen(
    const SocketAddress& address) {
  const int fd =
      ::socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  ListenSocket socket(fd, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  // Accepted sockets inherit it.
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_storage storage = {};
  const socklen_t size = address.ToSockaddr(&storage);
  if (fd < 0 || ::bind(fd, AsSockaddr(storage), size) != 0 ||
      ::listen(fd, kBacklog) != 0) {
    return absl::UnavailableError(absl::StrCat(
        "cannot listen on ", address.ToString(), ": ", std::strerror(errno)));
  }
  socket.port_ = OwnAddress(fd).port;
  return socket;
}

ListenSocket::ListenSocket(ListenSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), port_(other.port_) {}

ListenSocket::~ListenSocket() {
  if (fd_ >= 0) ::close(fd_);
}

absl::StatusOr<std::optional<ListenSocket::Accepted>> ListenSocket::Accept()
    const {
  for (;;) {
    sockaddr_storage storage = {};
    socklen_t size = sizeof(storage);
    const int fd = ::accept4(fd_, AsSockaddr(storage), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      return Accepted{.fd = fd,
                      .peer = SocketAddress::FromSockaddr(AsSockaddr(storage)),
                      .own = OwnAddress(fd)};
    }
    if (MeansTryLater(errno)) {
      return absl::ResourceExhaustedError("out of descriptors");
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EBADF ||
        errno == EINVAL) {
      return std::nullopt;
    }
    // Anything else concerns the one connection that could not be accepted.
  }
}

}  // namespace banyan::edge
