// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_SESSION_CLIENT_H_
#define EDGE_CLIENTS_SESSION_CLIENT_H_

#include "absl/status/statusor.h"
#include "banyan/session/v1/session_service.pb.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// sessiond, as the edge asks it. Every error carries the reason that
// session_service.proto names, and besides:
//   DAEMON_UNREACHABLE  sessiond did not come back within the restart wait
//   DEADLINE            it did not answer in time
//
// While sessiond restarts a call waits for it. A call that was interrupted is
// asked again once, but for CreateSession and AppendEvents.
//
// Thread-safe; calls block.
class SessionClient {
 public:
  virtual ~SessionClient() = default;

  virtual absl::StatusOr<session::v1::GenerateSessionResponse> GenerateSession(
      const session::v1::GenerateSessionRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::CreateSessionResponse> CreateSession(
      const session::v1::CreateSessionRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::ValidateSessionResponse> ValidateSession(
      const session::v1::ValidateSessionRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::UpdateSessionResponse> UpdateSession(
      const session::v1::UpdateSessionRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::TerminateSessionResponse>
  TerminateSession(const session::v1::TerminateSessionRequest& request,
                   const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::ListSessionsResponse> ListSessions(
      const session::v1::ListSessionsRequest& request,
      const rpc::CallContext& call) = 0;

  virtual absl::StatusOr<session::v1::ListProjectsResponse> ListProjects(
      const session::v1::ListProjectsRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::BindWorkspaceResponse> BindWorkspace(
      const session::v1::BindWorkspaceRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::RecordRootResponse> RecordRoot(
      const session::v1::RecordRootRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::ListWorkspacesResponse> ListWorkspaces(
      const session::v1::ListWorkspacesRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::ReleaseWorkspaceResponse>
  ReleaseWorkspace(const session::v1::ReleaseWorkspaceRequest& request,
                   const rpc::CallContext& call) = 0;

  virtual absl::StatusOr<session::v1::AuthorizeResponse> Authorize(
      const session::v1::AuthorizeRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::AuthorizeOperatorResponse>
  AuthorizeOperator(const session::v1::AuthorizeOperatorRequest& request,
                    const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::GetEdgeKeysResponse> GetEdgeKeys(
      const session::v1::GetEdgeKeysRequest& request,
      const rpc::CallContext& call) = 0;

  // Asked once: the event may have been kept when the answer was lost.
  virtual absl::StatusOr<session::v1::AppendEventsResponse> AppendEvents(
      const session::v1::AppendEventsRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<session::v1::ReadEventsResponse> ReadEvents(
      const session::v1::ReadEventsRequest& request,
      const rpc::CallContext& call) = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_SESSION_CLIENT_H_
