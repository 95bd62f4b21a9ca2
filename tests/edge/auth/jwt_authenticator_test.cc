// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/jwt_authenticator.h"

#include <gmock/gmock.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <functional>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kIssuer[] = "https://id.example.org/realms/dev";
constexpr char kAudience[] = "https://code.example.org/mcp";

std::string Encode(absl::string_view bytes) {
  return absl::WebSafeBase64Escape(bytes);
}

// A key that signs, and its public half as a JWK.
class Signer {
 public:
  Signer(const char* type, std::string key_id)
      : type_(type), key_id_(std::move(key_id)) {
    if (type_ == "RSA") {
      key_.reset(EVP_RSA_gen(2048), EVP_PKEY_free);
    } else if (type_ == "EC") {
      key_.reset(EVP_EC_gen("P-256"), EVP_PKEY_free);
    } else {
      key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free);
    }
  }

  json Jwk() const {
    json jwk = {{"kid", key_id_}, {"use", "sig"}};
    if (type_ == "RSA") {
      jwk["kty"] = "RSA";
      jwk["n"] = Encode(Number(OSSL_PKEY_PARAM_RSA_N));
      jwk["e"] = Encode(Number(OSSL_PKEY_PARAM_RSA_E));
    } else if (type_ == "EC") {
      jwk["kty"] = "EC";
      jwk["crv"] = "P-256";
      jwk["x"] = Encode(Padded(Number(OSSL_PKEY_PARAM_EC_PUB_X)));
      jwk["y"] = Encode(Padded(Number(OSSL_PKEY_PARAM_EC_PUB_Y)));
    } else {
      unsigned char raw[32];
      size_t size = sizeof(raw);
      EVP_PKEY_get_raw_public_key(key_.get(), raw, &size);
      jwk["kty"] = "OKP";
      jwk["crv"] = "Ed25519";
      jwk["x"] =
          Encode(absl::string_view(reinterpret_cast<const char*>(raw), size));
    }
    return jwk;
  }

  std::string Sign(const json& claims, const std::string& algorithm,
                   json header = json::object()) const {
    header["alg"] = algorithm;
    header["kid"] = key_id_;
    const std::string text =
        absl::StrCat(Encode(header.dump()), ".", Encode(claims.dump()));
    return absl::StrCat(text, ".", Encode(SignatureOf(text, algorithm)));
  }

 private:
  std::string Number(const char* name) const {
    BIGNUM* number = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &number);
    std::string bytes(static_cast<size_t>(BN_num_bytes(number)), '\0');
    BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
    BN_free(number);
    return bytes;
  }
  static std::string Padded(std::string bytes) {
    return std::string(32 - bytes.size(), '\0') + bytes;
  }

  std::string SignatureOf(const std::string& text,
                          const std::string& algorithm) const {
    EVP_MD_CTX* const digest = EVP_MD_CTX_new();
    EVP_PKEY_CTX* context = nullptr;
    EVP_DigestSignInit(digest, &context,
                       type_ == "OKP" ? nullptr : EVP_sha256(), nullptr,
                       key_.get());
    if (algorithm == "PS256") {
      EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING);
      EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST);
    }
    const auto* data = reinterpret_cast<const unsigned char*>(text.data());
    size_t size = 0;
    EVP_DigestSign(digest, nullptr, &size, data, text.size());
    std::string signature(size, '\0');
    EVP_DigestSign(digest, reinterpret_cast<unsigned char*>(signature.data()),
                   &size, data, text.size());
    EVP_MD_CTX_free(digest);
    signature.resize(size);
    return type_ == "EC" ? SideBySide(signature) : signature;
  }

  static std::string SideBySide(const std::string& der) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
    ECDSA_SIG* const pair =
        d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size()));
    std::string both(64, '\0');
    auto* out = reinterpret_cast<unsigned char*>(both.data());
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), out, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), out + 32, 32);
    ECDSA_SIG_free(pair);
    return both;
  }

  const std::string type_;
  const std::string key_id_;
  std::shared_ptr<EVP_PKEY> key_;
};

class JwtAuthenticatorTest : public testing::Test {
 protected:
  JwtAuthenticatorTest() {
    keys_ = {rsa_.Jwk(), ec_.Jwk(), ed_.Jwk()};
    auto made = NewJwtAuthenticator(
        {.issuer = kIssuer,
         .audience = kAudience,
         .read_keys = [this]() -> absl::StatusOr<std::string> {
           ++reads_;
           during_read_();
           if (is_issuer_down_) return absl::UnavailableError("down");
           return json{{"keys", keys_}}.dump();
         },
         .now = [this] { return now_; }});
    authenticator_ = *std::move(made);
  }

  json Claims() const {
    return {{"iss", kIssuer},
            {"sub", "ana"},
            {"aud", kAudience},
            {"scope", "code:read code:write"},
            {"exp", absl::ToUnixSeconds(now_) + 300}};
  }

  absl::StatusOr<Authenticated> Bearing(const std::string& token) {
    PeerConnection connection(*SocketAddress::Parse("10.0.0.1:5000"),
                              *SocketAddress::Parse("10.0.0.2:8420"));
    return authenticator_->Authenticate(connection, "Bearer " + token);
  }

  void ExpectRefused(const std::string& token, const char* why) {
    EXPECT_THAT(Bearing(token),
                HasReason(rpc::v1::ERROR_REASON_UNAUTHENTICATED))
        << why;
  }

  const Signer rsa_{"RSA", "r1"};
  const Signer ec_{"EC", "e1"};
  const Signer ed_{"OKP", "d1"};
  std::vector<json> keys_;
  int reads_ = 0;
  bool is_issuer_down_ = false;
  std::function<void()> during_read_ = [] {};
  absl::Time now_ = absl::FromUnixSeconds(1800000000);
  std::unique_ptr<Authenticator> authenticator_;
};

TEST_F(JwtAuthenticatorTest, LetsEveryGoodAlgorithmIn) {
  for (const std::string& token :
       {rsa_.Sign(Claims(), "RS256"), rsa_.Sign(Claims(), "PS256"),
        ec_.Sign(Claims(), "ES256"), ed_.Sign(Claims(), "EdDSA")}) {
    ASSERT_OK_AND_ASSIGN(const Authenticated caller, Bearing(token));
    EXPECT_EQ(caller.principal.issuer(), kIssuer);
    EXPECT_EQ(caller.principal.subject(), "ana");
    EXPECT_THAT(caller.principal.scopes(),
                ElementsAre("code:read", "code:write"));
  }
}

TEST_F(JwtAuthenticatorTest, AlgorithmsThatProveNothingAreRefused) {
  const std::string token = rsa_.Sign(Claims(), "RS256");
  const std::string claims = Encode(Claims().dump());
  const std::string none = Encode(json{{"alg", "none"}, {"kid", "r1"}}.dump());
  ExpectRefused(absl::StrCat(none, ".", claims, "."), "alg none");
  ExpectRefused(rsa_.Sign(Claims(), "HS256"), "symmetric");
  ExpectRefused(ec_.Sign(Claims(), "RS256"), "another kind of key");
  ExpectRefused(rsa_.Sign(Claims(), "RS256", {{"crit", {"x"}}}), "crit");
}

TEST_F(JwtAuthenticatorTest, AChangedTokenIsRefused) {
  const std::string token = ed_.Sign(Claims(), "EdDSA");
  json forged = Claims();
  forged["sub"] = "admin";
  const size_t first = token.find('.');
  const size_t second = token.find('.', first + 1);
  ExpectRefused(absl::StrCat(token.substr(0, first + 1), Encode(forged.dump()),
                             token.substr(second)),
                "claims");
  ExpectRefused(token.substr(0, token.size() - 4), "short signature");
  ExpectRefused("a.b", "parts");
  ExpectRefused("", "nothing");
}

TEST_F(JwtAuthenticatorTest, ATokenForAnotherServerOrOfAnotherIssuerIsRefused) {
  json claims = Claims();
  claims["aud"] = "https://other.example.org/mcp";
  ExpectRefused(rsa_.Sign(claims, "RS256"), "audience");
  claims.erase("aud");
  ExpectRefused(rsa_.Sign(claims, "RS256"), "no audience");
  claims["aud"] = {"https://other.example.org/mcp", kAudience};
  EXPECT_THAT(Bearing(rsa_.Sign(claims, "RS256")), IsOk());
  claims["iss"] = "https://id.example.org/realms/dev/";
  ExpectRefused(rsa_.Sign(claims, "RS256"), "issuer");
}

TEST_F(JwtAuthenticatorTest, TimesHoldWithLittleLeeway) {
  json claims = Claims();
  claims["nbf"] = absl::ToUnixSeconds(now_) + 20;
  EXPECT_THAT(Bearing(rsa_.Sign(claims, "RS256")), IsOk());
  claims["nbf"] = absl::ToUnixSeconds(now_) + 61;
  ExpectRefused(rsa_.Sign(claims, "RS256"), "not yet");
  claims = Claims();
  claims.erase("exp");
  ExpectRefused(rsa_.Sign(claims, "RS256"), "no end");

  const std::string token = rsa_.Sign(Claims(), "RS256");
  ASSERT_OK_AND_ASSIGN(const Authenticated running, Bearing(token));
  now_ += absl::Seconds(320);
  EXPECT_TRUE(running.is_still_valid());
  now_ += absl::Seconds(20);
  ExpectRefused(token, "expired");
  EXPECT_FALSE(running.is_still_valid());
}

TEST_F(JwtAuthenticatorTest, ANewKeyIsFoundAndStrangersDoNotAskForIt) {
  const Signer next("OKP", "d2");
  const std::string token = next.Sign(Claims(), "EdDSA");
  EXPECT_EQ(reads_, 1);
  ExpectRefused(token, "unknown key, just read");
  EXPECT_EQ(reads_, 1) << "asked again at once";
  keys_.push_back(next.Jwk());
  now_ += absl::Seconds(31);
  EXPECT_THAT(Bearing(token), IsOk());
  EXPECT_EQ(reads_, 2);
}

TEST_F(JwtAuthenticatorTest, AnIssuerThatIsDownLeavesTheKnownKeys) {
  is_issuer_down_ = true;
  now_ += absl::Hours(2);
  EXPECT_THAT(Bearing(rsa_.Sign(Claims(), "RS256")), IsOk());
  EXPECT_EQ(reads_, 2);
}

TEST_F(JwtAuthenticatorTest, WhileTheKeysAreReadTheKnownOnesServe) {
  std::promise<void> is_reading;
  std::promise<void> release;
  now_ += absl::Hours(2);
  during_read_ = [&] {
    is_reading.set_value();
    release.get_future().wait();
  };
  const std::string token = rsa_.Sign(Claims(), "RS256");
  auto reader =
      std::async(std::launch::async, [&] { return Bearing(token).ok(); });
  is_reading.get_future().wait();
  EXPECT_THAT(Bearing(token), IsOk()) << "waited for the issuer";
  release.set_value();
  EXPECT_TRUE(reader.get());
}

TEST_F(JwtAuthenticatorTest, KeysWithOddMembersAreReadAsFarAsTheyGo) {
  json exported = rsa_.Jwk();
  exported["ext"] = true;
  json nameless = ec_.Jwk();
  nameless["kid"] = json::array({"e1"});
  json encrypting = ed_.Jwk();
  encrypting["use"] = "enc";
  keys_ = {exported, nameless, encrypting, json{{"kty", json::array()}}, 7};
  now_ += absl::Hours(2);
  EXPECT_THAT(Bearing(rsa_.Sign(Claims(), "RS256")), IsOk());
  EXPECT_EQ(reads_, 2);
  ExpectRefused(ec_.Sign(Claims(), "ES256"), "no text names this key");
  ExpectRefused(ed_.Sign(Claims(), "EdDSA"), "this key is to encrypt");
}

TEST_F(JwtAuthenticatorTest, SaysWhereTokensComeFrom) {
  for (const char* path : {"/.well-known/oauth-protected-resource",
                           "/.well-known/oauth-protected-resource/mcp"}) {
    const auto document = authenticator_->ResourceMetadata(path);
    ASSERT_TRUE(document.has_value()) << path;
    const json metadata = json::parse(*document);
    EXPECT_EQ(metadata["resource"], kAudience);
    EXPECT_EQ(metadata["authorization_servers"], json::array({kIssuer}));
  }
  EXPECT_FALSE(authenticator_->ResourceMetadata("/mcp").has_value());
  EXPECT_THAT(authenticator_->Challenge("insufficient_scope", "code:write"),
              HasSubstr("error=\"insufficient_scope\", scope=\"code:write\", "
                        "resource_metadata=\"https://code.example.org/"
                        ".well-known/oauth-protected-resource/mcp\""));
}

TEST_F(JwtAuthenticatorTest, ScopesMayBeAListToo) {
  json claims = Claims();
  claims.erase("scope");
  claims["scp"] = {"code:read"};
  ASSERT_OK_AND_ASSIGN(const Authenticated caller,
                       Bearing(rsa_.Sign(claims, "RS256")));
  EXPECT_THAT(caller.principal.scopes(), ElementsAre("code:read"));
}

TEST_F(JwtAuthenticatorTest, AnIssuerIsNotNamedLikeTheOtherAuthenticators) {
  for (const char* issuer : {"local", "tokens", ""}) {
    const auto made = NewJwtAuthenticator({.issuer = issuer,
                                           .audience = kAudience,
                                           .read_keys = [] { return "{}"; }});
    EXPECT_THAT(made, HasCode(absl::StatusCode::kInvalidArgument)) << issuer;
    EXPECT_THAT(made.status().message(), HasSubstr("--jwt_issuer"));
  }
}

}  // namespace
}  // namespace banyan::edge
