// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_SESSION_SERVICE_H_
#define SESSIOND_SESSION_SERVICE_H_

#include "banyan/session/v1/session_service.grpc.pb.h"
#include "sessiond/bindings/authorizer.h"
#include "sessiond/bindings/bindings.h"
#include "sessiond/bindings/overview.h"
#include "sessiond/keys/key_ring.h"
#include "sessiond/open_streams.h"
#include "sessiond/sessions/sessions.h"
#include "sessiond/store/event_rings.h"
#include "sessiond/watch/change_feed.h"
#include "sessiond/watch/ring_feed.h"

namespace banyan::sessiond {

// The gRPC door: converts, calls, converts. Everything passed outlives it.
class SessionService : public session::v1::SessionService::Service {
 public:
  struct Parts {
    Sessions& sessions;
    Bindings& bindings;
    Authorizer& authorizer;
    Overview& overview;
    EventRings& rings;
    ChangeFeed& feed;
    RingFeed& ring_feed;
    OpenStreams& streams;
    const Modes& modes;
    const KeyRing& edge_keys;
  };

  explicit SessionService(const Parts& parts) : parts_(parts) {}

  grpc::Status GenerateSession(
      grpc::ServerContext* context,
      const session::v1::GenerateSessionRequest* request,
      session::v1::GenerateSessionResponse* response) override;
  grpc::Status CreateSession(
      grpc::ServerContext* context,
      const session::v1::CreateSessionRequest* request,
      session::v1::CreateSessionResponse* response) override;
  grpc::Status GetSession(grpc::ServerContext* context,
                          const session::v1::GetSessionRequest* request,
                          session::v1::GetSessionResponse* response) override;
  grpc::Status ValidateSession(
      grpc::ServerContext* context,
      const session::v1::ValidateSessionRequest* request,
      session::v1::ValidateSessionResponse* response) override;
  grpc::Status UpdateSession(
      grpc::ServerContext* context,
      const session::v1::UpdateSessionRequest* request,
      session::v1::UpdateSessionResponse* response) override;
  grpc::Status TerminateSession(
      grpc::ServerContext* context,
      const session::v1::TerminateSessionRequest* request,
      session::v1::TerminateSessionResponse* response) override;
  grpc::Status ListSessions(
      grpc::ServerContext* context,
      const session::v1::ListSessionsRequest* request,
      session::v1::ListSessionsResponse* response) override;
  grpc::Status ListProjects(
      grpc::ServerContext* context,
      const session::v1::ListProjectsRequest* request,
      session::v1::ListProjectsResponse* response) override;
  grpc::Status BindWorkspace(
      grpc::ServerContext* context,
      const session::v1::BindWorkspaceRequest* request,
      session::v1::BindWorkspaceResponse* response) override;
  grpc::Status RecordRoot(grpc::ServerContext* context,
                          const session::v1::RecordRootRequest* request,
                          session::v1::RecordRootResponse* response) override;
  grpc::Status GetWorkspace(
      grpc::ServerContext* context,
      const session::v1::GetWorkspaceRequest* request,
      session::v1::GetWorkspaceResponse* response) override;
  grpc::Status ListWorkspaces(
      grpc::ServerContext* context,
      const session::v1::ListWorkspacesRequest* request,
      session::v1::ListWorkspacesResponse* response) override;
  grpc::Status UpdateWorkspace(
      grpc::ServerContext* context,
      const session::v1::UpdateWorkspaceRequest* request,
      session::v1::UpdateWorkspaceResponse* response) override;
  grpc::Status ReleaseWorkspace(
      grpc::ServerContext* context,
      const session::v1::ReleaseWorkspaceRequest* request,
      session::v1::ReleaseWorkspaceResponse* response) override;
  grpc::Status Authorize(grpc::ServerContext* context,
                         const session::v1::AuthorizeRequest* request,
                         session::v1::AuthorizeResponse* response) override;
  grpc::Status AuthorizeOperator(
      grpc::ServerContext* context,
      const session::v1::AuthorizeOperatorRequest* request,
      session::v1::AuthorizeOperatorResponse* response) override;
  grpc::Status GetEdgeKeys(grpc::ServerContext* context,
                           const session::v1::GetEdgeKeysRequest* request,
                           session::v1::GetEdgeKeysResponse* response) override;
  grpc::Status AppendEvents(
      grpc::ServerContext* context,
      const session::v1::AppendEventsRequest* request,
      session::v1::AppendEventsResponse* response) override;
  grpc::Status ReadEvents(grpc::ServerContext* context,
                          const session::v1::ReadEventsRequest* request,
                          session::v1::ReadEventsResponse* response) override;
  grpc::Status Watch(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<session::v1::WatchResponse,
                               session::v1::WatchRequest>* stream) override;

 private:
  // With what the modes of the default workspace hide.
  absl::StatusOr<session::v1::Session> ToProto(
      const session::v1::Principal& principal,
      const Sessions::Live& session) const;
  session::v1::Workspace ToProto(const Bindings::Live& workspace) const;

  const Parts parts_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_SESSION_SERVICE_H_
