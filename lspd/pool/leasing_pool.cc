// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/leasing_pool.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/pool/pool_log.h"
#include "lspd/pool/pooling_policy.h"
#include "lspd/server/process_tree.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// A start as a cure for a process that answers only internal errors is tried
// so seldom.
constexpr absl::Duration kBrokenPause = absl::Minutes(10);

}  // namespace

LeasingPool::LeasingPool(InstalledServers& installed,
                         std::unique_ptr<ServerStarter> starter,
                         ServerPoolOptions options)
    : installed_(installed),
      starter_(std::move(starter)),
      options_(std::move(options)) {
  if (!options_.now) options_.now = [] { return absl::Now(); };
  if (!options_.memory_of) options_.memory_of = ProportionalSetSize;
  // Servers work in other folders than we do.
  std::error_code ignored;
  options_.private_dir =
      std::filesystem::absolute(options_.private_dir, ignored);
  if (options_.sweep_interval > absl::ZeroDuration()) {
    sweeper_ = std::thread([this] { RunSweeper(); });
  }
}

LeasingPool::~LeasingPool() { Shutdown(); }

void LeasingPool::StartLocked(PoolSlot& slot) {
  slot.state = PoolSlot::State::kStarting;
  slot.generation = ++last_generation_;
  slot.is_unwanted = false;
  slot.is_draining = false;
  slot.is_forgotten = false;
  slot.restart_policy.OnStart(Now());

  LaunchRequest launch;
  launch.installed = slot.installed;
  launch.roots = slot.root_names();
  launch.private_dir = absl::StrCat(options_.private_dir, "/", slot.key);
  launch.search_path = installed_.search_path();
  launch.tools_dir = installed_.tools_dir();
  launch.start_limit = StartLimit(slot.entry());
  launch.follows_a_broken_one = Now() - slot.last_broken < kBrokenPause;
  launch.is_unwanted = [this, key = slot.key] {
    Lock lock(mutex_);
    return slots_.at(key)->is_unwanted;
  };
  if (PoolObserver* const observer = options_.observer) {
    launch.on_answer = [observer, language = slot.language()](
                           absl::string_view method, absl::Duration took) {
      observer->OnRequest(language, method, took);
    };
  }
  work_.Run([this, key = slot.key, request = std::move(launch)] {
    const absl::Time start = absl::Now();
    absl::StatusOr<std::unique_ptr<LanguageServer>> started =
        starter_->Start(request);
    FinishStart(key, std::move(started), absl::Now() - start);
  });
}

void LeasingPool::FinishStart(
    const std::string& key,
    absl::StatusOr<std::unique_ptr<LanguageServer>> started,
    absl::Duration took) {
  std::shared_ptr<LanguageServer> server;
  int64_t generation = 0;
  {
    Lock lock(mutex_);
    PoolSlot& slot = *slots_.at(key);
    generation = slot.generation;
    if (!started.ok() && slot.is_unwanted) {
      // Given up on purpose: who still waits begins another start.
      slot.state = PoolSlot::State::kEmpty;
      if (slot.is_forgotten) slots_.erase(key);
      changed_.notify_all();
      return;
    }
    if (!started.ok()) {
      slot.state = PoolSlot::State::kEmpty;
      slot.failure = started.status();
      slot.failed_generation = generation;
      slot.restart_policy.OnDeath(Now());
      LogStartFailed(slot, started.status().message());
      Restarted(slot, "start_failed");
      changed_.notify_all();
      return;
    }
    server = *std::move(started);
    slot.server = server;
    slot.state = PoolSlot::State::kRunning;
    slot.failure = absl::OkStatus();
    LogStarted(slot, server->pid(), took);
    if (slot.is_unwanted || is_shut_down_) {
      StopLocked(slot, slot.is_forgotten);
    }
    changed_.notify_all();
  }
  server->OnDeath([this, key, generation](const std::string& why) {
    OnDeath(key, generation, why);
  });
}

void LeasingPool::OnDeath(const std::string& key, int64_t generation,
                          const std::string& why) {
  Lock lock(mutex_);
  const auto found = slots_.find(key);
  if (found == slots_.end()) return;
  PoolSlot& slot = *found->second;
  if (slot.generation != generation ||
      slot.state != PoolSlot::State::kRunning) {
    return;
  }
  LogCrashed(slot, slot.server->pid(), why);
  slot.restart_policy.OnDeath(Now());
  if (absl::StrContains(why, "internal error")) slot.last_broken = Now();
  Restarted(slot,
            absl::StrContains(why, "answers nothing") ? "stuck" : "crash");
  BuryLocked(slot);
}

void LeasingPool::StopLocked(PoolSlot& slot, bool forgets_sessions) {
  slot.is_forgotten = slot.is_forgotten || forgets_sessions;
  if (slot.state == PoolSlot::State::kStarting) {
    slot.is_unwanted = true;
  } else if (slot.state == PoolSlot::State::kRunning) {
    BuryLocked(slot);
  }
}

// The slot is free again only when the process is dead: two generations of one
// server would fight for its files.
void LeasingPool::BuryLocked(PoolSlot& slot) {
  slot.state = PoolSlot::State::kStopping;
  slot.DropLeases();
  ++slot.restarts;
  work_.Run([this, key = slot.key, server = std::move(slot.server)]() mutable {
    server->Stop(options_.stop_limit);
    server.reset();
    Lock lock(mutex_);
    PoolSlot& stopped = *slots_.at(key);
    stopped.state = PoolSlot::State::kEmpty;
    stopped.memory_bytes = 0;
    if (stopped.is_forgotten) slots_.erase(key);
    changed_.notify_all();
  });
  slot.server = nullptr;
  changed_.notify_all();
}

void LeasingPool::Restarted(const PoolSlot& slot,
                            absl::string_view reason) const {
  if (options_.observer != nullptr) {
    options_.observer->OnRestart(slot.language(), reason);
  }
}

void LeasingPool::ReleaseLocked(PoolSlot& slot, const std::string& root,
                                const std::string& session) {
  RootUse& use = slot.roots.at(root);
  if (use.sessions.erase(session) == 0) return;
  LogReleased(slot, root, static_cast<int>(use.sessions.size()));
}

void LeasingPool::Detach(absl::string_view session_public_id) {
  const std::string session(session_public_id);
  Lock lock(mutex_);
  for (auto& [key, slot] : slots_) {
    for (const std::string& root : slot->root_names()) {
      ReleaseLocked(*slot, root, session);
    }
  }
}

int LeasingPool::Restart(absl::string_view root, absl::string_view language) {
  int ended = 0;
  Lock lock(mutex_);
  for (auto& [key, slot] : slots_) {
    const bool is_meant =
        slot->roots.count(std::string(root)) > 0 &&
        (language.empty() || language == absl::string_view(slot->language()));
    const bool is_up = slot->state == PoolSlot::State::kStarting ||
                       slot->state == PoolSlot::State::kRunning;
    if (!is_meant || !is_up) continue;
    Restarted(*slot, "request");
    StopLocked(*slot, /*forgets_sessions=*/false);
    ++ended;
  }
  return ended;
}

void LeasingPool::Retire(const ServerLease& lease) {
  Lock lock(mutex_);
  for (auto& [key, slot] : slots_) {
    // No two starts have one generation.
    if (slot->generation != lease.generation() ||
        slot->state != PoolSlot::State::kRunning) {
      continue;
    }
    LogOutdated(*slot, slot->server->pid());
    Restarted(*slot, "outdated");
    StopLocked(*slot, /*forgets_sessions=*/false);
  }
}

int LeasingPool::CloseRoot(absl::string_view root) {
  const std::string name(root);
  int ended = 0;
  Lock lock(mutex_);
  for (auto& [key, slot] : slots_) {
    const auto use = slot->roots.find(name);
    if (use == slot->roots.end()) continue;
    ++ended;
    for (const std::string& session : use->second.session_names()) {
      ReleaseLocked(*slot, name, session);
    }
    if (slot->roots.size() == 1) {
      StopLocked(*slot, /*forgets_sessions=*/true);
      continue;
    }
    slot->roots.erase(name);
    if (slot->state == PoolSlot::State::kRunning) {
      slot->server->RemoveRoot(name).IgnoreError();
    }
  }
  return ended;
}

lsp::v1::GetPoolStatsResponse LeasingPool::Stats() const {
  lsp::v1::GetPoolStatsResponse response;
  Lock lock(mutex_);
  int64_t total = 0;
  for (const auto& [key, slot] : slots_) {
    total += slot->memory_bytes;
    for (const std::string& root : slot->root_names()) {
      lsp::v1::ServerStats stats = slot->StatsOf(root, Now());
      // Nothing runs and nothing went wrong: not worth a line.
      if (stats.status() == lsp::v1::SERVER_STATUS_UNSPECIFIED) continue;
      *response.add_servers() = std::move(stats);
    }
  }
  response.set_total_memory_bytes(total);
  return response;
}

void LeasingPool::Shutdown() {
  {
    Lock lock(mutex_);
    is_shut_down_ = true;
    for (auto& [key, slot] : slots_) {
      StopLocked(*slot, /*forgets_sessions=*/true);
    }
    changed_.notify_all();
  }
  if (sweeper_.joinable()) sweeper_.join();
  work_.Finish();
}

absl::Status CheckPolicies(
    const ServerCatalog& catalog,
    const std::map<std::string, lsp::v1::PoolingPolicy>& policies) {
  for (const auto& [id, policy] : policies) {
    const ServerEntry* entry = catalog.Find(id);
    if (entry == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("no language server has the id \"", id, "\""));
    }
    RETURN_IF_ERROR(EffectivePolicy(*entry, policy).status());
  }
  return absl::OkStatus();
}

std::unique_ptr<ServerPool> NewServerPool(
    InstalledServers& installed, std::unique_ptr<ServerStarter> starter,
    ServerPoolOptions options) {
  return std::make_unique<LeasingPool>(installed, std::move(starter),
                                       std::move(options));
}

std::unique_ptr<ServerPool> NewServerPool(InstalledServers& installed,
                                          Guardian& guardian,
                                          ServerPoolOptions options) {
  return NewServerPool(installed, NewProcessStarter(guardian),
                       std::move(options));
}

}  // namespace banyan::lspd
