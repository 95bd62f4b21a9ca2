// SPDX-License-Identifier: Apache-2.0
#include "sessiond/session_service.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_convert.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/session_conversions.h"
#include "sessiond/store/record_id.h"
#include "sessiond/stream_pump.h"
#include "sessiond/watch/watcher.h"

namespace banyan::sessiond {
namespace {

namespace v1 = session::v1;

using grpc::ServerContext;
using grpc::Status;

}  // namespace

Status SessionService::GenerateSession(
    ServerContext* /*context*/, const v1::GenerateSessionRequest* request,
    v1::GenerateSessionResponse* response) {
  const auto id = parts_.sessions.Generate(request->principal());
  if (!id.ok()) return rpc::ToGrpc(id.status());
  response->set_session_id(*id);
  return Status::OK;
}

Status SessionService::CreateSession(ServerContext* /*context*/,
                                     const v1::CreateSessionRequest* request,
                                     v1::CreateSessionResponse* response) {
  const absl::Status is_known = parts_.authorizer.CheckDefaultProject(
      request->principal(), request->default_project());
  if (!is_known.ok()) return rpc::ToGrpc(is_known);
  const auto session =
      parts_.sessions.Create(request->principal(), request->session_id(),
                             [request](v1::SessionRecord& record) {
                               return FillRecord(*request, record);
                             });
  if (!session.ok()) return rpc::ToGrpc(session.status());
  auto proto = ToProto(request->principal(), *session);
  if (!proto.ok()) return rpc::ToGrpc(proto.status());
  *response->mutable_session() = *std::move(proto);
  return Status::OK;
}

Status SessionService::GetSession(ServerContext* /*context*/,
                                  const v1::GetSessionRequest* request,
                                  v1::GetSessionResponse* response) {
  const auto session =
      parts_.sessions.Get(request->principal(), request->session_id());
  if (!session.ok()) return rpc::ToGrpc(session.status());
  auto proto = ToProto(request->principal(), *session);
  if (!proto.ok()) return rpc::ToGrpc(proto.status());
  *response->mutable_session() = *std::move(proto);
  return Status::OK;
}

Status SessionService::ValidateSession(
    ServerContext* /*context*/, const v1::ValidateSessionRequest* request,
    v1::ValidateSessionResponse* response) {
  const auto session =
      parts_.sessions.Validate(request->principal(), request->session_id());
  if (!session.ok()) return rpc::ToGrpc(session.status());
  response->set_is_live(session->has_value());
  if (!session->has_value()) return Status::OK;
  auto proto = ToProto(request->principal(), **session);
  if (!proto.ok()) return rpc::ToGrpc(proto.status());
  *response->mutable_session() = *std::move(proto);
  return Status::OK;
}

Status SessionService::UpdateSession(ServerContext* /*context*/,
                                     const v1::UpdateSessionRequest* request,
                                     v1::UpdateSessionResponse* response) {
  const auto session = parts_.sessions.Update(
      request->principal(), request->session_id(), request->expected_version(),
      [request](v1::SessionRecord& record) {
        return ChangeRecord(*request, record);
      });
  if (!session.ok()) return rpc::ToGrpc(session.status());
  auto proto = ToProto(request->principal(), *session);
  if (!proto.ok()) return rpc::ToGrpc(proto.status());
  *response->mutable_session() = *std::move(proto);
  return Status::OK;
}

Status SessionService::TerminateSession(
    ServerContext* /*context*/, const v1::TerminateSessionRequest* request,
    v1::TerminateSessionResponse* response) {
  absl::StatusOr<bool> was_live;
  if (request->public_id().empty()) {
    was_live =
        parts_.sessions.Terminate(request->principal(), request->session_id());
  } else {
    const absl::Status is_operator =
        parts_.authorizer.AuthorizeOperator(request->principal()).status();
    if (!is_operator.ok()) return rpc::ToGrpc(is_operator);
    was_live = parts_.sessions.TerminatePublic(request->public_id());
  }
  if (!was_live.ok()) return rpc::ToGrpc(was_live.status());
  // Else its turn as a writer lapses by itself.
  if (*was_live) {
    (void)parts_.bindings.writers().FreeOfSession(
        request->public_id().empty()
            ? PublicId(RecordKey(request->session_id()))
            : request->public_id());
  }
  response->set_was_live(*was_live);
  return Status::OK;
}

Status SessionService::ListSessions(ServerContext* /*context*/,
                                    const v1::ListSessionsRequest* request,
                                    v1::ListSessionsResponse* response) {
  const auto entries = parts_.overview.ListSessions(request->principal());
  if (!entries.ok()) return rpc::ToGrpc(entries.status());
  for (const Overview::Entry& entry : *entries) {
    auto* proto = response->add_entries();
    if (entry.session.has_value()) {
      *proto->mutable_session() = sessiond::ToProto(*entry.session);
      // A page needs no handle.
      proto->mutable_session()->clear_default_workspace();
    }
    if (entry.workspace.has_value()) {
      *proto->mutable_workspace() = ToProto(*entry.workspace);
      proto->mutable_workspace()->clear_handle();
    }
  }
  return Status::OK;
}

Status SessionService::ListProjects(ServerContext* /*context*/,
                                    const v1::ListProjectsRequest* request,
                                    v1::ListProjectsResponse* response) {
  const auto projects = parts_.overview.ListProjects(request->principal());
  if (!projects.ok()) return rpc::ToGrpc(projects.status());
  for (const Overview::ListedProject& project : *projects) {
    *response->add_projects() = sessiond::ToProto(project);
  }
  return Status::OK;
}

Status SessionService::BindWorkspace(ServerContext* /*context*/,
                                     const v1::BindWorkspaceRequest* request,
                                     v1::BindWorkspaceResponse* response) {
  const auto bound = parts_.bindings.Bind(*request);
  if (!bound.ok()) return rpc::ToGrpc(bound.status());
  auto grant =
      parts_.authorizer.GrantFor(request->principal(), bound->live.record);
  if (!grant.ok()) return rpc::ToGrpc(grant.status());
  const auto turn = parts_.bindings.TurnOf(bound->live.record);
  if (!turn.ok()) return rpc::ToGrpc(turn.status());
  *response->mutable_workspace() = ToProto(bound->live);
  if (turn->has_value()) {
    response->mutable_workspace()->set_writer_since_unix_ms(
        (*turn)->since_unix_ms());
    response->mutable_workspace()->set_writer_expires_unix_ms(
        absl::ToUnixMillis(parts_.bindings.writers().Expires(**turn)));
  }
  *response->mutable_grant() = *std::move(grant);
  response->set_was_reused(bound->was_reused);
  return Status::OK;
}

Status SessionService::RecordRoot(ServerContext* /*context*/,
                                  const v1::RecordRootRequest* request,
                                  v1::RecordRootResponse* response) {
  const auto live = parts_.bindings.RecordRoot(*request);
  if (!live.ok()) return rpc::ToGrpc(live.status());
  auto grant = parts_.authorizer.GrantFor(request->principal(), live->record);
  if (!grant.ok()) return rpc::ToGrpc(grant.status());
  *response->mutable_workspace() = ToProto(*live);
  *response->mutable_grant() = *std::move(grant);
  return Status::OK;
}

Status SessionService::GetWorkspace(ServerContext* /*context*/,
                                    const v1::GetWorkspaceRequest* request,
                                    v1::GetWorkspaceResponse* response) {
  const auto live =
      parts_.bindings.Get(request->principal(), request->handle());
  if (!live.ok()) return rpc::ToGrpc(live.status());
  *response->mutable_workspace() = ToProto(*live);
  return Status::OK;
}

Status SessionService::ListWorkspaces(ServerContext* /*context*/,
                                      const v1::ListWorkspacesRequest* request,
                                      v1::ListWorkspacesResponse* response) {
  const auto visible = parts_.overview.ListWorkspaces(
      request->principal(), request->session_id(), request->root());
  if (!visible.ok()) return rpc::ToGrpc(visible.status());
  for (const Overview::Visible& one : *visible) {
    auto* proto = response->add_workspaces();
    *proto = ToProto(one.workspace);
    if (!one.is_own) proto->clear_handle();
  }
  return Status::OK;
}

Status SessionService::UpdateWorkspace(
    ServerContext* /*context*/, const v1::UpdateWorkspaceRequest* request,
    v1::UpdateWorkspaceResponse* response) {
  const auto live = parts_.bindings.Update(*request);
  if (!live.ok()) return rpc::ToGrpc(live.status());
  *response->mutable_workspace() = ToProto(*live);
  return Status::OK;
}

Status SessionService::ReleaseWorkspace(
    ServerContext* /*context*/, const v1::ReleaseWorkspaceRequest* request,
    v1::ReleaseWorkspaceResponse* response) {
  const auto was_live = parts_.bindings.Release(
      request->principal(), request->handle(), request->session_id());
  if (!was_live.ok()) return rpc::ToGrpc(was_live.status());
  response->set_was_live(*was_live);
  return Status::OK;
}

Status SessionService::Authorize(ServerContext* /*context*/,
                                 const v1::AuthorizeRequest* request,
                                 v1::AuthorizeResponse* response) {
  auto granted = parts_.authorizer.Authorize(*request);
  if (!granted.ok()) return rpc::ToGrpc(granted.status());
  *response->mutable_grant() = std::move(granted->grant);
  *response->mutable_workspace() = ToProto(granted->binding);
  response->mutable_clean_paths()->Assign(granted->clean_paths.begin(),
                                          granted->clean_paths.end());
  return Status::OK;
}

Status SessionService::AuthorizeOperator(
    ServerContext* /*context*/, const v1::AuthorizeOperatorRequest* request,
    v1::AuthorizeOperatorResponse* response) {
  auto grant = parts_.authorizer.AuthorizeOperator(request->principal());
  if (!grant.ok()) return rpc::ToGrpc(grant.status());
  *response->mutable_grant() = *std::move(grant);
  return Status::OK;
}

Status SessionService::GetEdgeKeys(ServerContext* /*context*/,
                                   const v1::GetEdgeKeysRequest* /*request*/,
                                   v1::GetEdgeKeysResponse* response) {
  for (const SecretKey& key : parts_.edge_keys.keys()) {
    auto* proto = response->add_keys();
    proto->set_key_id(key.id);
    proto->set_secret(key.secret);
  }
  return Status::OK;
}

Status SessionService::AppendEvents(ServerContext* /*context*/,
                                    const v1::AppendEventsRequest* request,
                                    v1::AppendEventsResponse* response) {
  const absl::Status is_valid = CheckEvents(*request);
  if (!is_valid.ok()) return rpc::ToGrpc(is_valid);
  const auto session =
      parts_.sessions.Use(request->principal(), request->session_id());
  if (!session.ok()) return rpc::ToGrpc(session.status());
  const auto ids =
      parts_.rings.Append(session->key, request->stream(),
                          {request->events().begin(), request->events().end()},
                          request->ends_stream());
  if (!ids.ok()) return rpc::ToGrpc(ids.status());
  response->mutable_event_ids()->Assign(ids->begin(), ids->end());
  return Status::OK;
}

Status SessionService::ReadEvents(ServerContext* /*context*/,
                                  const v1::ReadEventsRequest* request,
                                  v1::ReadEventsResponse* response) {
  const auto session =
      parts_.sessions.Use(request->principal(), request->session_id());
  if (!session.ok()) return rpc::ToGrpc(session.status());
  auto reading = parts_.rings.Read(session->key, request->stream(),
                                   request->after_event_id());
  if (!reading.ok()) return rpc::ToGrpc(reading.status());
  *response = sessiond::ToProto(*std::move(reading));
  return Status::OK;
}

Status SessionService::Watch(
    ServerContext* context,
    grpc::ServerReaderWriter<v1::WatchResponse, v1::WatchRequest>* stream) {
  const auto lease = parts_.streams.Add([context] { context->TryCancel(); });
  v1::WatchRequest first;
  if (lease == nullptr || !stream->Read(&first)) return Status::CANCELLED;
  Watcher watcher(parts_.feed, parts_.ring_feed);
  const absl::Status started = watcher.Start(first.from_revision());
  if (!started.ok()) return rpc::ToGrpc(started);
  watcher.Hear(first);
  PumpStream<v1::WatchRequest, v1::WatchResponse>(
      *context, *stream,
      [&watcher](const v1::WatchRequest& request) { watcher.Hear(request); },
      [&watcher] { return watcher.Next(); }, [&watcher] { watcher.Stop(); });
  return Status::OK;
}

absl::StatusOr<v1::Session> SessionService::ToProto(
    const v1::Principal& principal, const Sessions::Live& session) const {
  v1::Session proto = sessiond::ToProto(session);
  if (proto.default_workspace().empty()) return proto;
  const auto workspace =
      parts_.bindings.Get(principal, proto.default_workspace());
  if (workspace.ok()) {
    *proto.mutable_tool_filter() =
        parts_.modes.FilterOf(workspace->record.modes());
  } else if (rpc::ReasonOf(workspace.status()) !=
             rpc::v1::ERROR_REASON_HANDLE_GONE) {
    return workspace.status();
  }
  return proto;
}

v1::Workspace SessionService::ToProto(const Bindings::Live& workspace) const {
  v1::Workspace proto = sessiond::ToProto(workspace, parts_.bindings.limits());
  if (!workspace.record.modes().empty()) {
    *proto.mutable_tool_filter() =
        parts_.modes.FilterOf(workspace.record.modes());
  }
  return proto;
}

}  // namespace banyan::sessiond
