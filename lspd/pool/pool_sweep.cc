// SPDX-License-Identifier: Apache-2.0
//
// What the pool does by itself: idle servers, memory, counts.
#include <algorithm>

#include "absl/time/clock.h"
#include "lspd/pool/leasing_pool.h"
#include "lspd/pool/memory_budget.h"
#include "lspd/pool/pool_log.h"
#include "lspd/pool/pooling_policy.h"

namespace banyan::lspd {

void LeasingPool::RunSweeper() {
  Lock lock(mutex_);
  while (!is_shut_down_) {
    const absl::Time next = absl::Now() + options_.sweep_interval;
    while (!is_shut_down_ && absl::Now() < next) {
      changed_.wait_until(lock, absl::ToChronoTime(next));
    }
    if (is_shut_down_) return;
    lock.unlock();
    Sweep();
    lock.lock();
  }
}

void LeasingPool::Sweep() {
  const absl::Time now = Now();
  bool is_memory_due = false;
  {
    Lock lock(mutex_);
    SweepSessionsLocked(now);
    SweepIdleLocked(now);
    ReportCountsLocked(now);
    is_memory_due = now - memory_measured_ >= options_.memory_interval;
    if (is_memory_due) memory_measured_ = now;
  }
  if (is_memory_due) SweepMemory();
}

// A session that has not called for an idle life no longer counts.
void LeasingPool::SweepSessionsLocked(absl::Time now) {
  for (auto& [key, slot] : slots_) {
    const absl::Duration life = IdleLife(slot->entry(), options_.idle_life);
    for (const std::string& root : slot->root_names()) {
      const RootUse& use = slot->roots.at(root);
      if (use.leases > 0) continue;
      std::vector<std::string> gone;
      for (const auto& [session, last_use] : use.sessions) {
        if (now - last_use > life) gone.push_back(session);
      }
      for (const std::string& session : gone) {
        ReleaseLocked(*slot, root, session);
      }
    }
  }
}

void LeasingPool::SweepIdleLocked(absl::Time now) {
  std::vector<std::string> leftovers;
  for (auto& [key, slot] : slots_) {
    const absl::Duration life = IdleLife(slot->entry(), options_.idle_life);
    const absl::Duration idle = now - slot->last_used();
    if (slot->state == PoolSlot::State::kEmpty) {
      if (idle > life) leftovers.push_back(key);
      continue;
    }
    if (slot->state != PoolSlot::State::kRunning) continue;
    if (slot->leases() == 0 && slot->is_draining) {
      LogMemory(*slot, "Restarting");
      StopLocked(*slot, /*forgets_sessions=*/false);
      continue;
    }
    if (slot->leases() == 0 && slot->server->in_flight() == 0 && idle > life) {
      LogReclaiming(*slot, idle, life);
      StopLocked(*slot, /*forgets_sessions=*/true);
      continue;
    }
    // A root of a shared server may be idle while others are not.
    for (const std::string& root : slot->root_names()) {
      const RootUse& use = slot->roots.at(root);
      if (use.leases > 0 || now - use.last_used <= life) continue;
      slot->roots.erase(root);
      slot->server->RemoveRoot(root).IgnoreError();
    }
  }
  for (const std::string& key : leftovers) slots_.erase(key);
}

void LeasingPool::SweepMemory() {
  std::vector<std::pair<std::string, pid_t>> trees;
  {
    Lock lock(mutex_);
    for (const auto& [key, slot] : slots_) {
      if (slot->server != nullptr) trees.emplace_back(key, slot->server->pid());
    }
  }
  std::map<std::string, int64_t> measured;
  for (const auto& [key, pid] : trees) measured[key] = options_.memory_of(pid);

  Lock lock(mutex_);
  std::vector<MemoryUse> uses;
  for (auto& [key, slot] : slots_) {
    const auto bytes = measured.find(key);
    if (bytes == measured.end() || slot->state != PoolSlot::State::kRunning) {
      continue;
    }
    slot->memory_bytes = bytes->second;
    uses.push_back({key, bytes->second, slot->leases() > 0, slot->last_used(),
                    slot->entry().limits().hard_memory_bytes()});
  }
  const MemoryVerdict verdict = JudgeMemory(uses, options_.memory_budget_bytes);
  for (const std::string& key : verdict.stop) {
    PoolSlot& slot = *slots_.at(key);
    LogMemory(slot, "Ending idle");
    Restarted(slot, "memory");
    // Its sessions are still there and will ask again.
    StopLocked(slot, /*forgets_sessions=*/false);
  }
  for (const std::string& key : verdict.drain) {
    PoolSlot& slot = *slots_.at(key);
    if (slot.is_draining) continue;
    LogMemory(slot, "Draining");
    Restarted(slot, "memory");
    slot.is_draining = true;
  }
}

void LeasingPool::ReportCountsLocked(absl::Time now) {
  if (options_.observer == nullptr) return;
  // What was counted before and is no more must become zero.
  for (auto& [what, count] : counts_) count = 0;
  for (const auto& [key, slot] : slots_) {
    lsp::v1::ServerStatus status = lsp::v1::SERVER_STATUS_UNSPECIFIED;
    for (const auto& [root, use] : slot->roots) {
      const lsp::v1::ServerStatus of_root = slot->StatusOf(use, now);
      // A process that one root uses is not idle.
      if (status == lsp::v1::SERVER_STATUS_UNSPECIFIED ||
          of_root == lsp::v1::SERVER_STATUS_RUNNING) {
        status = of_root;
      }
    }
    if (status == lsp::v1::SERVER_STATUS_UNSPECIFIED) continue;
    ++counts_[{slot->language(), status}];
  }
  for (const auto& [what, count] : counts_) {
    options_.observer->OnServerCount(what.first, what.second, count);
  }
}

}  // namespace banyan::lspd
