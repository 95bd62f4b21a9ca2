// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/pool_slot.h"

#include <algorithm>

namespace banyan::lspd {

std::vector<std::string> RootUse::session_names() const {
  std::vector<std::string> names;
  for (const auto& [session, last_use] : sessions) names.push_back(session);
  return names;
}

int PoolSlot::leases() const {
  int sum = 0;
  for (const auto& [root, use] : roots) sum += use.leases;
  return sum;
}

absl::Time PoolSlot::last_used() const {
  absl::Time latest = absl::InfinitePast();
  for (const auto& [root, use] : roots)
    latest = std::max(latest, use.last_used);
  return latest;
}

std::vector<std::string> PoolSlot::root_names() const {
  std::vector<std::string> names;
  for (const auto& [root, use] : roots) names.push_back(root);
  return names;
}

void PoolSlot::DropLeases() {
  for (auto& [root, use] : roots) use.leases = 0;
}

lsp::v1::ServerStatus PoolSlot::StatusOf(const RootUse& use,
                                         absl::Time now) const {
  switch (state) {
    case State::kStarting:
      return lsp::v1::SERVER_STATUS_STARTING;
    case State::kStopping:
      return lsp::v1::SERVER_STATUS_RECLAIMING;
    case State::kEmpty:
      return restart_policy.NextStart(now) > now
                 ? lsp::v1::SERVER_STATUS_FAILED
                 : lsp::v1::SERVER_STATUS_UNSPECIFIED;
    case State::kRunning:
      break;
  }
  if (is_draining) return lsp::v1::SERVER_STATUS_DRAINING;
  return use.leases > 0 || !use.sessions.empty()
             ? lsp::v1::SERVER_STATUS_RUNNING
             : lsp::v1::SERVER_STATUS_IDLE;
}

lsp::v1::ServerStats PoolSlot::StatsOf(const std::string& root,
                                       absl::Time now) const {
  const RootUse& use = roots.at(root);
  lsp::v1::ServerStats stats;
  stats.set_language(language());
  stats.set_server(entry().id());
  stats.set_workspace_root(root);
  if (server != nullptr) {
    stats.set_pid(server->pid());
    stats.set_work(server->Work());
  }
  stats.set_memory_bytes(memory_bytes);
  stats.set_ref_count(static_cast<int>(use.sessions.size()));
  for (const auto& [session, last_use] : use.sessions) {
    stats.add_active_sessions(session);
  }
  stats.set_status(StatusOf(use, now));
  stats.set_version(installed.version);
  stats.set_restarts(restarts);
  return stats;
}

}  // namespace banyan::lspd
