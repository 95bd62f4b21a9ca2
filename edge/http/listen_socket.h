// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_LISTEN_SOCKET_H_
#define EDGE_HTTP_LISTEN_SOCKET_H_

#include <optional>

#include "absl/status/statusor.h"
#include "edge/auth/socket_address.h"

namespace banyan::edge {

// A listening TCP socket: backlog 1024, no delay, an address of its own (no
// second process can share it). Thread-safe.
class ListenSocket {
 public:
  struct Accepted {
    int fd = -1;  // Non-blocking; the caller's.
    SocketAddress peer;
    SocketAddress own;
  };

  //   kUnavailable  the address is in use or not ours
  static absl::StatusOr<ListenSocket> Listen(const SocketAddress& address);

  ListenSocket(ListenSocket&& other) noexcept;
  ListenSocket& operator=(ListenSocket&&) = delete;
  ~ListenSocket();

  // nullopt when nobody waits. Codes:
  //   kResourceExhausted  no descriptors or memory; the client goes on waiting
  absl::StatusOr<std::optional<Accepted>> Accept() const;

  int fd() const { return fd_; }
  int port() const { return port_; }

 private:
  ListenSocket(int fd, int port) : fd_(fd), port_(port) {}

  int fd_;
  int port_;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_LISTEN_SOCKET_H_
