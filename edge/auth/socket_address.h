// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_AUTH_SOCKET_ADDRESS_H_
#define EDGE_AUTH_SOCKET_ADDRESS_H_

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::edge {

// A numeric IP address and a port. An IPv4 address that arrives wrapped in
// IPv6 (::ffff:127.0.0.1) is kept as the IPv4 address it is.
struct SocketAddress {
  int family = AF_UNSPEC;              // AF_INET or AF_INET6 when known.
  std::array<uint8_t, 16> bytes = {};  // Network order; IPv4 uses four.
  uint16_t port = 0;

  bool IsLoopback() const;

  // "127.0.0.1", "::1"; empty when unknown.
  std::string Host() const;

  // "127.0.0.1:8420", "[::1]:8420".
  std::string ToString() const;

  // What ::bind() takes. Returns the length.
  socklen_t ToSockaddr(sockaddr_storage* out) const;

  static SocketAddress FromSockaddr(const sockaddr* address);

  // "127.0.0.1:8420", "[::1]:0", "localhost:8420" (which is 127.0.0.1),
  // ":8420" (every interface). No other names: they are not looked up.
  //   kInvalidArgument  anything else
  static absl::StatusOr<SocketAddress> Parse(absl::string_view text);

  friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
};

}  // namespace banyan::edge

#endif  // EDGE_AUTH_SOCKET_ADDRESS_H_
