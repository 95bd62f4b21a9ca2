// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_LEASING_POOL_H_
#define LSPD_POOL_LEASING_POOL_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lspd/pool/background_work.h"
#include "lspd/pool/pool_slot.h"
#include "lspd/pool/server_pool.h"

namespace banyan::lspd {

// The pool behind NewServerPool(). Every slot is a small state machine under
// one lock, which is never held while a server starts, stops or is measured;
// threads of `work_` do that and come back.
class LeasingPool final : public ServerPool {
 public:
  LeasingPool(InstalledServers& installed,
              std::unique_ptr<ServerStarter> starter,
              ServerPoolOptions options);
  ~LeasingPool() override;

  absl::StatusOr<ServerLease> Acquire(const AcquireRequest& request,
                                      const rpc::CallContext& call) override;
  void Detach(absl::string_view session_public_id) override;
  int Restart(absl::string_view root, absl::string_view language) override;
  void Retire(const ServerLease& lease) override;
  int CloseRoot(absl::string_view root) override;
  lsp::v1::GetPoolStatsResponse Stats() const override;
  void Sweep() override;
  void Shutdown() override;

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Slots = std::map<std::string, std::unique_ptr<PoolSlot>>;

  // One caller's way through Acquire().
  struct Visit {
    const AcquireRequest& request;
    const rpc::CallContext& call;
    InstalledServer installed;
    int64_t awaited_generation = -1;  // The start that it waits for.
  };

  // What Acquire() does with a slot in its state: a lease, an error, or
  // nothing, which means "wait and look again".
  using Outcome = std::optional<absl::StatusOr<ServerLease>>;
  Outcome VisitLocked(Visit& visit);
  Outcome VisitEmptyLocked(Visit& visit, PoolSlot& slot);
  absl::Status WaitLocked(Lock& lock, const rpc::CallContext& call,
                          absl::string_view language);

  PoolSlot& SlotForLocked(const Visit& visit);
  ServerLease LeaseLocked(PoolSlot& slot, const AcquireRequest& request);
  void GiveBack(const std::string& key, int64_t generation,
                const std::string& root, const std::string& session);

  bool HasRoomLocked();
  absl::Status FullLocked() const;
  void StartLocked(PoolSlot& slot);
  void StopLocked(PoolSlot& slot, bool forgets_sessions);
  void FinishStart(const std::string& key,
                   absl::StatusOr<std::unique_ptr<LanguageServer>> started,
                   absl::Duration took);
  void OnDeath(const std::string& key, int64_t generation,
               const std::string& why);
  void BuryLocked(PoolSlot& slot);

  void SweepIdleLocked(absl::Time now);
  void SweepSessionsLocked(absl::Time now);
  void SweepMemory();
  void ReportCountsLocked(absl::Time now);
  void ReleaseLocked(PoolSlot& slot, const std::string& root,
                     const std::string& session);
  void RunSweeper();

  absl::Time Now() const { return options_.now(); }
  void Restarted(const PoolSlot& slot, absl::string_view reason) const;

  InstalledServers& installed_;
  const std::unique_ptr<ServerStarter> starter_;
  ServerPoolOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All guarded by mutex_.
  Slots slots_;
  int64_t last_generation_ = 0;
  bool is_shut_down_ = false;
  absl::Time memory_measured_ = absl::InfinitePast();
  std::map<std::pair<std::string, lsp::v1::ServerStatus>, int> counts_;

  BackgroundWork work_;
  std::thread sweeper_;
};

}  // namespace banyan::lspd

#endif  // LSPD_POOL_LEASING_POOL_H_
