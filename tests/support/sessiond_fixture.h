// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_SESSIOND_FIXTURE_H_
#define TESTS_SUPPORT_SESSIOND_FIXTURE_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "banyan/session/v1/registration_service.grpc.pb.h"
#include "banyan/session/v1/session_service.grpc.pb.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/status_convert.h"
#include "sessiond/sessiond.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan {

// A whole session daemon behind an in-process channel, with its records in a
// folder that outlives a restart.
class SessiondFixture : public ::testing::Test {
 protected:
  using Service = session::v1::SessionService;

  SessiondFixture() { Start(data_.path()); }
  ~SessiondFixture() override { Stop(); }

  sessiond::Sessiond::Options Options(const std::string& data_dir) {
    return {.data_dir = data_dir,
            .projects = {"back=/srv/back", "front=/srv/front"},
            .housekeeping_interval = absl::Hours(1),
            .metrics = registry_,
            .now = clock_.AsFunction()};
  }

  void Start(const std::string& data_dir) {
    auto sessiond = sessiond::Sessiond::Create(Options(data_dir));
    ASSERT_THAT(sessiond, IsOk());
    sessiond_ = *std::move(sessiond);
    server_ = std::make_unique<rpc::GrpcServer>(rpc::GrpcServer::Options{});
    ASSERT_THAT(server_->Start(sessiond_->services()), IsOk());
    channel_ = server_->InProcessChannel();
    stub_ = Service::NewStub(channel_);
  }

  void Stop() {
    if (sessiond_ == nullptr) return;
    sessiond_->EndStreams();
    server_->Drain(absl::Seconds(5));
    stub_.reset();
    channel_.reset();
    server_.reset();
    sessiond_.reset();
  }

  template <typename Request, typename Response>
  using Method = grpc::Status (Service::Stub::*)(grpc::ClientContext*,
                                                 const Request&, Response*);

  // One call, with the reason of a failure kept.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(Method<Request, Response> method,
                                const Request& request) {
    grpc::ClientContext context;
    Response response;
    const grpc::Status status =
        (stub_.get()->*method)(&context, request, &response);
    if (!status.ok()) return rpc::FromGrpc(status);
    return response;
  }

  static session::v1::Principal Ada() {
    session::v1::Principal principal;
    principal.set_issuer("local");
    principal.set_subject("1000");
    for (const char* scope : {"code:read", "code:write", "admin"}) {
      principal.add_scopes(scope);
    }
    return principal;
  }

  std::string Initialize() {
    session::v1::GenerateSessionRequest generate;
    *generate.mutable_principal() = Ada();
    const auto generated = Call(&Service::Stub::GenerateSession, generate);
    EXPECT_THAT(generated, IsOk());
    session::v1::CreateSessionRequest create;
    *create.mutable_principal() = Ada();
    create.set_session_id(generated->session_id());
    create.set_protocol_version("2025-11-25");
    create.set_client_name("client");
    EXPECT_THAT(Call(&Service::Stub::CreateSession, create), IsOk());
    return generated->session_id();
  }

  absl::StatusOr<session::v1::BindWorkspaceResponse> Bind(
      const std::string& session_id, const std::string& project) {
    session::v1::BindWorkspaceRequest request;
    *request.mutable_principal() = Ada();
    request.set_session_id(session_id);
    request.set_project(project);
    return Call(&Service::Stub::BindWorkspace, request);
  }

  absl::StatusOr<session::v1::AuthorizeResponse> Authorize(
      const std::string& session_id, const std::string& workspace = "",
      const std::string& path = "") {
    session::v1::AuthorizeRequest request;
    *request.mutable_principal() = Ada();
    request.set_session_id(session_id);
    request.set_workspace(workspace);
    request.set_access(session::v1::ACCESS_READ_ONLY);
    request.add_paths(path);
    return Call(&Service::Stub::Authorize, request);
  }

  absl::StatusOr<bool> Release(const std::string& handle) {
    session::v1::ReleaseWorkspaceRequest request;
    *request.mutable_principal() = Ada();
    request.set_handle(handle);
    const auto released = Call(&Service::Stub::ReleaseWorkspace, request);
    if (!released.ok()) return released.status();
    return released->was_live();
  }

  absl::StatusOr<bool> Terminate(const std::string& session_id) {
    session::v1::TerminateSessionRequest request;
    *request.mutable_principal() = Ada();
    request.set_session_id(session_id);
    const auto ended = Call(&Service::Stub::TerminateSession, request);
    if (!ended.ok()) return ended.status();
    return ended->was_live();
  }

  FakeClock clock_;
  TempWorkspace data_;
  std::shared_ptr<prometheus::Registry> registry_ =
      std::make_shared<prometheus::Registry>();
  std::unique_ptr<sessiond::Sessiond> sessiond_;
  std::unique_ptr<rpc::GrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Service::Stub> stub_;
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_SESSIOND_FIXTURE_H_
