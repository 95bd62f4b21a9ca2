// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_AUTH_PEER_CONNECTION_H_
#define EDGE_AUTH_PEER_CONNECTION_H_

#include <sys/types.h>

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "edge/auth/socket_address.h"

namespace banyan::edge {

// One TCP connection as authentication sees it: both addresses, and who is at
// the other end. Thread-safe.
class PeerConnection {
 public:
  using FindUid = std::function<absl::StatusOr<uid_t>(
      const SocketAddress& peer, const SocketAddress& own)>;

  PeerConnection(SocketAddress peer, SocketAddress own)
      : peer_(std::move(peer)), own_(std::move(own)) {}

  const SocketAddress& peer() const { return peer_; }
  const SocketAddress& own() const { return own_; }

  // What `find` says the first time it is asked on this connection. A socket
  // may change hands later, but who connected it does not.
  absl::StatusOr<uid_t> Uid(const FindUid& find) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!uid_.has_value()) uid_ = find(peer_, own_);
    return *uid_;
  }

 private:
  const SocketAddress peer_;
  const SocketAddress own_;
  std::mutex mutex_;
  std::optional<absl::StatusOr<uid_t>> uid_;  // Guarded by mutex_.
};

}  // namespace banyan::edge

#endif  // EDGE_AUTH_PEER_CONNECTION_H_
