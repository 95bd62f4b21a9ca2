// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/record_seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::sessiond {
namespace {

constexpr size_t kSealBytes = 32;

// Lengths keep neighbouring fields apart.
std::string ToMessage(const Record& record) {
  return absl::StrCat(static_cast<int>(record.kind), ":", record.version, ":",
                      record.is_over ? 1 : 0, ":", record.key.size(), ":",
                      record.key, record.principal.size(), ":",
                      record.principal, record.body);
}

std::string Hmac(const std::string& key, const std::string& message) {
  std::string seal(kSealBytes, '\0');
  unsigned int length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(),
       reinterpret_cast<unsigned char*>(seal.data()), &length);
  return seal;
}

}  // namespace

std::string RecordSeal::Make(const Record& record) const {
  return Hmac(keys_.front(), ToMessage(record));
}

bool RecordSeal::Fits(const Record& record, absl::string_view seal) const {
  if (seal.size() != kSealBytes) return false;
  const std::string message = ToMessage(record);
  return std::any_of(keys_.begin(), keys_.end(), [&](const std::string& key) {
    return CRYPTO_memcmp(Hmac(key, message).data(), seal.data(), kSealBytes) ==
           0;
  });
}

}  // namespace banyan::sessiond
