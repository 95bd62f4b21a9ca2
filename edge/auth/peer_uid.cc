// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/peer_uid.h"

#include <netinet/tcp.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

absl::Status Unauthenticated(absl::string_view message) {
  return rpc::Error(rpc::v1::ERROR_REASON_UNAUTHENTICATED, message);
}

class PeerUidAuthenticator : public Authenticator {
 public:
  PeerUidAuthenticator(uid_t own_uid, PeerConnection::FindUid find_uid)
      : own_uid_(own_uid), find_uid_(std::move(find_uid)) {}

  absl::StatusOr<Authenticated> Authenticate(PeerConnection& connection,
                                             absl::string_view) override {
    if (!connection.peer().IsLoopback()) {
      return Unauthenticated(
          "only callers on this machine are served without a token");
    }
    const absl::StatusOr<uid_t> uid = connection.Uid(find_uid_);
    if (!uid.ok()) {
      return Unauthenticated(
          "cannot tell which user this connection belongs to; start the "
          "server with --tokens_file and send a token");
    }
    if (*uid != own_uid_) {
      return Unauthenticated(
          absl::StrCat("this server belongs to uid ", own_uid_,
                       " and serves no other user without a token"));
    }
    session::v1::Principal principal;
    principal.set_issuer("local");
    principal.set_subject(absl::StrCat(*uid));
    for (const char* scope : {"code:read", "code:write", "admin"}) {
      principal.add_scopes(scope);
    }
    return Authenticated{.principal = std::move(principal)};
  }

  bool IsLoopbackOnly() const override { return true; }

 private:
  const uid_t own_uid_;
  const PeerConnection::FindUid find_uid_;
};

}  // namespace

absl::StatusOr<uid_t> FindPeerUid(const SocketAddress& peer,
                                  const SocketAddress& own) {
  const absl::StatusOr<uid_t> uid = FindPeerUidByDiagnostics(peer, own);
  return uid.ok() ? uid : FindPeerUidInProc(peer, own);
}

absl::StatusOr<uid_t> FindPeerUidInProc(const SocketAddress& peer,
                                        const SocketAddress& own) {
  // A socket of the IPv6 family may speak IPv4 too, so both are read.
  for (const char* path : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    const absl::StatusOr<uid_t> uid = ParseProcNetTcp(text.str(), peer, own);
    if (uid.ok()) return uid;
  }
  return absl::NotFoundError("no such socket in this network namespace");
}

bool HasOwner(int state, uint64_t inode) {
  return inode != 0 && (state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT);
}

std::unique_ptr<Authenticator> NewPeerUidAuthenticator(
    uid_t own_uid, PeerConnection::FindUid find_uid) {
  return std::make_unique<PeerUidAuthenticator>(own_uid, std::move(find_uid));
}

}  // namespace banyan::edge
