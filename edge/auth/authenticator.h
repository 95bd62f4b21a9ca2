// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_AUTH_AUTHENTICATOR_H_
#define EDGE_AUTH_AUTHENTICATOR_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/session_service.pb.h"
#include "edge/auth/peer_connection.h"

namespace banyan::edge {

// A caller that was let in.
struct Authenticated {
  session::v1::Principal principal;
  // False as soon as the credential expired or was revoked: what it began has
  // to end. Never null; quick, thread-safe, may outlive the authenticator.
  std::function<bool()> is_still_valid = [] { return true; };
};

// Says who is calling. Asked once per request, before its body is read, so an
// answer must not take long. Thread-safe.
class Authenticator {
 public:
  virtual ~Authenticator() = default;

  // `authorization` is the header's value, empty when absent. Codes:
  //   kUnauthenticated (reason UNAUTHENTICATED)  the message is for the caller
  virtual absl::StatusOr<Authenticated> Authenticate(
      PeerConnection& connection, absl::string_view authorization) = 0;

  // WWW-Authenticate of a refusal. `error`: of RFC 6750, or empty; `scope`: what
  // would have been needed, or empty.
  virtual std::string Challenge(absl::string_view error,
                                absl::string_view scope) const;

  // The document that tells clients where tokens come from (RFC 9728), for an
  // endpoint at `path`; nullopt where there is none to be had.
  virtual std::optional<std::string> ResourceMetadata(
      absl::string_view path) const;

  // True when only a caller on this machine can be told apart. A listener that
  // is not loopback refuses to start with such an authenticator.
  virtual bool IsLoopbackOnly() const = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_AUTH_AUTHENTICATOR_H_
