// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_AUTH_JWT_AUTHENTICATOR_H_
#define EDGE_AUTH_JWT_AUTHENTICATOR_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "edge/auth/authenticator.h"

namespace banyan::edge {

struct JwtAuthenticatorOptions {
  std::string issuer;    // `iss`, exactly; a URL.
  std::string audience;  // In `aud`: the URL that users type, path included.
  // The issuer's key set (JWKS) as text: at the start, and again when a token
  // names a key that is not in it or an hour has passed.
  std::function<absl::StatusOr<std::string>()> read_keys;
  absl::Duration leeway = absl::Seconds(30);  // Of exp and nbf; at most 60 s.
  absl::Duration read_again_after = absl::Hours(1);
  absl::Duration read_at_most_every = absl::Seconds(30);
  std::function<absl::Time()> now = absl::Now;
};

// Lets in whoever brings a signed token of the issuer for this server (RFC
// 9068), as the principal (iss, sub). Scopes come from `scope` or `scp`. Serves
// protected-resource metadata and names it in challenges. A key set that cannot
// be read anew leaves the one that was known.
//   kInvalidArgument  an option is missing, or the key set is none
absl::StatusOr<std::unique_ptr<Authenticator>> NewJwtAuthenticator(
    JwtAuthenticatorOptions options);

}  // namespace banyan::edge

#endif  // EDGE_AUTH_JWT_AUTHENTICATOR_H_
