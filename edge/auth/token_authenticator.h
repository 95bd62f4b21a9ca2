// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_AUTH_TOKEN_AUTHENTICATOR_H_
#define EDGE_AUTH_TOKEN_AUTHENTICATOR_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "edge/auth/authenticator.h"

namespace banyan::edge {

struct TokenAuthenticatorOptions {
  std::string path;
  // How old the last look at the file may be.
  absl::Duration look_every = absl::Milliseconds(500);
  std::function<absl::Time()> now = absl::Now;
};

// Lets in whoever brings a token of the file (token_file.h), as the principal
// of its subject: another token of the same subject is the same principal. A
// changed file is read anew without a restart; one that cannot be read leaves
// the tokens that were known. There is nothing here that a client could
// discover, so challenges name no metadata. Codes:
//   kInvalidArgument, kUnavailable  the file is unusable at the start
absl::StatusOr<std::unique_ptr<Authenticator>> NewTokenAuthenticator(
    TokenAuthenticatorOptions options);

// "Bearer x" → "x"; empty for anything else.
absl::string_view BearerToken(absl::string_view authorization);

}  // namespace banyan::edge

#endif  // EDGE_AUTH_TOKEN_AUTHENTICATOR_H_
