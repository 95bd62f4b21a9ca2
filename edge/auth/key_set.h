// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_AUTH_KEY_SET_H_
#define EDGE_AUTH_KEY_SET_H_

#include <openssl/evp.h>

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::edge {

// The public keys of an issuer, from its JWKS (RFC 7517): RSA, P-256 and
// Ed25519. Others are left out, symmetric ones too. Immutable; thread-safe.
class KeySet {
 public:
  //   kInvalidArgument  no key set, or no key of a kind that is served
  static absl::StatusOr<KeySet> Parse(absl::string_view json);

  bool Has(absl::string_view key_id) const;

  // Whether `signature` over `text` was made with this key by `algorithm`
  // (RS256, PS256, ES256, EdDSA; another is false, and so is one that does not
  // belong to the key).
  bool Verifies(absl::string_view key_id, absl::string_view algorithm,
                absl::string_view text, absl::string_view signature) const;

 private:
  std::map<std::string, std::shared_ptr<EVP_PKEY>, std::less<>> keys_;
};

}  // namespace banyan::edge

#endif  // EDGE_AUTH_KEY_SET_H_
