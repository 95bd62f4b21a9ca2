// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_WORKSPACE_REGISTRY_H_
#define LSPD_WORKSPACE_WORKSPACE_REGISTRY_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "banyan/session/v1/grant.pb.h"
#include "lspd/workspace/root_leases.h"
#include "lspd/workspace/workspace.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// The open roots: one Workspace per canonical path, however it was spelled.
//
// Thread-safe. Open() of one root does not wait for that of another.
class WorkspaceRegistry {
 public:
  struct Options {
    // Only roots beneath one of these are opened; none = no root at all.
    std::vector<std::string> workspaces_roots;
    Workspace::Options workspace;
    absl::Duration lease_limit = absl::Seconds(
        3);  // For sessiond to answer; other callers of the root wait as well.
    // The root is ours since just now: lease and lock are held, and nobody was
    // answered about it. Must not open the same root.
    std::function<void(const Workspace&)> on_opened = [](const Workspace&) {};
    // The root is ours no more (idle, replaced, moved): its servers must end.
    // Called before lock and lease go back; must not open the same root.
    std::function<void(const Workspace&)> on_closed = [](const Workspace&) {};
  };

  // `leases` must outlive this.
  WorkspaceRegistry(RootLeases& leases, Options options);
  ~WorkspaceRegistry();

  WorkspaceRegistry(const WorkspaceRegistry&) = delete;
  WorkspaceRegistry& operator=(const WorkspaceRegistry&) = delete;

  // The root of a verified grant. Owned after the first call: lease, then lock.
  // Later calls look whether the path still leads to the same directory and
  // the lease is still held.
  //
  //   PROJECT_UNKNOWN     no such directory
  //   ROOT_NOT_ALLOWED    not beneath a workspaces root, by its real path
  //   ROOT_REPLACED       not the directory that the grant was bound to
  //   MOVED               another lspd owns it
  //   ROOT_BUSY           another process holds its lock
  //   DAEMON_UNREACHABLE  sessiond does not answer
  absl::StatusOr<std::shared_ptr<Workspace>> Open(
      const session::v1::Grant& grant, const rpc::CallContext& call);

  // Canonical paths of the open roots, sorted.
  std::vector<std::string> OpenRoots() const;

  // Closes what nobody has opened for `idle_life` and nobody holds.
  void CloseIdle(absl::Duration idle_life);

 private:
  struct Entry {
    std::mutex mutex;  // Held while the root is opened or closed.
    std::shared_ptr<Workspace> workspace;  // Guarded by mutex.
    absl::Time last_used;                  // Guarded by mutex.
  };

  std::shared_ptr<Entry> EntryOf(const std::string& canonical);
  // REQUIRES: entry.mutex is held.
  void Close(Entry& entry);
  absl::Status CheckAllowed(absl::string_view canonical) const;

  RootLeases& leases_;
  const Options options_;
  std::vector<std::string> allowed_;  // Canonical.
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>>
      entries_;  // Guarded by mutex_. By canonical path.
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_WORKSPACE_REGISTRY_H_
