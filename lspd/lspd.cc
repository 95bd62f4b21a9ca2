// SPDX-License-Identifier: Apache-2.0
#include "lspd/lspd.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lspd/edit_service.h"
#include "lspd/edits/apply_edit.h"
#include "lspd/file_service.h"
#include "lspd/language_states.h"
#include "lspd/pool/server_pool.h"
#include "lspd/pool_metrics.h"
#include "lspd/pool_service.h"
#include "lspd/registration.h"
#include "lspd/sandbox/guardian.h"
#include "lspd/sandbox/leftovers.h"
#include "lspd/server/installed_servers.h"
#include "lspd/server/server_catalog.h"
#include "lspd/symbol_service.h"
#include "lspd/workspace/grant_verifier.h"
#include "lspd/workspace/symbol_cache.h"
#include "lspd/workspace/workspace_registry.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

std::string Path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
}

InstalledServers::Options InstalledOptions(const Lspd::Options& options) {
  InstalledServers::Options installed;
  installed.tools_dir = options.tools_dir;
  installed.path = Path();
  return installed;
}

ServerPoolOptions PoolOptions(const Lspd::Options& options,
                              PoolObserver* observer) {
  ServerPoolOptions pool;
  pool.memory_budget_bytes = options.memory_budget_bytes;
  pool.max_servers = options.max_servers;
  pool.idle_life = options.idle_life;
  pool.private_dir = absl::StrCat(options.data_dir, "/servers");
  pool.observer = observer;
  return pool;
}

WorkspaceRegistry::Options RegistryOptions(const Lspd::Options& options,
                                           ServerPool& pool) {
  WorkspaceRegistry::Options registry;
  registry.workspaces_roots = options.workspaces_roots;
  registry.on_opened = RecoverRoot;
  registry.on_closed = [&pool](const Workspace& workspace) {
    pool.CloseRoot(workspace.root().path());
  };
  return registry;
}

// The members stand in the order in which they are made, each upon those
// before it, so that they go in the opposite one.
class AssembledLspd : public Lspd {
 public:
  AssembledLspd(Options options, ServerCatalog catalog,
                std::unique_ptr<Guardian> guardian,
                std::shared_ptr<grpc::Channel> sessiond,
                prometheus::Registry& metrics)
      : catalog_(std::move(catalog)),
        guardian_(std::move(guardian)),
        pool_metrics_(metrics),
        installed_(catalog_, InstalledOptions(options)),
        pool_(NewServerPool(installed_, *guardian_,
                            PoolOptions(options, &pool_metrics_))),
        languages_(installed_, *pool_, {}),
        verifier_({.on_ended =
                       [this](const std::string& session) {
                         pool_->Detach(session);
                       }}),
        registration_(Registration::Start(
            std::move(sessiond), verifier_,
            {.name = options.name, .address = options.address})),
        workspaces_(*registration_, RegistryOptions(options, *pool_)),
        files_(verifier_, workspaces_,
               {.languages =
                    [this](const AdmittedCall& call,
                           const std::vector<std::string>& prewarm) {
                      return StatesOf(call, prewarm);
                    }}),
        symbols_(verifier_, workspaces_,
                 {.pool = *pool_, .catalog = catalog_, .cache = cache_}),
        edits_(verifier_, workspaces_,
               {.pool = *pool_, .catalog = catalog_, .cache = cache_}),
        pools_(verifier_, workspaces_, *pool_),
        root_idle_life_(options.root_idle_life),
        housekeeping_([this] { KeepHouse(); }) {}

  ~AssembledLspd() override { Stop(); }

  std::vector<grpc::Service*> services() override {
    return {&files_, &symbols_, &edits_, &pools_};
  }

  bool is_ready() const override {
    if (is_stopping_) return false;
    if (registration_->is_connected()) was_connected_ = true;
    return was_connected_;
  }

  void Stop() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (is_stopping_.exchange(true)) return;
    }
    stopping_.notify_all();
    housekeeping_.join();
    registration_->Stop();
    pool_->Shutdown();
  }

 private:
  LanguageReport StatesOf(const AdmittedCall& call,
                          const std::vector<std::string>& prewarm) {
    const Asker asker = {.workspace = call.workspace,
                         .trust_domain = call.grant.trust_domain(),
                         .session_public_id = call.grant.session_public_id()};
    return languages_.Of(asker, prewarm);
  }

  // Gives roots back that nobody uses: another lspd may want them.
  void KeepHouse() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopping_.wait_for(lock, std::chrono::minutes(1),
                               [this] { return is_stopping_.load(); })) {
      lock.unlock();
      workspaces_.CloseIdle(root_idle_life_);
      lock.lock();
    }
  }

  const ServerCatalog catalog_;
  const std::unique_ptr<Guardian> guardian_;
  PoolMetrics pool_metrics_;
  InstalledServers installed_;
  const std::unique_ptr<ServerPool> pool_;
  SymbolCache cache_{SymbolCache::Options{}};
  LanguageStates languages_;
  GrantVerifier verifier_;
  const std::unique_ptr<Registration> registration_;
  WorkspaceRegistry workspaces_;
  FileService files_;
  SymbolService symbols_;
  EditService edits_;
  PoolService pools_;
  std::atomic<bool> is_stopping_ = false;
  // A lost sessiond is a metric, not a reason to leave the balancer.
  mutable std::atomic<bool> was_connected_ = false;
  const absl::Duration root_idle_life_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  std::thread housekeeping_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Lspd>> Lspd::Start(
    Options options, std::shared_ptr<grpc::Channel> sessiond,
    prometheus::Registry& metrics) {
  ASSIGN_OR_RETURN(ServerCatalog catalog, ServerCatalog::Load(options.catalog));
  const int reaped = ReapLeftovers(options.data_dir);
  if (reaped > 0) {
    rpc::Log({.level = rpc::LogLevel::kWarning,
              .event = "lsp_leftovers_ended",
              .message = absl::StrCat("[LSP-Pool] Ended ", reaped,
                                      " processes that an earlier run left")});
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Guardian> guardian,
                   Guardian::Start({.program = options.guardian_program,
                                    .data_dir = options.data_dir}));
  return std::make_unique<AssembledLspd>(std::move(options), std::move(catalog),
                                         std::move(guardian),
                                         std::move(sessiond), metrics);
}

}  // namespace banyan::lspd
