// SPDX-License-Identifier: Apache-2.0
#include "sessiond/leases/root_leases.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/paths/path_policy.h"

namespace banyan::sessiond {
namespace {

// A root whose claim was good longer ago is given up, so that its lspd knows
// before another one can take it.
constexpr absl::Duration kUnclaimedLimit = absl::Seconds(60);
static_assert(kUnclaimedLimit < RootClaims::kLife);

}  // namespace

RootLeases::RootLeases(Options options, absl::Time now, RootClaims* claims)
    : options_(options),
      claims_(claims),
      last_epoch_(absl::ToUnixMillis(now)) {}

RootLeases::Connected RootLeases::Connect(const std::string& name,
                                          const std::string& address,
                                          int64_t highest_epoch,
                                          const std::vector<std::string>& roots,
                                          absl::Time now,
                                          LossListener on_loss) {
  std::map<std::string, int64_t> claimed;  // Epochs of those that may be kept.
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_epoch_ = std::max(last_epoch_, highest_epoch);
  }
  for (const std::string& root : roots) {
    const absl::StatusOr<std::string> clean = CleanRoot(root);
    if (!clean.ok()) continue;
    const auto claim = Claim(*clean, address, now);
    if (claim.ok() && claim->is_ours) claimed[*clean] = claim->epoch;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  DropLost(now);
  holders_[name] = {.address = address,
                    .connection = ++last_connection_,
                    .on_loss = std::move(on_loss)};
  Connected answer;
  answer.connection = {name, last_connection_};
  for (const auto& [root, epoch] : claimed) {
    // After a restart of ours nobody owns anything: whoever says that it has
    // held a root gets it.
    const auto [held, is_new] = held_.try_emplace(root);
    if (is_new) {
      held->second = {.owner = name,
                      .epoch = epoch != 0 ? epoch : ++last_epoch_};
    }
    if (held->second.owner != name) continue;
    // It may have taken the claim anew through another daemon meanwhile.
    held->second.epoch = std::max(held->second.epoch, epoch);
    held->second.claimed = now;
    answer.kept.push_back(Describe(root, held->second));
    answer.kept.back().is_granted = true;
  }
  // What it does not name any more it has let go.
  for (auto held = held_.begin(); held != held_.end();) {
    const bool is_named = std::any_of(
        answer.kept.begin(), answer.kept.end(),
        [&](const RootLease& lease) { return lease.root == held->first; });
    const bool is_let_go = held->second.owner == name && !is_named;
    held = is_let_go ? held_.erase(held) : std::next(held);
  }
  return answer;
}

absl::StatusOr<RootLease> RootLeases::Acquire(const Connection& connection,
                                              absl::string_view root,
                                              absl::Time now) {
  ASSIGN_OR_RETURN(const std::string clean, CleanRoot(root));
  std::string address;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    DropLost(now);
    if (!IsNewest(connection)) {
      return rpc::Error(rpc::v1::ERROR_REASON_GRANT_INVALID,
                        "another stream has registered under this name");
    }
    const auto found = held_.find(clean);
    if (found != held_.end() && found->second.owner != connection.name &&
        !IsFree(found->second, now)) {
      return Describe(clean, found->second);
    }
    address = holders_.at(connection.name).address;
  }
  ASSIGN_OR_RETURN(const RootClaims::Claim claim, Claim(clean, address, now));
  if (!claim.is_ours) {
    return RootLease{
        .root = clean, .address = claim.address, .epoch = claim.epoch};
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  Held& held = held_[clean];
  // Another one of ours may have been quicker while we asked.
  if (held.owner != connection.name && !held.owner.empty() &&
      !IsFree(held, now)) {
    return Describe(clean, held);
  }
  if (held.owner != connection.name) {
    held = {.owner = connection.name,
            .epoch = claim.epoch != 0 ? claim.epoch : ++last_epoch_};
  }
  held.epoch = std::max(held.epoch, claim.epoch);
  held.claimed = now;
  RootLease lease = Describe(clean, held);
  lease.is_granted = true;
  return lease;
}

void RootLeases::Release(const Connection& connection, absl::string_view root) {
  std::string address;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!IsNewest(connection)) return;
    const auto found = held_.find(root);
    if (found == held_.end() || found->second.owner != connection.name) return;
    held_.erase(found);
    address = holders_.at(connection.name).address;
  }
  DropClaims({std::string(root)}, address);
}

void RootLeases::RenewClaims(absl::Time now) {
  if (claims_ == nullptr) return;
  std::vector<RootLease> held;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [root, one] : held_) {
      const auto holder = holders_.find(one.owner);
      if (holder == holders_.end() || holder->second.lost_at.has_value()) {
        continue;
      }
      held.push_back(Describe(root, one));
    }
  }
  for (const RootLease& lease : held) {
    const auto claim = claims_->Renew(lease.root, lease.address, lease.epoch);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = held_.find(lease.root);
    const bool is_as_it_was = found != held_.end() &&
                              found->second.owner == lease.owner &&
                              found->second.epoch == lease.epoch;
    if (!is_as_it_was) continue;
    if (claim.ok() && claim->is_ours) {
      found->second.claimed = now;
      continue;
    }
    if (!claim.ok() && now < found->second.claimed + kUnclaimedLimit) continue;
    RootLease lost{.root = lease.root};
    if (claim.ok()) lost.address = claim->address;
    held_.erase(found);
    const auto holder = holders_.find(lease.owner);
    if (holder != holders_.end() && holder->second.on_loss) {
      holder->second.on_loss(lost);
    }
  }
}

void RootLeases::Disconnect(const Connection& connection, absl::Time now) {
  std::vector<std::string> roots;
  std::string address;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!IsNewest(connection)) return;
    holders_.at(connection.name).lost_at = now;
    holders_.at(connection.name).on_loss = nullptr;
    address = holders_.at(connection.name).address;
    for (const auto& [root, held] : held_) {
      if (held.owner == connection.name) roots.push_back(root);
    }
  }
  DropClaims(roots, address);
}

// Without other daemons everything is ours; the epoch is then given here. The
// time in milliseconds is above every epoch that claims have forgotten.
absl::StatusOr<RootClaims::Claim> RootLeases::Claim(const std::string& root,
                                                    const std::string& address,
                                                    absl::Time now) {
  if (claims_ == nullptr) return RootClaims::Claim{.is_ours = true};
  int64_t highest = absl::ToUnixMillis(now);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    highest = std::max(highest, last_epoch_);
  }
  return claims_->Take(root, address, highest);
}

void RootLeases::DropClaims(const std::vector<std::string>& roots,
                            const std::string& address) {
  if (claims_ == nullptr) return;
  for (const std::string& root : roots) claims_->Drop(root, address);
}

std::optional<RootLease> RootLeases::OwnerOf(absl::string_view root,
                                             absl::Time now) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = held_.find(root);
  if (found == held_.end() || IsFree(found->second, now)) return std::nullopt;
  return Describe(found->first, found->second);
}

bool RootLeases::IsNewest(const Connection& connection) const {
  const auto found = holders_.find(connection.name);
  return found != holders_.end() &&
         found->second.connection == connection.number;
}

bool RootLeases::IsFree(const Held& held, absl::Time now) const {
  const auto holder = holders_.find(held.owner);
  if (holder == holders_.end()) return true;
  return holder->second.lost_at.has_value() &&
         now >= *holder->second.lost_at + options_.takeover_delay;
}

RootLease RootLeases::Describe(const std::string& root,
                               const Held& held) const {
  const auto holder = holders_.find(held.owner);
  return {.root = root,
          .owner = held.owner,
          .address = holder == holders_.end() ? "" : holder->second.address,
          .epoch = held.epoch};
}

void RootLeases::DropLost(absl::Time now) {
  for (auto holder = holders_.begin(); holder != holders_.end();) {
    const auto& [name, state] = *holder;
    const absl::Duration wait =
        std::max(options_.return_grace, options_.takeover_delay);
    if (!state.lost_at.has_value() || now < *state.lost_at + wait) {
      ++holder;
      continue;
    }
    for (auto held = held_.begin(); held != held_.end();) {
      held = held->second.owner == name ? held_.erase(held) : std::next(held);
    }
    holder = holders_.erase(holder);
  }
}

}  // namespace banyan::sessiond
