// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_SERVER_POOL_H_
#define LSPD_POOL_SERVER_POOL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/lsp/v1/pool_service.pb.h"
#include "lspd/pool/server_lease.h"
#include "lspd/sandbox/guardian.h"
#include "lspd/server/installed_servers.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

struct AcquireRequest {
  std::string root;               // Canonical path of the workspace.
  std::string trust_domain;       // Only roots of one domain share a process.
  std::string language;           // Its first server that works, …
  std::string server;             // … or this catalogue id, if not empty.
  std::string session_public_id;  // Who uses it, for counts and log lines; may
                                  // be empty.
  std::string project_settings;   // Digest of settings that the project chose.
};

// The running language servers. One server serves all sessions of a root, and
// many roots where its catalogue row allows that.
//
// Acquire() blocks while a server starts; callers that come meanwhile wait for
// the same start. A server that nobody holds a lease on is stopped after its
// idle life, or sooner when memory is needed. A server that dies fails its
// questions at once, and the next Acquire() starts a new generation.
//
// Thread-safe.
class ServerPool {
 public:
  virtual ~ServerPool() = default;

  // Codes:
  //   LANGUAGE_UNKNOWN  no catalogue row
  //   SERVER_MISSING    no server for the language works here; the message says
  //   how to install one SERVER_DOWN       it failed to start or crashed too
  //   often lately; retry_after_ms says when POOL_FULL         every place is
  //   held; the message says by what DEADLINE, CANCELLED
  virtual absl::StatusOr<ServerLease> Acquire(const AcquireRequest& request,
                                              const rpc::CallContext& call) = 0;

  // This session uses nothing any more (its handle ended). Without it a session
  // counts until its servers have been idle for their idle life.
  virtual void Detach(absl::string_view session_public_id) = 0;

  // Ends the servers of a root, of one language or of all (empty), for every
  // session; the next Acquire() starts new ones. Returns how many there were.
  virtual int Restart(absl::string_view root, absl::string_view language) = 0;

  // Ends whatever serves this root and does not start anything for it until the
  // next Acquire(): the root was replaced, or moved to another lspd.
  virtual int CloseRoot(absl::string_view root) = 0;

  // One element per server and root.
  virtual lsp::v1::GetPoolStatsResponse Stats() const = 0;

  // Ends idle servers, confirms deaths, keeps the memory budget. The pool does
  // it by itself every second; tests call it with their own clock.
  virtual void Sweep() = 0;

  // Ends everything; later Acquire() calls answer SERVER_DOWN.
  virtual void Shutdown() = 0;
};

// Told what happens to servers, for metrics. Thread-safe; must not block.
class PoolObserver {
 public:
  virtual ~PoolObserver() = default;
  virtual void OnServerCount(absl::string_view language,
                             lsp::v1::ServerStatus state, int count) = 0;
  // `reason`: "crash", "wedged", "memory", "request".
  virtual void OnRestart(absl::string_view language,
                         absl::string_view reason) = 0;
  virtual void OnRequest(absl::string_view language, absl::string_view method,
                         absl::Duration duration) = 0;
};

struct ServerPoolOptions {
  int64_t memory_budget_bytes = 8LL
                                << 30;  // Of all process trees together; past
                                        // it idle ones go, oldest first.
  int max_servers = 64;                 // Processes.
  absl::Duration idle_life =
      absl::Minutes(30);  // Where the catalogue row says nothing.
  absl::Duration sweep_interval = absl::Seconds(1);  // Zero: only by Sweep().
  absl::Duration stop_limit = absl::Seconds(5);      // For one orderly end.
  std::string private_dir;  // For caches and private copies of servers; made
                            // with parents.
  std::string
      node_program;  // Of servers that are Node scripts; empty: by PATH.
  std::function<absl::Time()> now;   // Null: the wall clock.
  PoolObserver* observer = nullptr;  // Outlives the pool.
};

// How a pool gets a running, initialized server with one root. Blocks.
class ServerStarter;

// Starts language servers with `guardian`. All of the arguments outlive the
// pool.
std::unique_ptr<ServerPool> NewServerPool(InstalledServers& installed,
                                          Guardian& guardian,
                                          ServerPoolOptions options);

// With another way to start servers.
std::unique_ptr<ServerPool> NewServerPool(InstalledServers& installed,
                                          ServerStarter& starter,
                                          ServerPoolOptions options);

}  // namespace banyan::lspd

#endif  // LSPD_POOL_SERVER_POOL_H_
