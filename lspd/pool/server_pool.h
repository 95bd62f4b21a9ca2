// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_SERVER_POOL_H_
#define LSPD_POOL_SERVER_POOL_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/lsp/v1/pool_service.pb.h"
#include "banyan/lsp/v1/server_catalog.pb.h"
#include "lspd/pool/server_lease.h"
#include "lspd/pool/server_starter.h"
#include "lspd/sandbox/guardian.h"
#include "lspd/server/installed_servers.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

struct AcquireRequest {
  std::string root;          // Canonical path of the workspace.
  std::string trust_domain;  // Only roots of one domain share a process.
  std::string language;      // Its first server that works, …
  std::string server;        // … or this catalogue id, if not empty.
  // Who uses it, for counts and log lines; may be empty.
  std::string session_public_id;
  std::string project_settings;  // Digest of what the project chose.
};

// The running language servers. One server serves all sessions of a root, and
// many roots where its catalogue row allows that.
//
// Acquire() blocks while a server starts; callers that come meanwhile wait for
// the same start, which goes on when they leave. A server that nobody holds a
// lease on is stopped after its idle life, or sooner when memory is needed. A
// server that dies fails its questions at once, and the next Acquire() starts a
// new generation, once the old one is dead.
//
// Outlives its leases. Thread-safe.
class ServerPool {
 public:
  virtual ~ServerPool() = default;

  //   LANGUAGE_UNKNOWN  no catalogue row
  //   SERVER_MISSING    no server for the language works here; the message says
  //                     how to install one
  //   SERVER_DOWN       it failed to start, or died too often lately;
  //                     retry_after_ms says when it is tried again
  //   POOL_FULL         every place is held; the message says by what
  //   DEADLINE, CANCELLED
  virtual absl::StatusOr<ServerLease> Acquire(const AcquireRequest& request,
                                              const rpc::CallContext& call) = 0;

  // This session uses nothing any more: its handle ended. Without it a session
  // counts for the idle life of each server after its last call.
  virtual void Detach(absl::string_view session_public_id) = 0;

  // Ends the servers of a root, of one language or of all (empty), for every
  // session; the next Acquire() starts new ones. Returns how many there were.
  virtual int Restart(absl::string_view root, absl::string_view language) = 0;

  // Ends the server behind a lease, unless another has taken its place since:
  // it is outdated (LanguageServer::IsOutdated). Its questions in flight fail
  // with SERVER_DOWN; sessions and restart policy are as before.
  virtual void Retire(const ServerLease& lease) = 0;

  // The root was replaced, or moved to another lspd: nothing serves it, and no
  // session is counted for it any more. Returns how many servers did.
  virtual int CloseRoot(absl::string_view root) = 0;

  // One element per server and root.
  virtual lsp::v1::GetPoolStatsResponse Stats() const = 0;

  // Ends idle servers, keeps the memory budget. The pool does it by itself;
  // tests call it with their own clock.
  virtual void Sweep() = 0;

  // Ends everything and waits for it; Acquire() answers SERVER_DOWN from now on.
  virtual void Shutdown() = 0;
};

// Told what happens to servers, for metrics. Thread-safe; must not block.
class PoolObserver {
 public:
  virtual ~PoolObserver() = default;
  virtual void OnServerCount(absl::string_view language,
                             lsp::v1::ServerStatus state, int count) = 0;
  // `reason`: "crash", "stuck", "start_failed", "memory", "request" or
  // "outdated".
  virtual void OnRestart(absl::string_view language,
                         absl::string_view reason) = 0;
  virtual void OnRequest(absl::string_view language, absl::string_view method,
                         absl::Duration took) = 0;
};

struct ServerPoolOptions {
  // Of all process trees together; past it idle ones go, longest unused first.
  int64_t memory_budget_bytes = 8LL << 30;
  int max_servers = 64;
  // Where the catalogue row says nothing.
  absl::Duration idle_life = absl::Minutes(30);
  // Zero: only by Sweep().
  absl::Duration sweep_interval = absl::Seconds(1);
  // Between two looks at the memory of all servers.
  absl::Duration memory_interval = absl::Seconds(5);
  absl::Duration stop_limit = absl::Seconds(5);  // For one orderly end.
  // Acquire() waits so long for a server that died to be tried again, …
  absl::Duration longest_pause = absl::Seconds(10);  // … and else refuses.
  // Parent of the servers' own folders; made if absent.
  std::string private_dir;
  // The operator's choices by catalogue id; see CheckPolicies().
  std::map<std::string, lsp::v1::PoolingPolicy> policies;
  std::function<absl::Time()> now;  // Null: the wall clock.
  // Null: ProportionalSetSize.
  std::function<int64_t(pid_t)> memory_of;
  PoolObserver* observer = nullptr;  // Outlives the pool.
};

// kInvalidArgument: a choice names no row of the catalogue.
// kFailedPrecondition: a choice would share a server that must not be shared.
absl::Status CheckPolicies(
    const ServerCatalog& catalog,
    const std::map<std::string, lsp::v1::PoolingPolicy>& policies);

// Starts language servers under `guardian`. The references outlive the pool.
std::unique_ptr<ServerPool> NewServerPool(InstalledServers& installed,
                                          Guardian& guardian,
                                          ServerPoolOptions options);

// With another way to start servers.
std::unique_ptr<ServerPool> NewServerPool(
    InstalledServers& installed, std::unique_ptr<ServerStarter> starter,
    ServerPoolOptions options);

}  // namespace banyan::lspd

#endif  // LSPD_POOL_SERVER_POOL_H_
