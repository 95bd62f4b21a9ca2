// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/grant_signer.h"

#include <string>
#include <utility>
#include <vector>

#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {
namespace {

constexpr size_t kCachedGrants = 20'000;

// The clock may have been set back since: a grant from the future is not
// reused.
bool IsReusable(absl::Time issued, absl::Time now) {
  return issued <= now && now < issued + kGrantLife / 2;
}

}  // namespace

absl::StatusOr<GrantSigner> GrantSigner::Create(const KeyRing& ring,
                                                absl::Time now) {
  ASSIGN_OR_RETURN(rpc::GrantKey newest,
                   rpc::GrantKey::FromSeed(ring.newest().secret));
  std::vector<session::v1::VerificationKey> keys;
  for (const SecretKey& secret : ring.keys()) {
    ASSIGN_OR_RETURN(const rpc::GrantKey key,
                     rpc::GrantKey::FromSeed(secret.secret));
    session::v1::VerificationKey public_half = key.ToProto();
    if (!keys.empty()) {
      public_half.set_not_after_unix_ms(
          absl::ToUnixMillis(now + 2 * kGrantLife));
    }
    keys.push_back(std::move(public_half));
  }
  return GrantSigner(std::move(newest), std::move(keys));
}

GrantSigner::GrantSigner(rpc::GrantKey key,
                         std::vector<session::v1::VerificationKey> keys)
    : key_(std::move(key)), keys_(std::move(keys)) {}

GrantSigner::GrantSigner(GrantSigner&& other) noexcept
    : key_(std::move(other.key_)), keys_(std::move(other.keys_)) {}

session::v1::SignedGrant GrantSigner::Sign(session::v1::Grant grant,
                                           absl::Time now) {
  grant.clear_issued_unix_ms();
  grant.clear_expires_unix_ms();
  std::string content = grant.SerializeAsString();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = signed_.find(content);
    if (found != signed_.end() && IsReusable(found->second.issued, now)) {
      return found->second.grant;
    }
  }
  grant.set_issued_unix_ms(absl::ToUnixMillis(now));
  grant.set_expires_unix_ms(absl::ToUnixMillis(now + kGrantLife));
  session::v1::SignedGrant signed_grant = key_.Sign(std::move(grant));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (signed_.size() >= kCachedGrants) DropOld(now);
  signed_.insert_or_assign(std::move(content), Signed{signed_grant, now});
  return signed_grant;
}

void GrantSigner::DropOld(absl::Time now) {
  for (auto entry = signed_.begin(); entry != signed_.end();) {
    entry = IsReusable(entry->second.issued, now) ? std::next(entry)
                                                  : signed_.erase(entry);
  }
  // All are young: better to sign again than to grow.
  if (signed_.size() >= kCachedGrants) signed_.clear();
}

}  // namespace banyan::sessiond
