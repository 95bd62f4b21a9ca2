// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/workspace_registry.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// A project may be a folder of a larger repository, whose rules hold in it
// though the rest of it is not served here.
constexpr char kHighest[] = "/";

// The canonical form of each allowed folder that is there.
std::vector<std::string> Canonical(const std::vector<std::string>& folders) {
  std::vector<std::string> canonical;
  for (const std::string& folder : folders) {
    const absl::StatusOr<std::shared_ptr<RootDirectory>> opened =
        RootDirectory::Open(folder, {});
    if (opened.ok()) {
      canonical.push_back((*opened)->path());
    } else {
      rpc::Log({.level = rpc::LogLevel::kWarning,
                .event = "workspaces_root_missing",
                .message = absl::StrCat("[Workspace] No such workspaces root: ",
                                        folder),
                .fields = {{"path", folder}}});
    }
  }
  return canonical;
}

bool IsBoundTo(const session::v1::Grant& grant, const RootIdentity& identity) {
  if (!grant.has_identity()) return true;
  const session::v1::RootIdentity& bound = grant.identity();
  return identity.IsSameAs({.device = bound.device(),
                            .inode = bound.inode(),
                            .birth_ns = bound.birth_ns()});
}

absl::Status Replaced() {
  return rpc::Error(rpc::v1::ERROR_REASON_ROOT_REPLACED,
                    "the folder at this path is another one than the one this "
                    "workspace was activated on; call activate_project again");
}

}  // namespace

WorkspaceRegistry::WorkspaceRegistry(RootLeases& leases, Options options)
    : leases_(leases),
      options_(std::move(options)),
      allowed_(Canonical(options_.workspaces_roots)) {}

WorkspaceRegistry::~WorkspaceRegistry() {
  for (const auto& [path, entry] : entries_) {
    const std::lock_guard<std::mutex> lock(entry->mutex);
    if (entry->workspace != nullptr) Close(*entry);
  }
}

absl::StatusOr<std::shared_ptr<Workspace>> WorkspaceRegistry::Open(
    const session::v1::Grant& grant, const rpc::CallContext& call) {
  // Opened each time: the path is looked up anew, so a folder that was replaced
  // or a link that was turned is seen.
  ASSIGN_OR_RETURN(std::shared_ptr<RootDirectory> root,
                   RootDirectory::Open(grant.root(), options_.workspace.root));
  RETURN_IF_ERROR(CheckAllowed(root->path()));

  const std::shared_ptr<Entry> entry = EntryOf(root->path());
  const std::lock_guard<std::mutex> lock(entry->mutex);
  entry->last_used = absl::Now();
  if (entry->workspace != nullptr) {
    const bool is_same =
        entry->workspace->root().identity().IsSameAs(root->identity());
    if (!is_same || !leases_.IsHeld(root->path())) Close(*entry);
  }
  if (!IsBoundTo(grant, root->identity())) return Replaced();
  if (entry->workspace != nullptr) return entry->workspace;

  rpc::CallContext lease_call = call;
  lease_call.deadline =
      std::min(call.deadline, absl::Now() + options_.lease_limit);
  ASSIGN_OR_RETURN(const int64_t epoch,
                   leases_.Acquire(root->path(), lease_call));
  const absl::Status locked = root->Lock();
  if (!locked.ok()) {
    leases_.Release(root->path());
    return locked;
  }
  entry->workspace = std::make_shared<Workspace>(std::move(root), kHighest,
                                                 epoch, options_.workspace);
  options_.on_opened(*entry->workspace);
  return entry->workspace;
}

std::vector<std::string> WorkspaceRegistry::OpenRoots() const {
  std::vector<std::shared_ptr<Entry>> entries;
  std::vector<std::string> roots;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [path, entry] : entries_) entries.push_back(entry);
  }
  for (const std::shared_ptr<Entry>& entry : entries) {
    const std::lock_guard<std::mutex> lock(entry->mutex);
    if (entry->workspace != nullptr) {
      roots.push_back(entry->workspace->root().path());
    }
  }
  return roots;
}

void WorkspaceRegistry::CloseIdle(absl::Duration idle_life) {
  std::vector<std::shared_ptr<Entry>> entries;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [path, entry] : entries_) entries.push_back(entry);
  }
  const absl::Time now = absl::Now();
  for (const std::shared_ptr<Entry>& entry : entries) {
    // One that is being opened is not idle.
    const std::unique_lock<std::mutex> lock(entry->mutex, std::try_to_lock);
    if (!lock.owns_lock() || entry->workspace == nullptr) continue;
    const bool is_held = entry->workspace.use_count() > 1;
    if (!is_held && now - entry->last_used >= idle_life) Close(*entry);
  }
}

std::shared_ptr<WorkspaceRegistry::Entry> WorkspaceRegistry::EntryOf(
    const std::string& canonical) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Entry>& entry = entries_[canonical];
  if (entry == nullptr) entry = std::make_shared<Entry>();
  return entry;
}

void WorkspaceRegistry::Close(Entry& entry) {
  const std::shared_ptr<Workspace> closed = std::move(entry.workspace);
  entry.workspace = nullptr;
  options_.on_closed(*closed);
  closed->root().Unlock();
  leases_.Release(closed->root().path());
}

absl::Status WorkspaceRegistry::CheckAllowed(
    absl::string_view canonical) const {
  if (HasGitComponent(canonical)) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
                      "a folder inside `.git` is no project");
  }
  for (const std::string& allowed : allowed_) {
    if (IsBeneath(canonical, allowed)) return absl::OkStatus();
  }
  return rpc::Error(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED,
                    "this folder is not beneath a workspaces root of the "
                    "server; list_projects says which projects there are "
                    "(--workspaces_root on banyan-lspd)");
}

}  // namespace banyan::lspd
