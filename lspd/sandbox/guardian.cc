// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/guardian.h"

#include <filesystem>
#include <mutex>
#include <utility>

#include "lspd/sandbox/guardian_link.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

std::string ProgramBesideUs() {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (self.parent_path() / "banyan-guardian").string();
}

class RestartingGuardian final : public Guardian {
 public:
  RestartingGuardian(Options options, std::shared_ptr<GuardianLink> link)
      : options_(std::move(options)), link_(std::move(link)) {}

  // Explicitly: a child that is being killed may still hold the link.
  ~RestartingGuardian() override { link_->Stop(); }

  absl::StatusOr<std::unique_ptr<ChildProcess>> Spawn(
      const SpawnRequest& request) override {
    if (request.argv.empty()) {
      return rpc::Error(rpc::v1::ERROR_REASON_SERVER_MISSING,
                        "the catalogue row has no command");
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<GuardianLink> link, LivingLink());
    auto child = link->Spawn(request, options_.stderr_bytes);
    if (child.ok() || link->is_alive()) return child;
    // It died under our hands, and with it what it may have started.
    ASSIGN_OR_RETURN(const std::shared_ptr<GuardianLink> next, LivingLink());
    return next->Spawn(request, options_.stderr_bytes);
  }

  pid_t pid() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return link_->pid();
  }

 private:
  absl::StatusOr<std::shared_ptr<GuardianLink>> LivingLink() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!link_->is_alive()) {
      link_->Stop();
      ASSIGN_OR_RETURN(
          link_, GuardianLink::Start(options_.program, options_.data_dir));
    }
    return link_;
  }

  const Options options_;
  mutable std::mutex mutex_;
  std::shared_ptr<GuardianLink> link_;  // Guarded by mutex_. Never null.
};

}  // namespace

absl::StatusOr<std::unique_ptr<Guardian>> Guardian::Start(Options options) {
  if (options.program.empty()) options.program = ProgramBesideUs();
  ASSIGN_OR_RETURN(auto link,
                   GuardianLink::Start(options.program, options.data_dir));
  return std::make_unique<RestartingGuardian>(std::move(options),
                                              std::move(link));
}

}  // namespace banyan::lspd
