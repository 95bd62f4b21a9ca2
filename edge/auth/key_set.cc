// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/key_set.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

template <typename Object, void (*kFree)(Object*)>
struct Freed {
  void operator()(Object* object) const { kFree(object); }
};
using Number = std::unique_ptr<BIGNUM, Freed<BIGNUM, BN_free>>;
using Builder =
    std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM, OSSL_PARAM_free>>;
using Context =
    std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX, EVP_PKEY_CTX_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX, EVP_MD_CTX_free>>;
using Key = std::shared_ptr<EVP_PKEY>;

// A member that is a text; empty when it is none.
std::string Text(const json& key, const char* name) {
  const auto found = key.find(name);
  return found != key.end() && found->is_string() ? found->get<std::string>()
                                                  : std::string();
}

// A member in base64url, decoded; empty when it is none.
std::string Bytes(const json& key, const char* name) {
  std::string bytes;
  return absl::WebSafeBase64Unescape(Text(key, name), &bytes) ? bytes : "";
}

const unsigned char* Data(absl::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Key FromParams(const char* type, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const Context context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (params == nullptr || context == nullptr ||
      EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY,
                        params.get()) != 1) {
    return nullptr;
  }
  return Key(key, EVP_PKEY_free);
}

Key RsaKey(const json& jwk) {
  const std::string n = Bytes(jwk, "n");
  const std::string e = Bytes(jwk, "e");
  // Shorter ones are broken, longer ones cost too much to check.
  if (n.size() < 256 || n.size() > 1024 || e.empty() || e.size() > 8) {
    return nullptr;
  }
  const Number modulus(BN_bin2bn(Data(n), static_cast<int>(n.size()), nullptr));
  const Number exponent(
      BN_bin2bn(Data(e), static_cast<int>(e.size()), nullptr));
  const Builder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get());
  return FromParams("RSA", builder.get());
}

Key P256Key(const json& jwk) {
  const std::string x = Bytes(jwk, "x");
  const std::string y = Bytes(jwk, "y");
  if (Text(jwk, "crv") != "P-256" || x.size() != 32 || y.size() != 32) {
    return nullptr;
  }
  const std::string point = absl::StrCat("\x04", x, y);
  const Builder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME,
                                  "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY,
                                   point.data(), point.size());
  return FromParams("EC", builder.get());
}

Key Ed25519Key(const json& jwk) {
  const std::string x = Bytes(jwk, "x");
  if (Text(jwk, "crv") != "Ed25519" || x.size() != 32) return nullptr;
  return Key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Data(x), x.size()),
      EVP_PKEY_free);
}

Key ToKey(const json& jwk) {
  // One that encrypts says nothing about who signed.
  if (jwk.contains("use") && Text(jwk, "use") != "sig") return nullptr;
  const std::string type = Text(jwk, "kty");
  if (type == "RSA") return RsaKey(jwk);
  if (type == "EC") return P256Key(jwk);
  if (type == "OKP") return Ed25519Key(jwk);
  return nullptr;
}

// JWS writes r and s side by side, OpenSSL reads them as DER.
std::string DerOf(absl::string_view signature) {
  if (signature.size() != 64) return "";
  ECDSA_SIG* const pair = ECDSA_SIG_new();
  ECDSA_SIG_set0(pair, BN_bin2bn(Data(signature), 32, nullptr),
                 BN_bin2bn(Data(signature.substr(32)), 32, nullptr));
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair, &der);
  std::string bytes(reinterpret_cast<const char*>(der),
                    size > 0 ? static_cast<size_t>(size) : 0);
  OPENSSL_free(der);
  ECDSA_SIG_free(pair);
  return bytes;
}

bool Verify(EVP_PKEY* key, const EVP_MD* hash, bool is_pss,
            absl::string_view text, absl::string_view signature) {
  const Digest digest(EVP_MD_CTX_new());
  EVP_PKEY_CTX* context = nullptr;
  if (EVP_DigestVerifyInit(digest.get(), &context, hash, nullptr, key) != 1) {
    return false;
  }
  if (is_pss &&
      (EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) != 1 ||
       EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) !=
           1)) {
    return false;
  }
  return EVP_DigestVerify(digest.get(), Data(signature), signature.size(),
                          Data(text), text.size()) == 1;
}

}  // namespace

absl::StatusOr<KeySet> KeySet::Parse(absl::string_view text) {
  const json set = json::parse(text.begin(), text.end(), nullptr,
                               /*allow_exceptions=*/false);
  if (!set.is_object() || !set.contains("keys") || !set["keys"].is_array()) {
    return absl::InvalidArgumentError("a key set is {\"keys\":[…]}");
  }
  KeySet keys;
  for (const json& jwk : set["keys"]) {
    if (!jwk.is_object()) continue;
    if (Key key = ToKey(jwk)) keys.keys_[Text(jwk, "kid")] = std::move(key);
  }
  if (keys.keys_.empty()) {
    return absl::InvalidArgumentError(
        "the key set has no RSA, P-256 or Ed25519 key");
  }
  return keys;
}

bool KeySet::Has(absl::string_view key_id) const {
  return keys_.find(key_id) != keys_.end();
}

bool KeySet::Verifies(absl::string_view key_id, absl::string_view algorithm,
                      absl::string_view text,
                      absl::string_view signature) const {
  const auto found = keys_.find(key_id);
  if (found == keys_.end()) return false;
  EVP_PKEY* const key = found->second.get();
  const int type = EVP_PKEY_get_base_id(key);
  if (algorithm == "RS256" || algorithm == "PS256") {
    return type == EVP_PKEY_RSA &&
           Verify(key, EVP_sha256(), algorithm == "PS256", text, signature);
  }
  if (algorithm == "ES256") {
    return type == EVP_PKEY_EC &&
           Verify(key, EVP_sha256(), false, text, DerOf(signature));
  }
  return algorithm == "EdDSA" && type == EVP_PKEY_ED25519 &&
         Verify(key, nullptr, false, text, signature);
}

}  // namespace banyan::edge
