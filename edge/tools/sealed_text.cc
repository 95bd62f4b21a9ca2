// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/sealed_text.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

constexpr size_t kMacBytes = 16;
constexpr size_t kMaxKeyIdBytes = 64;

std::string Mac(absl::string_view secret, absl::string_view purpose,
                absl::string_view payload) {
  const std::string signed_text = absl::StrCat(purpose, "\n", payload);
  unsigned char mac[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(signed_text.data()),
       signed_text.size(), mac, &size);
  return std::string(reinterpret_cast<const char*>(mac), kMacBytes);
}

bool AreEqual(absl::string_view a, absl::string_view b) {
  return a.size() == b.size() &&
         CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

absl::StatusOr<std::string> Seal(absl::string_view purpose,
                                 absl::string_view text, EdgeKeys& keys,
                                 const rpc::CallContext& call) {
  ASSIGN_OR_RETURN(const EdgeKeys::Key key, keys.Newest(call));
  const std::string payload = absl::StrCat(key.key_id(), "\n", text);
  return absl::WebSafeBase64Escape(
      absl::StrCat(Mac(key.secret(), purpose, payload), payload));
}

absl::StatusOr<std::string> Unseal(absl::string_view purpose,
                                   absl::string_view sealed, EdgeKeys& keys,
                                   const rpc::CallContext& call) {
  const absl::Status not_ours =
      absl::InvalidArgumentError("not sealed by this server");
  std::string bytes;
  // The decoder is lenient; one text has one sealed form here.
  if (!absl::WebSafeBase64Unescape(sealed, &bytes) ||
      absl::WebSafeBase64Escape(bytes) != sealed || bytes.size() < kMacBytes) {
    return not_ours;
  }
  const absl::string_view mac = absl::string_view(bytes).substr(0, kMacBytes);
  const absl::string_view payload = absl::string_view(bytes).substr(kMacBytes);
  const size_t end = payload.find('\n');
  if (end == absl::string_view::npos || end > kMaxKeyIdBytes) return not_ours;
  ASSIGN_OR_RETURN(const EdgeKeys::Key key,
                   keys.Find(payload.substr(0, end), call));
  if (!AreEqual(mac, Mac(key.secret(), purpose, payload))) return not_ours;
  return std::string(payload.substr(end + 1));
}

}  // namespace banyan::edge
