// SPDX-License-Identifier: Apache-2.0
#include "sessiond/keys/principal_hasher.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {
namespace {

constexpr size_t kHashBytes = 32;

bool IsName(absl::string_view text) {
  return !text.empty() && text.find('\0') == absl::string_view::npos;
}

// REQUIRES: Check(principal).ok(), so that no two principals have one message.
std::string ToMessage(const session::v1::Principal& principal) {
  return absl::StrCat(principal.issuer(), absl::string_view("\0", 1),
                      principal.subject());
}

std::string Hmac(absl::string_view key, absl::string_view message) {
  std::string hash(kHashBytes, '\0');
  unsigned int length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(),
       reinterpret_cast<unsigned char*>(hash.data()), &length);
  return hash;
}

}  // namespace

absl::Status PrincipalHasher::Check(const session::v1::Principal& principal) {
  if (IsName(principal.issuer()) && IsName(principal.subject())) {
    return absl::OkStatus();
  }
  return rpc::Error(rpc::v1::ERROR_REASON_UNAUTHENTICATED,
                    "the caller has no issuer and subject; authenticate and "
                    "try again");
}

absl::StatusOr<PrincipalHash> PrincipalHasher::Hash(
    const session::v1::Principal& principal) const {
  RETURN_IF_ERROR(Check(principal));
  return PrincipalHash{Hmac(keys_.newest().secret, ToMessage(principal)),
                       keys_.newest().id};
}

absl::StatusOr<std::vector<PrincipalHash>> PrincipalHasher::AllHashes(
    const session::v1::Principal& principal) const {
  RETURN_IF_ERROR(Check(principal));
  const std::string message = ToMessage(principal);
  std::vector<PrincipalHash> hashes;
  for (const SecretKey& key : keys_.keys()) {
    hashes.push_back({Hmac(key.secret, message), key.id});
  }
  return hashes;
}

bool PrincipalHasher::IsOwner(const session::v1::Principal& principal,
                              absl::string_view hash,
                              absl::string_view key_id) const {
  if (!Check(principal).ok() || hash.size() != kHashBytes) return false;
  for (const SecretKey& key : keys_.keys()) {
    if (key.id != key_id) continue;
    const std::string ours = Hmac(key.secret, ToMessage(principal));
    return CRYPTO_memcmp(ours.data(), hash.data(), kHashBytes) == 0;
  }
  return false;
}

}  // namespace banyan::sessiond
