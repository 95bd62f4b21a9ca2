// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/jwt_authenticator.h"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "edge/auth/key_set.h"
#include "edge/auth/token_authenticator.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr size_t kMaxTokenBytes = 16 << 10;
constexpr char kWellKnown[] = "/.well-known/oauth-protected-resource";

absl::Status Refused(absl::string_view message) {
  return rpc::Error(rpc::v1::ERROR_REASON_UNAUTHENTICATED, message);
}

// The object that a part of a token holds; nullopt when it is none.
std::optional<json> ReadPart(absl::string_view part) {
  std::string text;
  if (!absl::WebSafeBase64Unescape(part, &text)) return std::nullopt;
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) return std::nullopt;
  return value;
}

std::string Text(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

// A NumericDate of RFC 7519; nullopt when it is none.
std::optional<absl::Time> TimeOf(const json& claims, const char* name) {
  const auto found = claims.find(name);
  if (found == claims.end() || !found->is_number()) return std::nullopt;
  return absl::UnixEpoch() + absl::Seconds(found->get<double>());
}

bool IsFor(const json& claims, const std::string& audience) {
  const auto found = claims.find("aud");
  if (found == claims.end()) return false;
  if (found->is_string()) return *found == audience;
  if (!found->is_array()) return false;
  return std::find(found->begin(), found->end(), json(audience)) !=
         found->end();
}

std::vector<std::string> ScopesOf(const json& claims) {
  const auto list = claims.find("scp");
  if (list != claims.end() && list->is_array()) {
    std::vector<std::string> scopes;
    for (const json& scope : *list) {
      if (scope.is_string()) scopes.push_back(scope.get<std::string>());
    }
    return scopes;
  }
  const std::string text =
      claims.contains("scope") ? Text(claims, "scope") : Text(claims, "scp");
  return absl::StrSplit(text, ' ', absl::SkipEmpty());
}

// Scheme and host of a URL.
std::string OriginOf(absl::string_view url) {
  const size_t host = url.find("://");
  if (host == absl::string_view::npos) return "";
  return std::string(url.substr(0, url.find('/', host + 3)));
}

class JwtAuthenticator final : public Authenticator {
 public:
  explicit JwtAuthenticator(JwtAuthenticatorOptions options)
      : options_(std::move(options)),
        origin_(OriginOf(options_.audience)),
        path_(options_.audience.substr(origin_.size())) {}

  absl::Status ReadFirst() {
    read_ = options_.now();
    ASSIGN_OR_RETURN(keys_, Read());
    return absl::OkStatus();
  }

  absl::StatusOr<Authenticated> Authenticate(
      PeerConnection&, absl::string_view authorization) override {
    const absl::string_view token = BearerToken(authorization);
    if (token.empty()) {
      return Refused("this server needs a token of its authorization server");
    }
    ASSIGN_OR_RETURN(const json claims, Verify(token));
    const absl::Time now = options_.now();
    const auto expires = TimeOf(claims, "exp");
    if (!expires.has_value() || *expires + options_.leeway <= now) {
      return Refused("the token has expired");
    }
    const auto begins = TimeOf(claims, "nbf");
    if (begins.has_value() && *begins - options_.leeway > now) {
      return Refused("the token is not good yet");
    }
    if (Text(claims, "iss") != options_.issuer) {
      return Refused("the token is another issuer's");
    }
    if (!IsFor(claims, options_.audience)) {
      return Refused("the token is for another server");
    }
    Authenticated caller;
    caller.principal.set_issuer(options_.issuer);
    caller.principal.set_subject(Text(claims, "sub"));
    if (caller.principal.subject().empty()) {
      return Refused("the token names no subject");
    }
    for (std::string& scope : ScopesOf(claims)) {
      caller.principal.add_scopes(std::move(scope));
    }
    caller.is_still_valid = [now = options_.now,
                             until = *expires + options_.leeway] {
      return now() < until;
    };
    return caller;
  }

  std::string Challenge(absl::string_view error,
                        absl::string_view scope) const override {
    std::string challenge = "Bearer ";
    if (!error.empty()) absl::StrAppend(&challenge, "error=\"", error, "\", ");
    if (!scope.empty()) absl::StrAppend(&challenge, "scope=\"", scope, "\", ");
    return absl::StrCat(challenge, "resource_metadata=\"", origin_, kWellKnown,
                        path_, "\"");
  }

  std::optional<std::string> ResourceMetadata(
      absl::string_view path) const override {
    if (path != kWellKnown && path != absl::StrCat(kWellKnown, path_)) {
      return std::nullopt;
    }
    return json{{"resource", options_.audience},
                {"authorization_servers", {options_.issuer}},
                {"scopes_supported", {"code:read", "code:write"}},
                {"bearer_methods_supported", {"header"}},
                {"resource_name", "Banyan"}}
        .dump();
  }

  bool IsLoopbackOnly() const override { return false; }

 private:
  // The claims of a token whose signature holds.
  absl::StatusOr<json> Verify(absl::string_view token) {
    const absl::Status malformed = Refused("the token is no JWT of ours");
    if (token.size() > kMaxTokenBytes) return malformed;
    const std::vector<absl::string_view> parts = absl::StrSplit(token, '.');
    if (parts.size() != 3) return malformed;
    const auto header = ReadPart(parts[0]);
    const auto claims = ReadPart(parts[1]);
    std::string signature;
    if (!header.has_value() || !claims.has_value() ||
        !absl::WebSafeBase64Unescape(parts[2], &signature) ||
        header->contains("crit")) {
      return malformed;
    }
    const std::string key_id = Text(*header, "kid");
    const std::shared_ptr<const KeySet> keys = KeysWith(key_id);
    const absl::string_view signed_text =
        token.substr(0, parts[0].size() + 1 + parts[1].size());
    if (!keys->Verifies(key_id, Text(*header, "alg"), signed_text, signature)) {
      return Refused("the token's signature does not hold");
    }
    return *claims;
  }

  // One caller reads them anew; the others do not wait for the issuer.
  std::shared_ptr<const KeySet> KeysWith(absl::string_view key_id) {
    {
      const std::lock_guard lock(mutex_);
      if (!IsReadDueLocked(key_id)) return keys_;
      read_ = options_.now();
    }
    auto keys = Read();
    const std::lock_guard lock(mutex_);
    if (keys.ok()) {
      keys_ = *std::move(keys);
    } else {
      rpc::Log({.level = rpc::LogLevel::kError,
                .event = "keys_unreadable",
                .message = absl::StrCat("[Auth] The issuer's keys cannot be "
                                        "read, the old ones hold: ",
                                        keys.status().message())});
    }
    return keys_;
  }

  // REQUIRES: mutex_ is held.
  bool IsReadDueLocked(absl::string_view key_id) const {
    // Whichever way somebody set the clock.
    const absl::Duration age = absl::AbsDuration(options_.now() - read_);
    if (keys_->Has(key_id)) return age >= options_.read_again_after;
    // Strangers' key ids do not make us ask the issuer all the time.
    return age >= options_.read_at_most_every;
  }

  absl::StatusOr<std::shared_ptr<const KeySet>> Read() const {
    ASSIGN_OR_RETURN(const std::string text, options_.read_keys());
    ASSIGN_OR_RETURN(KeySet keys, KeySet::Parse(text));
    return std::make_shared<const KeySet>(std::move(keys));
  }

  const JwtAuthenticatorOptions options_;
  const std::string origin_;
  const std::string path_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::shared_ptr<const KeySet> keys_;
  absl::Time read_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Authenticator>> NewJwtAuthenticator(
    JwtAuthenticatorOptions options) {
  // An issuer that is a URL is none of the names that other authenticators give
  // to theirs.
  if (OriginOf(options.issuer).empty() || OriginOf(options.audience).empty()) {
    return absl::InvalidArgumentError(
        "tokens of an issuer need --jwt_issuer, its URL, and --jwt_audience, "
        "the URL that clients use: https://code.example.org/mcp");
  }
  options.leeway = std::min(options.leeway, absl::Seconds(60));
  auto authenticator = std::make_unique<JwtAuthenticator>(std::move(options));
  RETURN_IF_ERROR(authenticator->ReadFirst());
  return authenticator;
}

}  // namespace banyan::edge
