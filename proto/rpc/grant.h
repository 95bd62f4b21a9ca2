// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_GRANT_H_
#define PROTO_RPC_GRANT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/session/v1/grant.pb.h"

namespace banyan::rpc {

// SHA-256 of an id of ours, as records, grants and revocations name it.
std::string HashId(absl::string_view id);

// An Ed25519 key pair (RFC 8032). Only sessiond has one. Thread-safe.
class GrantKey {
 public:
  static absl::StatusOr<GrantKey> Generate();
  // `seed` is the 32-byte private key.
  static absl::StatusOr<GrantKey> FromSeed(absl::string_view seed);

  const std::string& key_id() const {
    return key_id_;
  }  // 16 hex digits of the public key's hash.
  const std::string& seed() const { return seed_; }
  const std::string& public_key() const { return public_key_; }
  session::v1::VerificationKey ToProto() const;

  // Fills in version and key id, then signs.
  session::v1::SignedGrant Sign(session::v1::Grant grant) const;

 private:
  GrantKey(std::string seed, std::string public_key);

  std::string key_id_;
  std::string seed_;
  std::string public_key_;
};

// Checks signature, version, key and critical features, and that `now` (by
// sessiond's clock) is before the expiry and not more than a minute before the
// issue. Revocation, epoch and root are the caller's to look at.
//   kUnauthenticated  GRANT_INVALID; the message says what was wrong
absl::StatusOr<session::v1::Grant> VerifyGrant(
    const session::v1::SignedGrant& signed_grant,
    const std::vector<session::v1::VerificationKey>& keys, absl::Time now);

}  // namespace banyan::rpc

#endif  // PROTO_RPC_GRANT_H_
