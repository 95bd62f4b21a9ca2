// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_KEYS_PRINCIPAL_HASHER_H_
#define SESSIOND_KEYS_PRINCIPAL_HASHER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/session_service.pb.h"
#include "sessiond/keys/key_ring.h"

namespace banyan::sessiond {

struct PrincipalHash {
  std::string hash;
  std::string key_id;
};

// Names principals in the store without telling who they are: HMAC-SHA256 over
// issuer, NUL, subject. Scopes and roots are no part of it, so a refreshed
// token is the same principal. Thread-safe.
class PrincipalHasher {
 public:
  explicit PrincipalHasher(KeyRing keys) : keys_(std::move(keys)) {}

  // Whether it can be named at all.
  //   kUnauthenticated  UNAUTHENTICATED: issuer or subject is empty or has a NUL
  static absl::Status Check(const session::v1::Principal& principal);

  // With the newest key. Codes as Check.
  absl::StatusOr<PrincipalHash> Hash(
      const session::v1::Principal& principal) const;

  // With every key, newest first: under these the principal's records are
  // found. Codes as Check.
  absl::StatusOr<std::vector<PrincipalHash>> AllHashes(
      const session::v1::Principal& principal) const;

  // Whether a record's owner is this principal, in constant time. False for an
  // empty hash, an unknown key, an invalid principal.
  bool IsOwner(const session::v1::Principal& principal, absl::string_view hash,
               absl::string_view key_id) const;

  // False: the record is to be hashed anew at its next use.
  bool IsNewestKey(absl::string_view key_id) const {
    return key_id == keys_.newest().id;
  }

 private:
  KeyRing keys_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_KEYS_PRINCIPAL_HASHER_H_
