// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/bind_request.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/bindings/trust_domain.h"

namespace banyan::sessiond {
namespace {

using session::v1::Access;
using session::v1::BindWorkspaceRequest;
using session::v1::SessionRecord;
using session::v1::WorkspaceRecord;

constexpr size_t kModeLimit = 64;
constexpr size_t kModesLimit = 16;

bool IsModeName(absl::string_view mode) {
  return !mode.empty() && mode.size() <= kModeLimit &&
         std::all_of(mode.begin(), mode.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  c == '-' || c == '_';
         });
}

absl::StatusOr<std::set<std::string>> Modes(
    const BindWorkspaceRequest& request) {
  std::set<std::string> modes;
  for (const std::string& mode : request.modes()) {
    if (!IsModeName(mode)) {
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        absl::StrCat(rpc::EscapeForLog(mode, kModeLimit),
                                     " is no mode; give letters, digits, - and "
                                     "_ only"));
    }
    modes.insert(mode);
  }
  if (modes.size() > kModesLimit) {
    return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                      "a workspace takes at most 16 modes");
  }
  return modes;
}

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
  ASSIGN_OR_RETURN(const std::set<std::string> modes, Modes(request));
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
  record.mutable_modes()->Assign(modes.begin(), modes.end());
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
