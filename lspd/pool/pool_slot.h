// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_POOL_SLOT_H_
#define LSPD_POOL_POOL_SLOT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/lsp/v1/pool_service.pb.h"
#include "lspd/pool/restart_policy.h"
#include "lspd/server/installed_servers.h"
#include "lspd/server/language_server.h"

namespace banyan::lspd {

// Who uses a server for one root.
struct RootUse {
  int leases = 0;
  absl::Time last_used;
  std::map<std::string, absl::Time> sessions;  // Public id, last use.

  std::vector<std::string> session_names() const;
};

// The place of one server process in the pool: it stays the same while the
// processes in it come and go. The pool's lock guards it.
struct PoolSlot {
  enum class State {
    kEmpty,     // Nothing runs; the next Acquire() starts.
    kStarting,  // A thread of the pool is at it.
    kRunning,
    kStopping,  // A thread of the pool is at it.
  };

  std::string key;
  InstalledServer installed;
  lsp::v1::PoolingPolicy policy = lsp::v1::POOLING_POLICY_UNSPECIFIED;
  State state = State::kEmpty;
  std::shared_ptr<LanguageServer> server;  // While kRunning.
  int64_t generation = 0;                  // Of the last start.
  int restarts = 0;
  std::map<std::string, RootUse> roots;
  RestartPolicy restart_policy;
  int64_t memory_bytes = 0;

  absl::Time last_broken = absl::InfinitePast();  // A process that was of no
                                                  // use from its birth.

  bool is_unwanted = false;   // Stop it as soon as its start is done.
  bool is_draining = false;   // No new leases; stop it after the last.
  bool is_forgotten = false;  // Nobody counts as its user once it is stopped.

  absl::Status failure;            // Of the last start that failed, …
  int64_t failed_generation = -1;  // … which was this one's.

  const ServerEntry& entry() const { return *installed.entry; }
  const std::string& language() const { return installed.entry->language(); }

  int leases() const;
  absl::Time last_used() const;
  std::vector<std::string> root_names() const;

  // The process is gone: nobody holds a lease on it any more.
  void DropLeases();

  lsp::v1::ServerStatus StatusOf(const RootUse& use, absl::Time now) const;
  lsp::v1::ServerStats StatsOf(const std::string& root, absl::Time now) const;
};

}  // namespace banyan::lspd

#endif  // LSPD_POOL_POOL_SLOT_H_
