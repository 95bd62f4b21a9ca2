// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_AUTH_AUTHENTICATOR_H_
#define EDGE_AUTH_AUTHENTICATOR_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/session_service.pb.h"
#include "edge/auth/peer_connection.h"

namespace banyan::edge {

// Says who is calling. Asked once per request, before its body is read, so an
// answer must not take long. Thread-safe.
class Authenticator {
 public:
  virtual ~Authenticator() = default;

  // `authorization` is the header's value, empty when absent. Codes:
  //   kUnauthenticated (reason UNAUTHENTICATED)  the message is for the caller
  virtual absl::StatusOr<session::v1::Principal> Authenticate(
      PeerConnection& connection, absl::string_view authorization) = 0;

  // True when only a caller on this machine can be told apart. A listener that
  // is not loopback refuses to start with such an authenticator.
  virtual bool IsLoopbackOnly() const = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_AUTH_AUTHENTICATOR_H_
