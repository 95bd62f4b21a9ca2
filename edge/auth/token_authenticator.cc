// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/token_authenticator.h"

#include <sys/stat.h>

#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "edge/auth/token_file.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

absl::Status Refused(absl::string_view message) {
  return rpc::Error(rpc::v1::ERROR_REASON_UNAUTHENTICATED, message);
}

// The tokens of the file as they are now. Thread-safe.
class KnownTokens {
 public:
  explicit KnownTokens(TokenAuthenticatorOptions options)
      : options_(std::move(options)) {}

  absl::Status ReadFirst() {
    const std::lock_guard lock(mutex_);
    stamp_ = Stamp();
    looked_ = options_.now();
    ASSIGN_OR_RETURN(entries_, ReadTokenFile(options_.path));
    return absl::OkStatus();
  }

  // nullopt: unknown, revoked or expired.
  std::optional<TokenEntry> Find(absl::string_view token) {
    const std::lock_guard lock(mutex_);
    RefreshLocked();
    const TokenEntry* entry = FindToken(entries_, token);
    if (entry == nullptr || entry->expires <= options_.now()) {
      return std::nullopt;
    }
    return *entry;
  }

  // Whether the token that had this hash is good still.
  bool IsGood(const std::string& hash) {
    const std::lock_guard lock(mutex_);
    RefreshLocked();
    for (const TokenEntry& entry : entries_) {
      if (entry.sha256 == hash) return entry.expires > options_.now();
    }
    return false;
  }

 private:
  using FileStamp = std::tuple<ino_t, off_t, time_t, long>;

  FileStamp Stamp() const {
    struct stat file = {};
    if (::stat(options_.path.c_str(), &file) != 0) return {};
    return {file.st_ino, file.st_size, file.st_mtim.tv_sec,
            file.st_mtim.tv_nsec};
  }

  // REQUIRES: mutex_ is held.
  void RefreshLocked() {
    const absl::Time now = options_.now();
    // Whichever way somebody set the clock.
    if (absl::AbsDuration(now - looked_) < options_.look_every) return;
    looked_ = now;
    const FileStamp stamp = Stamp();
    if (stamp == stamp_) return;
    auto entries = ReadTokenFile(options_.path);
    if (!entries.ok()) {
      rpc::Log({.level = rpc::LogLevel::kError,
                .event = "tokens_unreadable",
                .message = absl::StrCat("[Auth] The tokens file is unusable, "
                                        "its old content holds: ",
                                        entries.status().message())});
      return;
    }
    stamp_ = stamp;
    entries_ = *std::move(entries);
    rpc::Log(
        {.event = "tokens_read",
         .message = absl::StrCat("[Auth] Tokens read: ", entries_.size())});
  }

  const TokenAuthenticatorOptions options_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<TokenEntry> entries_;
  FileStamp stamp_;
  absl::Time looked_;
};

class TokenAuthenticator final : public Authenticator {
 public:
  explicit TokenAuthenticator(std::shared_ptr<KnownTokens> tokens)
      : tokens_(std::move(tokens)) {}

  absl::StatusOr<Authenticated> Authenticate(
      PeerConnection&, absl::string_view authorization) override {
    const absl::string_view token = BearerToken(authorization);
    if (token.empty()) {
      return Refused(
          "this server needs a token: send Authorization: Bearer …; whoever "
          "runs it makes one with `banyan token create`");
    }
    const auto entry = tokens_->Find(token);
    if (!entry.has_value()) {
      return Refused("the token is unknown, revoked or expired");
    }
    Authenticated caller;
    caller.principal.set_issuer("tokens");
    caller.principal.set_subject(entry->subject);
    for (const std::string& scope : entry->scopes) {
      caller.principal.add_scopes(scope);
    }
    for (const std::string& root : entry->allowed_roots) {
      caller.principal.add_allowed_roots(root);
    }
    caller.is_still_valid = [tokens = tokens_, hash = entry->sha256] {
      return tokens->IsGood(hash);
    };
    return caller;
  }

  bool IsLoopbackOnly() const override { return false; }

 private:
  const std::shared_ptr<KnownTokens> tokens_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Authenticator>> NewTokenAuthenticator(
    TokenAuthenticatorOptions options) {
  auto tokens = std::make_shared<KnownTokens>(std::move(options));
  RETURN_IF_ERROR(tokens->ReadFirst());
  return std::make_unique<TokenAuthenticator>(std::move(tokens));
}

absl::string_view BearerToken(absl::string_view authorization) {
  constexpr absl::string_view kScheme = "bearer ";
  if (!absl::StartsWithIgnoreCase(authorization, kScheme)) return "";
  return absl::StripAsciiWhitespace(authorization.substr(kScheme.size()));
}

}  // namespace banyan::edge
