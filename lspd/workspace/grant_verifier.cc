// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/grant_verifier.h"

#include <time.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

absl::Status Invalid(absl::string_view what) {
  return rpc::Error(rpc::v1::ERROR_REASON_GRANT_INVALID,
                    absl::StrCat("the grant is not valid: ", what));
}

absl::Status Silent() {
  rpc::v1::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE);
  detail.set_retry_after_ms(2000);
  return rpc::Error(detail,
                    "the session daemon has been out of reach for too long to "
                    "know what was revoked; retry in a few seconds");
}

std::string DigestOf(const session::v1::SignedGrant& signed_grant) {
  return rpc::HashId(absl::StrCat(signed_grant.payload().size(), ":",
                                  signed_grant.payload(),
                                  signed_grant.signature()));
}

}  // namespace

absl::Time BootTime() {
  timespec now;
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return absl::TimeFromTimespec(now);
}

GrantVerifier::GrantVerifier(Options options) : options_(std::move(options)) {}

absl::StatusOr<session::v1::Grant> GrantVerifier::Verify(
    const session::v1::SignedGrant& signed_grant) {
  std::string digest = DigestOf(signed_grant);
  std::vector<session::v1::VerificationKey> keys;
  absl::Time now;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (IsSilent()) return Silent();
    now = SessiondNow();
    const auto known = verdicts_.find(digest);
    if (known != verdicts_.end()) {
      if (absl::ToUnixMillis(now) >= known->second.expires_unix_ms()) {
        return Invalid("expired");
      }
      if (IsRevokedLocked(known->second.handle_hash())) {
        return Invalid("its workspace was released or revoked");
      }
      return known->second;
    }
    keys = keys_;
  }
  ASSIGN_OR_RETURN(session::v1::Grant grant,
                   rpc::VerifyGrant(signed_grant, keys, now));

  const std::lock_guard<std::mutex> lock(mutex_);
  highest_epoch_ = std::max(highest_epoch_, grant.epoch());
  // A key may have gone while the signature was looked at.
  const bool has_key = std::any_of(
      keys_.begin(), keys_.end(),
      [&](const auto& key) { return key.key_id() == grant.key_id(); });
  if (has_key) Remember(std::move(digest), grant);
  if (IsRevokedLocked(grant.handle_hash())) {
    return Invalid("its workspace was released or revoked");
  }
  return grant;
}

bool GrantVerifier::IsRevoked(absl::string_view handle_hash) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return IsSilent() || IsRevokedLocked(handle_hash);
}

rpc::CallContext GrantVerifier::WatchRevocation(const session::v1::Grant& grant,
                                                rpc::CallContext call) const {
  call.is_cancelled = [this, handle_hash = grant.handle_hash(),
                       is_cancelled = std::move(call.is_cancelled)] {
    return is_cancelled() || IsRevoked(handle_hash);
  };
  return call;
}

int64_t GrantVerifier::highest_epoch() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return highest_epoch_;
}

void GrantVerifier::SetKeys(std::vector<session::v1::VerificationKey> keys) {
  const std::lock_guard<std::mutex> lock(mutex_);
  keys_ = std::move(keys);
  // What a key vouched for goes with it.
  verdicts_.clear();
  verdict_order_.clear();
}

void GrantVerifier::SetClock(absl::Time sessiond_now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  heard_at_ = options_.clock();
  heard_ = sessiond_now;
  for (auto entry = revoked_.begin(); entry != revoked_.end();) {
    const bool is_old = heard_at_ - entry->second > options_.revocations_kept;
    if (is_old) {
      revoked_.erase(entry++);
    } else {
      ++entry;
    }
  }
}

void GrantVerifier::Revoke(absl::string_view handle_hash) {
  std::string session;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    revoked_[std::string(handle_hash)] = options_.clock();
    const auto seen = sessions_.find(handle_hash);
    if (seen == sessions_.end()) return;
    session = std::move(seen->second);
    sessions_.erase(seen);
  }
  options_.on_ended(session);
}

absl::Time GrantVerifier::SessiondNow() const {
  return heard_ + (options_.clock() - heard_at_);
}

bool GrantVerifier::IsSilent() const {
  return options_.clock() - heard_at_ > options_.longest_silence;
}

bool GrantVerifier::IsRevokedLocked(absl::string_view handle_hash) const {
  // Bindings by project name have no handle to revoke.
  return !handle_hash.empty() && revoked_.contains(handle_hash);
}

void GrantVerifier::Remember(std::string digest,
                             const session::v1::Grant& grant) {
  if (!verdicts_.emplace(digest, grant).second) return;
  verdict_order_.push_back(std::move(digest));
  if (!grant.handle_hash().empty()) {
    sessions_[grant.handle_hash()] = grant.session_public_id();
  }
  if (verdicts_.size() > options_.cached_verdicts) {
    verdicts_.erase(verdict_order_.front());
    verdict_order_.pop_front();
  }
}

}  // namespace banyan::lspd
