// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/bind_request.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/bindings/trust_domain.h"
#include "sessiond/paths/client_path.h"

namespace banyan::sessiond {
namespace {

using session::v1::Access;
using session::v1::BindWorkspaceRequest;
using session::v1::SessionRecord;
using session::v1::WorkspaceRecord;

absl::StatusOr<Access> WantedAccess(const BindWorkspaceRequest& request,
                                    const SessionRecord* session) {
  Access access = request.access();
  if (access == session::v1::ACCESS_UNSPECIFIED && session != nullptr) {
    access = session->default_access();
  }
  const bool may_write = HasScope(request.principal(), "code:write");
  switch (access) {
    case session::v1::ACCESS_UNSPECIFIED:
      return may_write ? session::v1::ACCESS_READ_WRITE
                       : session::v1::ACCESS_READ_ONLY;
    case session::v1::ACCESS_READ_ONLY:
      return access;
    case session::v1::ACCESS_READ_WRITE:
      if (may_write) return access;
      return rpc::Error(rpc::v1::ERROR_REASON_SCOPE_MISSING,
                        "your token lacks the scope code:write; activate the "
                        "project with access read-only");
    default:
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        "access is read-write or read-only");
  }
}

}  // namespace

absl::StatusOr<WorkspaceRecord> ToWorkspaceRecord(
    const BindWorkspaceRequest& request, const SessionRecord* session,
    const ProjectRegistry& projects) {
  const session::v1::Principal& principal = request.principal();
  RETURN_IF_ERROR(projects.modes().Check(request.modes()));
  ASSIGN_OR_RETURN(const Access access, WantedAccess(request, session));
  ASSIGN_OR_RETURN(
      const Project project,
      projects.Find(request.project(), {principal.allowed_roots().begin(),
                                        principal.allowed_roots().end()}));
  WorkspaceRecord record;
  record.set_root(project.root);
  record.set_project_name(project.name);
  record.set_trust_domain(project.trust_domain);
  record.set_access(access);
  SetModes(request.modes(), record);
  if (!request.client_root().empty()) {
    ASSIGN_OR_RETURN(*record.mutable_client_root(),
                     CleanClientRoot(request.client_root()));
  }
  if (session != nullptr) {
    record.set_session_public_id(session->public_id());
    record.set_client_name(session->client_name());
    record.set_client_version(session->client_version());
  } else {
    record.set_client_name(request.client_name());
    record.set_client_version(request.client_version());
  }
  return record;
}

void SetModes(const Modes::Names& modes, WorkspaceRecord& record) {
  const std::set<std::string> sorted(modes.begin(), modes.end());
  record.mutable_modes()->Assign(sorted.begin(), sorted.end());
}

std::vector<std::string> WithDefault(const std::vector<std::string>& handles,
                                     const std::string& handle,
                                     const std::vector<WorkspaceRecord>& live) {
  std::map<std::string, std::string> roots;
  for (const WorkspaceRecord& record : live) {
    roots[record.handle()] = record.root();
  }
  std::vector<std::string> kept;
  for (const std::string& other : handles) {
    if (other != handle && roots.contains(other)) kept.push_back(other);
  }
  kept.push_back(handle);
  while (kept.size() > kSessionHandles) {
    // The oldest whose root a newer one stands for, else the oldest.
    const auto is_covered = [&](const std::string& one) {
      return std::any_of(kept.begin(), kept.end(), [&](const std::string& two) {
        return &two > &one && roots[two] == roots[one];
      });
    };
    const auto covered = std::find_if(kept.begin(), kept.end(), is_covered);
    kept.erase(covered == kept.end() ? kept.begin() : covered);
  }
  return kept;
}

}  // namespace banyan::sessiond
