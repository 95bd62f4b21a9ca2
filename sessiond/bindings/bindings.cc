// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/bindings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/bindings/bind_request.h"
#include "sessiond/store/record_id.h"

namespace banyan::sessiond {
namespace {

using session::v1::BindWorkspaceRequest;
using session::v1::Principal;
using session::v1::RecordRootRequest;
using session::v1::RootIdentity;
using session::v1::SessionRecord;
using session::v1::UpdateWorkspaceRequest;
using session::v1::WorkspaceRecord;
using session::v1::WriterRecord;

absl::Status Gone() {
  return rpc::Error(rpc::v1::ERROR_REASON_HANDLE_GONE,
                    "this workspace handle is gone (released, expired or never "
                    "yours); call activate_project for a new one");
}

bool IsGone(const absl::Status& status) {
  return !status.ok() &&
         rpc::ReasonOf(status) == rpc::v1::ERROR_REASON_HANDLE_GONE;
}

bool IsSame(const RootIdentity& a, const RootIdentity& b) {
  return a.device() == b.device() && a.inode() == b.inode() &&
         a.birth_ns() == b.birth_ns();
}

bool FitsInsteadOf(const WorkspaceRecord& record,
                   const WorkspaceRecord& wanted) {
  return record.root() == wanted.root() && record.access() == wanted.access() &&
         std::equal(record.modes().begin(), record.modes().end(),
                    wanted.modes().begin(), wanted.modes().end());
}

absl::Status Full(WriteResult result) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_SESSION_LIMIT,
      result == WriteResult::kPrincipalFull
          ? "you hold as many workspaces as one user may; release one, or "
            "activate with reuse"
          : "this server holds as many workspaces as it can; try again later");
}

}  // namespace

absl::StatusOr<Bindings::Bound> Bindings::Bind(
    const BindWorkspaceRequest& request) {
  const Principal& principal = request.principal();
  RETURN_IF_ERROR(PrincipalHasher::Check(principal));
  std::optional<SessionRecord> session;
  if (!request.session_id().empty()) {
    ASSIGN_OR_RETURN(Sessions::Live live,
                     sessions_.Use(principal, request.session_id()));
    session = std::move(live.record);
  }
  ASSIGN_OR_RETURN(
      WorkspaceRecord record,
      ToWorkspaceRecord(request, session.has_value() ? &*session : nullptr,
                        projects_));
  std::optional<Live> live;
  if (request.reuse()) {
    ASSIGN_OR_RETURN(live, FindReusable(principal, record));
  }
  const bool was_reused = live.has_value();
  if (!was_reused) {
    ASSIGN_OR_RETURN(live, Mint(principal, std::move(record)));
  }
  absl::Status status = TakeTurn(live->record).status();
  if (status.ok() && session.has_value()) {
    // The session may have ended meanwhile.
    status = MakeDefault(principal, request.session_id(), *live);
  }
  if (!status.ok()) {
    // Nobody would ever learn of a new handle.
    if (!was_reused) {
      (void)owned_.Remove(live->key, live->record, /*version=*/0,
                          SessionEvent::kTerminated);
      (void)writers_.Free(live->record.root(), live->key);
    }
    return status;
  }
  return Bound{*std::move(live), was_reused};
}

absl::StatusOr<std::optional<Bindings::Live>> Bindings::FindReusable(
    const Principal& principal, const WorkspaceRecord& wanted) {
  ASSIGN_OR_RETURN(const std::vector<Live> own, List(principal));
  const Live* newest = nullptr;
  for (const Live& live : own) {
    if (!FitsInsteadOf(live.record, wanted)) continue;
    if (newest == nullptr || newest->last_used < live.last_used) newest = &live;
  }
  if (newest == nullptr) return std::optional<Live>();
  return owned_.Find(principal, newest->key, /*is_use=*/true);
}

absl::StatusOr<Bindings::Live> Bindings::Mint(const Principal& principal,
                                              WorkspaceRecord record) {
  record.set_handle(NewWorkspaceHandle());
  const std::string key = RecordKey(record.handle());
  ASSIGN_OR_RETURN(const WriteResult result,
                   owned_.Create(principal, key, &record));
  if (result != WriteResult::kDone) return Full(result);
  owned_.Tell(record, SessionEvent::kCreated);
  return owned_.ToLive(key, std::move(record));
}

absl::Status Bindings::MakeDefault(const Principal& principal,
                                   absl::string_view session_id,
                                   const Live& live) {
  const auto add = [&](SessionRecord& session) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<Live> others,
                     OfSession(principal, session));
    std::vector<WorkspaceRecord> records;
    for (const Live& other : others) records.push_back(other.record);
    records.push_back(live.record);
    const std::vector<std::string> handles =
        WithDefault({session.workspaces().begin(), session.workspaces().end()},
                    live.record.handle(), records);
    session.mutable_workspaces()->Assign(handles.begin(), handles.end());
    return absl::OkStatus();
  };
  return sessions_.Update(principal, session_id, /*expected_version=*/0, add)
      .status();
}

absl::StatusOr<Bindings::Live> Bindings::RecordRoot(
    const RecordRootRequest& request) {
  const Principal& principal = request.principal();
  ASSIGN_OR_RETURN(const Live live, Use(principal, request.handle()));
  std::optional<Project> moved;
  if (!request.canonical_root().empty() &&
      request.canonical_root() != live.record.root()) {
    ASSIGN_OR_RETURN(moved,
                     projects_.FindRoot(request.canonical_root(),
                                        {principal.allowed_roots().begin(),
                                         principal.allowed_roots().end()}));
  }
  const auto record_root = [&](WorkspaceRecord& record) -> absl::Status {
    if (record.has_identity() &&
        !IsSame(record.identity(), request.identity())) {
      return rpc::Error(
          rpc::v1::ERROR_REASON_ROOT_REPLACED,
          "the folder at this path is another one than when the workspace was "
          "activated; call activate_project again");
    }
    if (moved.has_value()) {
      record.set_root(moved->root);
      record.set_project_name(moved->name);
      record.set_trust_domain(moved->trust_domain);
    }
    *record.mutable_identity() = request.identity();
    *record.mutable_languages() = request.languages();
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(std::optional<WorkspaceRecord> changed,
                   owned_.records().Change(live.key, record_root));
  if (!changed.has_value()) return Gone();
  return owned_.ToLive(live.key, *std::move(changed));
}

absl::StatusOr<Bindings::Live> Bindings::Update(
    const UpdateWorkspaceRequest& request) {
  RETURN_IF_ERROR(projects_.modes().Check(request.modes().modes()));
  ASSIGN_OR_RETURN(const Live live, Use(request.principal(), request.handle()));
  const auto update = [&request](WorkspaceRecord& record) -> absl::Status {
    if (request.expected_version() != 0 &&
        record.version() != request.expected_version()) {
      return rpc::Error(rpc::v1::ERROR_REASON_VERSION_CONFLICT,
                        "the workspace has changed; read it again and repeat "
                        "the change");
    }
    const bool is_narrower =
        request.access() == session::v1::ACCESS_UNSPECIFIED ||
        request.access() == record.access() ||
        request.access() == session::v1::ACCESS_READ_ONLY;
    if (!is_narrower) {
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        "the access of a workspace is never widened; call "
                        "activate_project for another one");
    }
    if (request.has_modes()) SetModes(request.modes().modes(), record);
    if (request.access() != session::v1::ACCESS_UNSPECIFIED) {
      record.set_access(request.access());
    }
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(std::optional<WorkspaceRecord> changed,
                   owned_.records().Change(live.key, update));
  if (!changed.has_value()) return Gone();
  if (changed->access() == session::v1::ACCESS_READ_ONLY) {
    RETURN_IF_ERROR(writers_.Free(changed->root(), live.key));
  }
  return owned_.ToLive(live.key, *std::move(changed));
}

bool Bindings::TakesOneWriter(const std::string& root) const {
  const absl::StatusOr<Project> project = projects_.FindRoot(root, {});
  return project.ok() && project->has_exclusive_writer;
}

absl::StatusOr<std::optional<WriterRecord>> Bindings::TakeTurn(
    const WorkspaceRecord& record) {
  if (record.access() != session::v1::ACCESS_READ_WRITE ||
      !TakesOneWriter(record.root())) {
    return std::optional<WriterRecord>();
  }
  ASSIGN_OR_RETURN(
      WriterRecord turn,
      writers_.Take(record.root(),
                    {.handle_key = RecordKey(record.handle()),
                     .session_public_id = record.session_public_id(),
                     .client_name = record.client_name()}));
  return std::make_optional(std::move(turn));
}

absl::StatusOr<std::optional<WriterRecord>> Bindings::TurnOf(
    const WorkspaceRecord& record) {
  if (record.access() != session::v1::ACCESS_READ_WRITE ||
      !TakesOneWriter(record.root())) {
    return std::optional<WriterRecord>();
  }
  ASSIGN_OR_RETURN(std::optional<WriterRecord> turn,
                   writers_.Of(record.root()));
  if (turn.has_value() && turn->handle_hash() != RecordKey(record.handle())) {
    turn.reset();
  }
  return turn;
}

absl::StatusOr<Bindings::Live> Bindings::Get(const Principal& principal,
                                             absl::string_view handle) {
  return Find(principal, handle, /*is_use=*/false);
}

absl::StatusOr<Bindings::Live> Bindings::Use(const Principal& principal,
                                             absl::string_view handle) {
  return Find(principal, handle, /*is_use=*/true);
}

absl::StatusOr<Bindings::Live> Bindings::Find(const Principal& principal,
                                              absl::string_view handle,
                                              bool is_use) {
  RETURN_IF_ERROR(PrincipalHasher::Check(principal));
  if (!IsWorkspaceHandle(handle)) return Gone();
  ASSIGN_OR_RETURN(std::optional<Live> live,
                   owned_.Find(principal, RecordKey(handle), is_use));
  if (!live.has_value()) return Gone();
  return *std::move(live);
}

absl::StatusOr<bool> Bindings::Release(const Principal& principal,
                                       absl::string_view handle,
                                       absl::string_view session_id) {
  std::string released(handle);
  if (!session_id.empty()) {
    ASSIGN_OR_RETURN(const Sessions::Live session,
                     sessions_.Use(principal, session_id));
    if (released.empty() && !session.record.workspaces().empty()) {
      released = *session.record.workspaces().rbegin();
    }
  }
  if (released.empty()) return false;
  const absl::StatusOr<Live> live = Get(principal, released);
  if (!live.ok() && !IsGone(live.status())) return live.status();
  bool was_live = false;
  if (live.ok()) {
    ASSIGN_OR_RETURN(was_live,
                     owned_.Remove(live->key, live->record, /*version=*/0,
                                   SessionEvent::kTerminated));
    if (TakesOneWriter(live->record.root())) {
      RETURN_IF_ERROR(writers_.Free(live->record.root(), live->key));
    }
  }
  if (!session_id.empty()) {
    RETURN_IF_ERROR(LeaveSession(principal, session_id, released));
  }
  return was_live;
}

absl::Status Bindings::LeaveSession(const Principal& principal,
                                    absl::string_view session_id,
                                    const std::string& handle) {
  const auto leave = [&handle](SessionRecord& session) {
    auto& handles = *session.mutable_workspaces();
    handles.erase(std::remove(handles.begin(), handles.end(), handle),
                  handles.end());
    return absl::OkStatus();
  };
  return sessions_.Update(principal, session_id, /*expected_version=*/0, leave)
      .status();
}

absl::StatusOr<std::vector<Bindings::Live>> Bindings::OfSession(
    const Principal& principal, const SessionRecord& session) {
  std::vector<Live> handles;
  for (const std::string& handle : session.workspaces()) {
    absl::StatusOr<Live> live = Get(principal, handle);
    if (live.ok()) {
      handles.push_back(*std::move(live));
    } else if (!IsGone(live.status())) {
      return live.status();
    }
  }
  return handles;
}

}  // namespace banyan::sessiond
