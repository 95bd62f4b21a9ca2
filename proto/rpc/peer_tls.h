// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_PEER_TLS_H_
#define PROTO_RPC_PEER_TLS_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"

namespace banyan::rpc {

// By what daemons know each other: PEM files. Each shows its certificate and
// takes only peers whose own was issued by one of the authorities. All empty:
// plain text.
//
// The files are looked at again every few seconds: replace them (by rename) and
// new connections use the new ones, with no restart.
struct PeerTls {
  std::string certificate_file;  // With the chain below it.
  std::string key_file;
  std::string authorities_file;

  bool is_on() const { return !certificate_file.empty(); }
};

// Before anything is served or asked.
//   kInvalidArgument     some of the three are missing; the message names the flags
//   kFailedPrecondition  a file cannot be read
absl::Status CheckPeerTls(const PeerTls& tls);

// Plain text when it is off. REQUIRES: CheckPeerTls(tls).ok()
std::shared_ptr<grpc::ServerCredentials> PeerServerCredentials(
    const PeerTls& tls);
// The server's certificate must also name the host that is called.
std::shared_ptr<grpc::ChannelCredentials> PeerChannelCredentials(
    const PeerTls& tls);

}  // namespace banyan::rpc

#endif  // PROTO_RPC_PEER_TLS_H_
