// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/grant.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"

namespace banyan::rpc {
namespace {

constexpr uint32_t kGrantVersion = 1;
constexpr size_t kKeyBytes = 32;
constexpr size_t kSignatureBytes = 64;

struct PkeyDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct DigestContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Pkey = std::unique_ptr<EVP_PKEY, PkeyDeleter>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, DigestContextDeleter>;

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* Bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

bool IsSignatureGood(absl::string_view public_key, absl::string_view payload,
                     absl::string_view signature) {
  if (public_key.size() != kKeyBytes || signature.size() != kSignatureBytes) {
    return false;
  }
  const Pkey key(EVP_PKEY_new_raw_public_key(
      EVP_PKEY_ED25519, nullptr, Bytes(public_key), public_key.size()));
  const DigestContext context(EVP_MD_CTX_new());
  return key != nullptr && context != nullptr &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr,
                              key.get()) == 1 &&
         EVP_DigestVerify(context.get(), Bytes(signature), signature.size(),
                          Bytes(payload), payload.size()) == 1;
}

absl::Status Invalid(absl::string_view what) {
  return Error(v1::ERROR_REASON_GRANT_INVALID,
               absl::StrCat("the grant is not valid: ", what));
}

}  // namespace

std::string HashId(absl::string_view id) {
  std::string hash(SHA256_DIGEST_LENGTH, '\0');
  SHA256(Bytes(id), id.size(), Bytes(hash));
  return hash;
}

GrantKey::GrantKey(std::string seed, std::string public_key)
    : key_id_(absl::BytesToHexString(HashId(public_key).substr(0, 8))),
      seed_(std::move(seed)),
      public_key_(std::move(public_key)) {}

absl::StatusOr<GrantKey> GrantKey::Generate() {
  EVP_PKEY* raw = nullptr;
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nullptr);
  const bool is_made = context != nullptr &&
                       EVP_PKEY_keygen_init(context) == 1 &&
                       EVP_PKEY_keygen(context, &raw) == 1;
  EVP_PKEY_CTX_free(context);
  const Pkey key(raw);
  std::string seed(kKeyBytes, '\0');
  size_t length = seed.size();
  if (!is_made ||
      EVP_PKEY_get_raw_private_key(key.get(), Bytes(seed), &length) != 1) {
    return Error(v1::ERROR_REASON_INTERNAL, "no Ed25519 key could be made");
  }
  return FromSeed(seed);
}

absl::StatusOr<GrantKey> GrantKey::FromSeed(absl::string_view seed) {
  const Pkey key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                              Bytes(seed), seed.size()));
  std::string public_key(kKeyBytes, '\0');
  size_t length = public_key.size();
  if (key == nullptr ||
      EVP_PKEY_get_raw_public_key(key.get(), Bytes(public_key), &length) != 1) {
    return Error(v1::ERROR_REASON_INTERNAL, "not an Ed25519 private key");
  }
  return GrantKey(std::string(seed), std::move(public_key));
}

session::v1::VerificationKey GrantKey::ToProto() const {
  session::v1::VerificationKey key;
  key.set_key_id(key_id_);
  key.set_ed25519_public_key(public_key_);
  return key;
}

session::v1::SignedGrant GrantKey::Sign(session::v1::Grant grant) const {
  grant.set_version(kGrantVersion);
  grant.set_key_id(key_id_);
  session::v1::SignedGrant signed_grant;
  grant.SerializeToString(signed_grant.mutable_payload());
  const Pkey key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                              Bytes(seed_), seed_.size()));
  const DigestContext context(EVP_MD_CTX_new());
  std::string signature(kSignatureBytes, '\0');
  size_t length = signature.size();
  EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get());
  EVP_DigestSign(context.get(), Bytes(signature), &length,
                 Bytes(signed_grant.payload()), signed_grant.payload().size());
  signed_grant.set_signature(std::move(signature));
  return signed_grant;
}

absl::StatusOr<session::v1::Grant> VerifyGrant(
    const session::v1::SignedGrant& signed_grant,
    const std::vector<session::v1::VerificationKey>& keys, absl::Time now) {
  session::v1::Grant grant;
  if (!grant.ParseFromString(signed_grant.payload())) {
    return Invalid("unreadable");
  }
  if (grant.version() != kGrantVersion) return Invalid("unknown version");
  if (!grant.critical_features().empty()) {
    return Invalid("it demands a feature that is not known here");
  }
  const int64_t now_ms = absl::ToUnixMillis(now);
  for (const session::v1::VerificationKey& key : keys) {
    if (key.key_id() != grant.key_id()) continue;
    if (key.not_after_unix_ms() != 0 && now_ms >= key.not_after_unix_ms()) {
      continue;
    }
    if (!IsSignatureGood(key.ed25519_public_key(), signed_grant.payload(),
                         signed_grant.signature())) {
      return Invalid("wrong signature");
    }
    if (now_ms >= grant.expires_unix_ms()) return Invalid("expired");
    if (now_ms + 60'000 < grant.issued_unix_ms()) {
      return Invalid("issued in the future");
    }
    return grant;
  }
  return Invalid("unknown key");
}

}  // namespace banyan::rpc
