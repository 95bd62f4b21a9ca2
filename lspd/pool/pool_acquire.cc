// SPDX-License-Identifier: Apache-2.0
//
// The way of one caller through the pool: find the place, wait, lease.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "lspd/pool/leasing_pool.h"
#include "lspd/pool/pool_log.h"
#include "lspd/pool/pooling_policy.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// How long a waiting caller may sleep before it looks whether anybody still
// wants its answer.
constexpr absl::Duration kPoll = absl::Milliseconds(50);

absl::Status Down(absl::string_view message, absl::Duration retry_after) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_SERVER_DOWN);
  detail.set_retry_after_ms(absl::ToInt64Milliseconds(retry_after));
  return rpc::Error(std::move(detail), message);
}

}  // namespace

absl::StatusOr<ServerLease> LeasingPool::Acquire(const AcquireRequest& request,
                                                 const rpc::CallContext& call) {
  ASSIGN_OR_RETURN(InstalledServer installed,
                   request.server.empty()
                       ? installed_.ForLanguage(request.language)
                       : installed_.ById(request.server));
  Visit visit = {request, call, std::move(installed)};
  Lock lock(mutex_);
  while (true) {
    Outcome outcome = VisitLocked(visit);
    if (outcome.has_value()) return *std::move(outcome);
    RETURN_IF_ERROR(WaitLocked(lock, call, visit.installed.entry->language()));
  }
}

LeasingPool::Outcome LeasingPool::VisitLocked(Visit& visit) {
  if (is_shut_down_) {
    return Down("language servers are being shut down", absl::Seconds(5));
  }
  PoolSlot& slot = SlotForLocked(visit);
  slot.roots[visit.request.root].last_used = Now();
  switch (slot.state) {
    case PoolSlot::State::kRunning:
      // One that just died is moved on by OnDeath() in a moment.
      if (slot.is_draining || !slot.server->is_alive()) return std::nullopt;
      return LeaseLocked(slot, visit.request);
    case PoolSlot::State::kEmpty:
      return VisitEmptyLocked(visit, slot);
    case PoolSlot::State::kStarting:
      visit.awaited_generation = slot.generation;
      return std::nullopt;
    case PoolSlot::State::kStopping:
      return std::nullopt;
  }
  return std::nullopt;
}

LeasingPool::Outcome LeasingPool::VisitEmptyLocked(Visit& visit,
                                                   PoolSlot& slot) {
  if (slot.failed_generation == visit.awaited_generation &&
      !slot.failure.ok()) {
    return slot.failure;
  }
  const absl::Duration pause = slot.restart_policy.NextStart(Now()) - Now();
  if (pause > absl::ZeroDuration()) {
    const bool is_too_long = pause > options_.longest_pause ||
                             absl::Now() + pause > visit.call.deadline;
    if (!is_too_long) return std::nullopt;
    return Down(
        absl::StrCat(slot.entry().id(), " died too often lately",
                     slot.failure.ok() ? "" : " (", slot.failure.message(),
                     slot.failure.ok() ? "" : ")", "; it is tried again in ",
                     absl::ToInt64Seconds(pause) + 1, " s"),
        pause);
  }
  if (!HasRoomLocked()) return FullLocked();
  // Room may be on its way: a server that is being stopped still counts.
  const auto running = std::count_if(
      slots_.begin(), slots_.end(), [](const Slots::value_type& each) {
        return each.second->state != PoolSlot::State::kEmpty;
      });
  if (running >= options_.max_servers) return std::nullopt;
  StartLocked(slot);
  visit.awaited_generation = slot.generation;
  return std::nullopt;
}

absl::Status LeasingPool::WaitLocked(Lock& lock, const rpc::CallContext& call,
                                     absl::string_view language) {
  if (call.is_cancelled()) {
    return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "the call was given up");
  }
  const absl::Time now = absl::Now();
  if (now >= call.deadline) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_DEADLINE,
        absl::StrCat("the ", language,
                     " server is still starting; ask again in a moment"));
  }
  changed_.wait_until(lock,
                      absl::ToChronoTime(std::min(call.deadline, now + kPoll)));
  return absl::OkStatus();
}

PoolSlot& LeasingPool::SlotForLocked(const Visit& visit) {
  const ServerEntry& entry = *visit.installed.entry;
  const auto chosen = options_.policies.find(entry.id());
  absl::StatusOr<lsp::v1::PoolingPolicy> policy =
      EffectivePolicy(entry, chosen == options_.policies.end()
                                 ? lsp::v1::POOLING_POLICY_UNSPECIFIED
                                 : chosen->second);
  // CheckPolicies() refused such a choice at the start.
  if (!policy.ok()) policy = entry.policy();

  const AcquireRequest& request = visit.request;
  const std::string key =
      PoolKey(visit.installed, *policy,
              {request.root, request.trust_domain, request.project_settings});
  // Where it is already, though a place before that has room by now.
  for (auto at = slots_.lower_bound(key);
       at != slots_.end() && absl::StartsWith(at->first, key); ++at) {
    if (at->second->roots.count(request.root) > 0) return *at->second;
  }
  const size_t max_roots = MaxRoots(entry, *policy);
  for (int ordinal = 1;; ++ordinal) {
    const std::string name =
        ordinal == 1 ? key : absl::StrCat(key, "-", ordinal);
    std::unique_ptr<PoolSlot>& slot = slots_[name];
    if (slot == nullptr) {
      slot = std::make_unique<PoolSlot>();
      slot->key = name;
      slot->installed = visit.installed;
      slot->policy = *policy;
      return *slot;
    }
    if (slot->roots.size() < max_roots) return *slot;
  }
}

ServerLease LeasingPool::LeaseLocked(PoolSlot& slot,
                                     const AcquireRequest& request) {
  const absl::Time now = Now();
  RootUse& use = slot.roots[request.root];
  ++use.leases;
  use.last_used = now;
  const std::string& session = request.session_public_id;
  if (!session.empty()) {
    const bool is_new = use.sessions.count(session) == 0;
    use.sessions[session] = now;
    if (is_new) LogAcquired(slot, request.root, session);
  }
  // Only queues a message, if anything. Its failure shows at the first question.
  slot.server->AddRoot(request.root).IgnoreError();
  return ServerLease(
      slot.server, request.root, slot.generation,
      [this, key = slot.key, generation = slot.generation, root = request.root,
       session] { GiveBack(key, generation, root, session); });
}

void LeasingPool::GiveBack(const std::string& key, int64_t generation,
                           const std::string& root,
                           const std::string& session) {
  Lock lock(mutex_);
  const auto slot = slots_.find(key);
  if (slot == slots_.end() || slot->second->generation != generation) return;
  const auto use = slot->second->roots.find(root);
  if (use == slot->second->roots.end()) return;
  if (use->second.leases > 0) --use->second.leases;
  use->second.last_used = Now();
  const auto attached = use->second.sessions.find(session);
  if (attached != use->second.sessions.end()) attached->second = Now();
}

bool LeasingPool::HasRoomLocked() {
  int held = 0;
  PoolSlot* oldest = nullptr;
  bool is_one_stopping = false;
  for (auto& [key, slot] : slots_) {
    if (slot->state == PoolSlot::State::kEmpty) continue;
    ++held;
    if (slot->state == PoolSlot::State::kStopping) is_one_stopping = true;
    if (slot->state == PoolSlot::State::kRunning && slot->leases() == 0 &&
        (oldest == nullptr || slot->last_used() < oldest->last_used())) {
      oldest = slot.get();
    }
  }
  if (held < options_.max_servers || is_one_stopping) return true;
  if (oldest == nullptr) return false;
  StopLocked(*oldest, /*forgets_sessions=*/true);
  return true;
}

absl::Status LeasingPool::FullLocked() const {
  std::map<std::string, int> held;
  for (const auto& [key, slot] : slots_) {
    if (slot->state != PoolSlot::State::kEmpty) ++held[slot->entry().id()];
  }
  std::vector<std::string> words;
  for (const auto& [id, count] : held) {
    words.push_back(absl::StrCat(count, " ", id));
  }
  return rpc::Error(rpc::v1::ERROR_REASON_POOL_FULL,
                    absl::StrCat("all ", options_.max_servers,
                                 " places for language servers are in use (",
                                 absl::StrJoin(words, ", "),
                                 "); try again when other calls are done"));
}

}  // namespace banyan::lspd
