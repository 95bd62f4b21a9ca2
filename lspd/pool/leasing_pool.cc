// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/leasing_pool.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "lspd/pool/pool_log.h"
#include "lspd/pool/pooling_policy.h"
#include "lspd/server/process_tree.h"
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
    if (slot->roots.count(request.root) > 0 || slot->roots.size() < max_roots) {
      return *slot;
    }
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

int LeasingPool::CloseRoot(absl::string_view root) {
  const std::string name(root);
  int ended = 0;
  Lock lock(mutex_);
  for (auto& [key, slot] : slots_) {
    if (slot->roots.count(name) == 0) continue;
    ++ended;
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
