// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_AUTH_PEER_UID_H_
#define EDGE_AUTH_PEER_UID_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "edge/auth/authenticator.h"
#include "edge/auth/peer_connection.h"
#include "edge/auth/socket_address.h"

namespace banyan::edge {

// The uid that owns the other end of a loopback connection: asked from the
// kernel's socket diagnostics, else read from /proc/net/tcp and tcp6. Codes:
//   kNotFound  no such socket in this network namespace, or nobody holds it any
//              more
absl::StatusOr<uid_t> FindPeerUid(const SocketAddress& peer,
                                  const SocketAddress& own);

// The two ways of FindPeerUid, one by one.
//   kUnavailable  socket diagnostics do not work here
absl::StatusOr<uid_t> FindPeerUidByDiagnostics(const SocketAddress& peer,
                                               const SocketAddress& own);
absl::StatusOr<uid_t> FindPeerUidInProc(const SocketAddress& peer,
                                        const SocketAddress& own);

// Whether somebody still holds a socket in this state of the kernel's TCP_…
// with this inode. Of a socket whose program closed it the kernel says uid 0,
// whoever it was.
bool HasOwner(int state, uint64_t inode);

// The uid of the socket whose local address is `peer` and whose remote one is
// `own`, in the text of /proc/net/tcp or tcp6. kNotFound otherwise.
absl::StatusOr<uid_t> ParseProcNetTcp(absl::string_view text,
                                      const SocketAddress& peer,
                                      const SocketAddress& own);

// Serves callers on loopback that run under `own_uid` and nobody else; they
// are the principal local:<uid> with every scope. An Authorization header is
// ignored: there is no token to check it against.
std::unique_ptr<Authenticator> NewPeerUidAuthenticator(
    uid_t own_uid, PeerConnection::FindUid find_uid = FindPeerUid);

}  // namespace banyan::edge

#endif  // EDGE_AUTH_PEER_UID_H_
