// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/authorizer.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/bindings/trust_domain.h"
#include "sessiond/paths/client_path.h"
#include "sessiond/paths/path_policy.h"
#include "sessiond/store/record_id.h"

namespace banyan::sessiond {
namespace {

using session::v1::Access;
using session::v1::AuthorizeRequest;
using session::v1::Grant;
using session::v1::Principal;
using session::v1::SessionRecord;
using session::v1::SignedGrant;
using session::v1::WorkspaceRecord;
using session::v1::WriterRecord;

std::vector<std::string> AllowedRoots(const Principal& principal) {
  return {principal.allowed_roots().begin(), principal.allowed_roots().end()};
}

absl::Status CheckScope(const Principal& principal, Access access) {
  const absl::string_view scope =
      access == session::v1::ACCESS_READ_ONLY ? "code:read" : "code:write";
  if (HasScope(principal, scope)) return absl::OkStatus();
  return rpc::Error(rpc::v1::ERROR_REASON_SCOPE_MISSING,
                    absl::StrCat("your token lacks the scope ", scope));
}

absl::Status CheckRoot(const Principal& principal, absl::string_view root) {
  if (ProjectRegistry::IsAllowed(root, AllowedRoots(principal))) {
    return absl::OkStatus();
  }
  return rpc::Error(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED,
                    "your token does not reach this workspace any more; "
                    "list_projects shows what it reaches");
}

// A binding without a handle: for reading, and gone with the answer.
Bindings::Live Implicit(const Project& project) {
  WorkspaceRecord record;
  record.set_root(project.root);
  record.set_project_name(project.name);
  record.set_trust_domain(project.trust_domain);
  record.set_access(session::v1::ACCESS_READ_ONLY);
  return Bindings::Live{.record = std::move(record)};
}

// "[Security] Path Traversal Blocked: /etc/passwd escapes /srv/app (Session: a1b2)"
void LogRefusal(const absl::Status& status, absl::string_view path,
                absl::string_view root, absl::string_view session) {
  const bool is_outside =
      rpc::ReasonOf(status) == rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT;
  rpc::Log({.level = rpc::LogLevel::kWarning,
            .event = is_outside ? "path_traversal_blocked" : "path_forbidden",
            .message = absl::StrCat(
                is_outside ? "[Security] Path Traversal Blocked: "
                           : "[Security] Path Blocked: ",
                rpc::EscapeForLog(path, 500), is_outside ? " escapes " : " in ",
                root, " (Session: ",
                session.empty() ? "-" : session.substr(0, 4), ")"),
            .fields = {{"path", std::string(path)},
                       {"root", std::string(root)},
                       {"session", std::string(session)},
                       {"reason", rpc::ReasonName(rpc::ReasonOf(status))}}});
}

}  // namespace

Authorizer::Authorizer(Sessions& sessions, Bindings& bindings,
                       const ProjectRegistry& projects,
                       const PrincipalHasher& hasher, GrantSigner& signer,
                       Clock now, PathListener listener)
    : sessions_(sessions),
      bindings_(bindings),
      projects_(projects),
      hasher_(hasher),
      signer_(signer),
      now_(std::move(now)),
      listener_(std::move(listener)) {}

absl::StatusOr<Authorization> Authorizer::Authorize(
    const AuthorizeRequest& request) {
  ASSIGN_OR_RETURN(Found found, FindBinding(request));
  const WorkspaceRecord& record = found.binding.record;
  RETURN_IF_ERROR(CheckRoot(request.principal(), record.root()));
  RETURN_IF_ERROR(JudgeAccess(found.source, record.access(), request.access(),
                              found.session_handles));
  RETURN_IF_ERROR(CheckScope(request.principal(), request.access()));
  RETURN_IF_ERROR(projects_.modes().JudgeTool(record.modes(), request.tool(),
                                              request.tool_group()));
  Authorization answer;
  ASSIGN_OR_RETURN(answer.clean_paths, CleanPaths(request, found));
  std::optional<WriterRecord> turn;
  if (request.access() == session::v1::ACCESS_READ_WRITE) {
    ASSIGN_OR_RETURN(turn, bindings_.TakeTurn(record));
  }
  ASSIGN_OR_RETURN(answer.grant,
                   Sign(request.principal(), record, request.access(),
                        found.session_public_id, turn));
  answer.binding = std::move(found.binding);
  return answer;
}

absl::StatusOr<Authorizer::Found> Authorizer::FindBinding(
    const AuthorizeRequest& request) {
  const Principal& principal = request.principal();
  std::optional<SessionRecord> session;
  if (!request.session_id().empty()) {
    ASSIGN_OR_RETURN(Sessions::Live live,
                     sessions_.Use(principal, request.session_id()));
    session = std::move(live.record);
  }
  std::string url_project = request.default_project();
  if (url_project.empty() && session.has_value()) {
    url_project = session->default_project();
  }
  const std::optional<Project> only =
      projects_.OnlyProject(AllowedRoots(principal));
  const bool has_handle = session.has_value() && !session->workspaces().empty();

  Found found;
  if (session.has_value()) found.session_public_id = session->public_id();
  found.source = ChooseBinding({.workspace = request.workspace(),
                                .has_session_handle = has_handle,
                                .url_project = url_project,
                                .has_only_project = only.has_value()});
  switch (found.source) {
    case BindingSource::kHandleArgument: {
      ASSIGN_OR_RETURN(found.binding,
                       bindings_.Use(principal, request.workspace()));
      break;
    }
    case BindingSource::kNameArgument: {
      ASSIGN_OR_RETURN(const Project project,
                       FindNamed(principal, request.workspace()));
      found.binding = Implicit(project);
      break;
    }
    case BindingSource::kSessionHandle: {
      ASSIGN_OR_RETURN(
          found.binding,
          bindings_.Use(principal, *session->workspaces().rbegin()));
      if (request.access() == session::v1::ACCESS_READ_ONLY) break;
      ASSIGN_OR_RETURN(found.session_handles, HandlesOf(principal, *session));
      break;
    }
    case BindingSource::kUrlProject: {
      ASSIGN_OR_RETURN(const Project project,
                       FindNamed(principal, url_project));
      found.binding = Implicit(project);
      break;
    }
    case BindingSource::kOnlyProject: {
      found.binding = Implicit(*only);
      break;
    }
    case BindingSource::kNothing: {
      RETURN_IF_ERROR(PrincipalHasher::Check(principal));
      std::vector<std::string> names;
      for (const Project& project : projects_.List(AllowedRoots(principal))) {
        names.push_back(project.name);
      }
      return NotBound(names);
    }
  }
  if (found.session_public_id.empty()) {
    found.session_public_id = found.binding.record.public_id();
  }
  return found;
}

// By name alone: an absolute path is for activate_project.
absl::StatusOr<Project> Authorizer::FindNamed(const Principal& principal,
                                              absl::string_view name) const {
  if (absl::StartsWith(name, "/")) {
    return rpc::Error(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN,
                      "a workspace is a handle or a project's name; call "
                      "activate_project with the path");
  }
  absl::StatusOr<Project> project =
      projects_.Find(name, AllowedRoots(principal));
  if (!project.ok() && absl::StartsWith(name, "ws_")) {
    return rpc::Error(rpc::v1::ERROR_REASON_HANDLE_GONE,
                      "this is no workspace handle of this server; call "
                      "activate_project for one");
  }
  return project;
}

absl::Status Authorizer::CheckDefaultProject(const Principal& principal,
                                             absl::string_view name) const {
  if (name.empty()) return absl::OkStatus();
  return FindNamed(principal, name).status();
}

absl::StatusOr<std::vector<SessionHandle>> Authorizer::HandlesOf(
    const Principal& principal, const SessionRecord& session) {
  ASSIGN_OR_RETURN(const std::vector<Bindings::Live> live,
                   bindings_.OfSession(principal, session));
  std::vector<SessionHandle> handles;
  for (const Bindings::Live& one : live) {
    handles.push_back(
        {one.record.handle(), one.record.project_name(), one.record.root()});
  }
  return handles;
}

absl::StatusOr<std::vector<std::string>> Authorizer::CleanPaths(
    const AuthorizeRequest& request, const Found& found) const {
  const std::string& root = found.binding.record.root();
  std::vector<std::string> clean_paths;
  for (const std::string& path : request.paths()) {
    absl::StatusOr<std::string> clean = CleanPath(
        root, MapClientPath(found.binding.record.client_root(), root, path));
    if (listener_) {
      listener_(clean.ok() ? rpc::v1::ERROR_REASON_UNSPECIFIED
                           : rpc::ReasonOf(clean.status()));
    }
    if (!clean.ok()) {
      LogRefusal(clean.status(), path, root, found.session_public_id);
      return clean.status();
    }
    clean_paths.push_back(*std::move(clean));
  }
  return clean_paths;
}

absl::StatusOr<SignedGrant> Authorizer::GrantFor(
    const Principal& principal, const WorkspaceRecord& record) {
  const std::string& session = record.session_public_id().empty()
                                   ? record.public_id()
                                   : record.session_public_id();
  ASSIGN_OR_RETURN(const std::optional<WriterRecord> turn,
                   bindings_.TurnOf(record));
  return Sign(principal, record, record.access(), session, turn);
}

absl::StatusOr<SignedGrant> Authorizer::Sign(
    const Principal& principal, const WorkspaceRecord& record, Access access,
    absl::string_view session_public_id,
    const std::optional<WriterRecord>& turn) {
  ASSIGN_OR_RETURN(const PrincipalHash owner, hasher_.Hash(principal));
  Grant grant;
  grant.set_principal_hash(owner.hash);
  grant.set_trust_domain(TrustDomain(principal, record.trust_domain()));
  if (!record.handle().empty()) {
    grant.set_handle_hash(RecordKey(record.handle()));
  }
  grant.set_root(record.root());
  grant.set_access(access);
  if (turn.has_value()) grant.set_epoch(turn->epoch());
  if (record.has_identity()) *grant.mutable_identity() = record.identity();
  grant.set_session_public_id(std::string(session_public_id));
  grant.set_project_name(record.project_name());
  return signer_.Sign(std::move(grant), now_());
}

absl::StatusOr<SignedGrant> Authorizer::AuthorizeOperator(
    const Principal& principal) {
  ASSIGN_OR_RETURN(const PrincipalHash owner, hasher_.Hash(principal));
  if (!HasScope(principal, "admin")) {
    return rpc::Error(rpc::v1::ERROR_REASON_SCOPE_MISSING,
                      "this is for operators; your token lacks the scope "
                      "admin");
  }
  Grant grant;
  grant.set_principal_hash(owner.hash);
  grant.set_access(session::v1::ACCESS_READ_ONLY);
  grant.set_is_operator(true);
  return signer_.Sign(std::move(grant), now_());
}

}  // namespace banyan::sessiond
