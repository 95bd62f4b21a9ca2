// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/grpc_session_client.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "banyan/session/v1/session_service.grpc.pb.h"

namespace banyan::edge {
namespace {

using Stub = session::v1::SessionService::Stub;
using Repeat = DaemonConnection::Repeat;

DaemonConnection::Method Ordinary(absl::string_view name) {
  return {"SessionService", name, Repeat::kOnce, absl::Seconds(10)};
}

// Asked on the way of every call.
DaemonConnection::Method Quick(absl::string_view name) {
  return {"SessionService", name, Repeat::kOnce, absl::Seconds(3)};
}

// A second CreateSession would find the session live and be refused, a second
// AppendEvents would keep the events twice.
DaemonConnection::Method Unrepeatable(absl::string_view name) {
  return {"SessionService", name, Repeat::kNever, absl::Seconds(10)};
}

class GrpcSessionClient final : public SessionClient {
 public:
  GrpcSessionClient(std::shared_ptr<grpc::Channel> channel,
                    DaemonOptions options)
      : connection_("sessiond", std::move(channel), options),
        stub_(connection_.channel()) {}

  absl::StatusOr<session::v1::GenerateSessionResponse> GenerateSession(
      const session::v1::GenerateSessionRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("GenerateSession"), stub_,
                            &Stub::AsyncGenerateSession, request, call);
  }

  absl::StatusOr<session::v1::CreateSessionResponse> CreateSession(
      const session::v1::CreateSessionRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Unrepeatable("CreateSession"), stub_,
                            &Stub::AsyncCreateSession, request, call);
  }

  absl::StatusOr<session::v1::ValidateSessionResponse> ValidateSession(
      const session::v1::ValidateSessionRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Quick("ValidateSession"), stub_,
                            &Stub::AsyncValidateSession, request, call);
  }

  absl::StatusOr<session::v1::UpdateSessionResponse> UpdateSession(
      const session::v1::UpdateSessionRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("UpdateSession"), stub_,
                            &Stub::AsyncUpdateSession, request, call);
  }

  absl::StatusOr<session::v1::TerminateSessionResponse> TerminateSession(
      const session::v1::TerminateSessionRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("TerminateSession"), stub_,
                            &Stub::AsyncTerminateSession, request, call);
  }

  absl::StatusOr<session::v1::ListSessionsResponse> ListSessions(
      const session::v1::ListSessionsRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("ListSessions"), stub_,
                            &Stub::AsyncListSessions, request, call);
  }

  absl::StatusOr<session::v1::ListProjectsResponse> ListProjects(
      const session::v1::ListProjectsRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("ListProjects"), stub_,
                            &Stub::AsyncListProjects, request, call);
  }

  absl::StatusOr<session::v1::BindWorkspaceResponse> BindWorkspace(
      const session::v1::BindWorkspaceRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("BindWorkspace"), stub_,
                            &Stub::AsyncBindWorkspace, request, call);
  }

  absl::StatusOr<session::v1::RecordRootResponse> RecordRoot(
      const session::v1::RecordRootRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("RecordRoot"), stub_,
                            &Stub::AsyncRecordRoot, request, call);
  }

  absl::StatusOr<session::v1::ListWorkspacesResponse> ListWorkspaces(
      const session::v1::ListWorkspacesRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("ListWorkspaces"), stub_,
                            &Stub::AsyncListWorkspaces, request, call);
  }

  absl::StatusOr<session::v1::ReleaseWorkspaceResponse> ReleaseWorkspace(
      const session::v1::ReleaseWorkspaceRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("ReleaseWorkspace"), stub_,
                            &Stub::AsyncReleaseWorkspace, request, call);
  }

  absl::StatusOr<session::v1::AuthorizeResponse> Authorize(
      const session::v1::AuthorizeRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Quick("Authorize"), stub_, &Stub::AsyncAuthorize,
                            request, call);
  }

  absl::StatusOr<session::v1::AuthorizeOperatorResponse> AuthorizeOperator(
      const session::v1::AuthorizeOperatorRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Quick("AuthorizeOperator"), stub_,
                            &Stub::AsyncAuthorizeOperator, request, call);
  }

  absl::StatusOr<session::v1::GetEdgeKeysResponse> GetEdgeKeys(
      const session::v1::GetEdgeKeysRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("GetEdgeKeys"), stub_,
                            &Stub::AsyncGetEdgeKeys, request, call);
  }

  absl::StatusOr<session::v1::AppendEventsResponse> AppendEvents(
      const session::v1::AppendEventsRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Unrepeatable("AppendEvents"), stub_,
                            &Stub::AsyncAppendEvents, request, call);
  }

  absl::StatusOr<session::v1::ReadEventsResponse> ReadEvents(
      const session::v1::ReadEventsRequest& request,
      const rpc::CallContext& call) override {
    return connection_.Call(Ordinary("ReadEvents"), stub_,
                            &Stub::AsyncReadEvents, request, call);
  }

 private:
  DaemonConnection connection_;
  Stub stub_;
};

}  // namespace

std::unique_ptr<SessionClient> NewGrpcSessionClient(
    std::shared_ptr<grpc::Channel> channel, DaemonOptions options) {
  return std::make_unique<GrpcSessionClient>(std::move(channel), options);
}

}  // namespace banyan::edge
