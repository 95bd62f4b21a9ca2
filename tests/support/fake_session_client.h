// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_FAKE_SESSION_CLIENT_H_
#define TESTS_SUPPORT_FAKE_SESSION_CLIENT_H_

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "edge/clients/session_client.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {

// A sessiond of one project in memory. Set the public members before calls, or
// while nothing calls. Every call is counted by name; what a test looks at is
// kept. Thread-safe otherwise.
class FakeSessionClient final : public SessionClient {
 public:
  FakeSessionClient() {
    workspace.set_handle("ws_AAAAAAAAAAAAAAAAAAAAAA");
    workspace.set_public_id("00112233445566aa");
    workspace.set_root("/srv/backend-api");
    workspace.set_project_name("backend-api");
    workspace.set_access(session::v1::ACCESS_READ_WRITE);
    workspace.set_idle_expires_unix_ms(1796169600000);
    workspace.set_absolute_expires_unix_ms(1796688000000);
    auto* key = keys.add_keys();
    key->set_key_id("k1");
    key->set_secret(std::string(32, 's'));
    auto* project = projects.add_projects();
    project->set_name("backend-api");
    project->set_root("/srv/backend-api");
    project->set_sessions(1);
    project->set_is_registered(true);
  }

  std::map<std::string, absl::Status> failures;  // By method name.
  session::v1::Workspace workspace;  // What Bind and Authorize answer.
  session::v1::GetEdgeKeysResponse keys;
  session::v1::ListProjectsResponse projects;
  session::v1::ListSessionsResponse sessions;
  session::v1::ListWorkspacesResponse workspaces;

  session::v1::AuthorizeRequest last_authorize;
  session::v1::CreateSessionRequest last_create;
  session::v1::UpdateSessionRequest last_update;
  std::vector<session::v1::BindWorkspaceRequest> binds;
  session::v1::RecordRootRequest last_record;
  std::vector<std::string> released;
  std::vector<std::string> released_from;  // The session of each.
  rpc::CallContext last_context;

  // Runs in the middle of ListProjects, with what the caller passed.
  std::function<void(const rpc::CallContext&)> during_list_projects =
      [](const rpc::CallContext&) {};

  std::vector<std::string> Calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  int64_t CallsOf(const std::string& method) const {
    const std::lock_guard lock(mutex_);
    return std::count(calls_.begin(), calls_.end(), method);
  }
  // A session that is live without an initialize.
  std::string AddSession(const std::string& version) {
    const std::lock_guard lock(mutex_);
    const std::string id = absl::StrCat("session-", ++minted_);
    session::v1::Session& session = live_[id];
    session.set_public_id("a1b2c3d4e5f60718");
    session.set_protocol_version(version);
    session.set_created_unix_ms(1796083200000);
    return id;
  }

  absl::StatusOr<session::v1::GenerateSessionResponse> GenerateSession(
      const session::v1::GenerateSessionRequest&,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("GenerateSession", call);
    if (!status.ok()) return status;
    session::v1::GenerateSessionResponse response;
    response.set_session_id(absl::StrCat("session-", ++minted_));
    return response;
  }

  absl::StatusOr<session::v1::CreateSessionResponse> CreateSession(
      const session::v1::CreateSessionRequest& request,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("CreateSession", call);
    if (!status.ok()) return status;
    last_create = request;
    session::v1::CreateSessionResponse response;
    response.mutable_session()->set_public_id("a1b2c3d4e5f60718");
    response.mutable_session()->set_protocol_version(
        request.protocol_version());
    response.mutable_session()->set_client_capabilities_json(
        request.client_capabilities_json());
    live_[request.session_id()] = response.session();
    return response;
  }

  absl::StatusOr<session::v1::ValidateSessionResponse> ValidateSession(
      const session::v1::ValidateSessionRequest& request,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("ValidateSession", call);
    if (!status.ok()) return status;
    session::v1::ValidateSessionResponse response;
    const auto session = live_.find(request.session_id());
    if (session != live_.end()) {
      response.set_is_live(true);
      *response.mutable_session() = session->second;
    }
    return response;
  }

  absl::StatusOr<session::v1::UpdateSessionResponse> UpdateSession(
      const session::v1::UpdateSessionRequest& request,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("UpdateSession", call);
    if (!status.ok()) return status;
    last_update = request;
    session::v1::UpdateSessionResponse response;
    session::v1::Session& session = live_[request.session_id()];
    if (request.has_log_level()) session.set_log_level(request.log_level());
    for (const std::string& uri : request.add_subscriptions()) {
      session.add_subscriptions(uri);
    }
    *response.mutable_session() = session;
    return response;
  }

  absl::StatusOr<session::v1::TerminateSessionResponse> TerminateSession(
      const session::v1::TerminateSessionRequest& request,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("TerminateSession", call);
    if (!status.ok()) return status;
    session::v1::TerminateSessionResponse response;
    response.set_was_live(live_.erase(request.session_id()) > 0);
    return response;
  }

  absl::StatusOr<session::v1::ListSessionsResponse> ListSessions(
      const session::v1::ListSessionsRequest&,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("ListSessions", call);
    if (!status.ok()) return status;
    return sessions;
  }

  absl::StatusOr<session::v1::ListProjectsResponse> ListProjects(
      const session::v1::ListProjectsRequest&,
      const rpc::CallContext& call) override {
    during_list_projects(call);
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("ListProjects", call);
    if (!status.ok()) return status;
    return projects;
  }

  // A handle of its own for each call; a path given as project is the root.
  absl::StatusOr<session::v1::BindWorkspaceResponse> BindWorkspace(
      const session::v1::BindWorkspaceRequest& request,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("BindWorkspace", call);
    if (!status.ok()) return status;
    binds.push_back(request);
    session::v1::BindWorkspaceResponse response;
    *response.mutable_workspace() = workspace;
    if (binds.size() > 1) {
      response.mutable_workspace()->set_handle(
          absl::StrCat(workspace.handle(), "-", binds.size()));
    }
    if (request.access() != session::v1::ACCESS_UNSPECIFIED) {
      response.mutable_workspace()->set_access(request.access());
    }
    if (!request.project().empty() && request.project()[0] == '/') {
      response.mutable_workspace()->set_root(request.project());
    }
    response.mutable_grant()->set_payload(response.workspace().handle());
    bound_ = response.workspace();
    return response;
  }

  absl::StatusOr<session::v1::RecordRootResponse> RecordRoot(
      const session::v1::RecordRootRequest& request,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("RecordRoot", call);
    if (!status.ok()) return status;
    last_record = request;
    session::v1::RecordRootResponse response;
    *response.mutable_workspace() = bound_;
    return response;
  }

  absl::StatusOr<session::v1::ListWorkspacesResponse> ListWorkspaces(
      const session::v1::ListWorkspacesRequest&,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("ListWorkspaces", call);
    if (!status.ok()) return status;
    return workspaces;
  }

  absl::StatusOr<session::v1::ReleaseWorkspaceResponse> ReleaseWorkspace(
      const session::v1::ReleaseWorkspaceRequest& request,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("ReleaseWorkspace", call);
    if (!status.ok()) return status;
    released.push_back(request.handle());
    released_from.push_back(request.session_id());
    auto& listed = *workspaces.mutable_workspaces();
    listed.erase(std::remove_if(listed.begin(), listed.end(),
                                [&request](const auto& one) {
                                  return one.handle() == request.handle();
                                }),
                 listed.end());
    session::v1::ReleaseWorkspaceResponse response;
    response.set_was_live(true);
    return response;
  }

  // Paths come back as they are, "." as the root.
  absl::StatusOr<session::v1::AuthorizeResponse> Authorize(
      const session::v1::AuthorizeRequest& request,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("Authorize", call);
    if (!status.ok()) return status;
    last_authorize = request;
    session::v1::AuthorizeResponse response;
    *response.mutable_workspace() = workspace;
    response.mutable_grant()->set_payload("grant");
    for (const std::string& path : request.paths()) {
      response.add_clean_paths(path == "." ? "" : path);
    }
    return response;
  }

  absl::StatusOr<session::v1::AuthorizeOperatorResponse> AuthorizeOperator(
      const session::v1::AuthorizeOperatorRequest&,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("AuthorizeOperator", call);
    if (!status.ok()) return status;
    session::v1::AuthorizeOperatorResponse response;
    response.mutable_grant()->set_payload("operator");
    return response;
  }

  absl::StatusOr<session::v1::GetEdgeKeysResponse> GetEdgeKeys(
      const session::v1::GetEdgeKeysRequest&,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("GetEdgeKeys", call);
    if (!status.ok()) return status;
    return keys;
  }

  // One ring for each session; `on_growth` is called outside the lock.
  std::function<void(const std::string& session_id, const std::string& stream,
                     int64_t newest)>
      on_growth = [](const std::string&, const std::string&, int64_t) {};

  absl::StatusOr<session::v1::AppendEventsResponse> AppendEvents(
      const session::v1::AppendEventsRequest& request,
      const rpc::CallContext& call) override {
    session::v1::AppendEventsResponse response;
    {
      const std::lock_guard lock(mutex_);
      const absl::Status status = Begin("AppendEvents", call);
      if (!status.ok()) return status;
      auto& ring = rings_[request.session_id()][request.stream()];
      for (const std::string& data : request.events()) {
        auto* event = ring.add_events();
        event->set_event_id(++event_ids_);
        event->set_data(data);
        response.add_event_ids(event_ids_);
      }
      ring.set_has_ended(request.ends_stream());
    }
    on_growth(request.session_id(), request.stream(),
              *response.event_ids().rbegin());
    return response;
  }

  absl::StatusOr<session::v1::ReadEventsResponse> ReadEvents(
      const session::v1::ReadEventsRequest& request,
      const rpc::CallContext& call) override {
    const std::lock_guard lock(mutex_);
    const absl::Status status = Begin("ReadEvents", call);
    if (!status.ok()) return status;
    session::v1::ReadEventsResponse response;
    const auto& rings = rings_[request.session_id()];
    const auto ring = rings.find(request.stream());
    if (ring == rings.end()) return response;
    response.set_is_known(true);
    response.set_is_complete(request.after_event_id() == 0);
    response.set_has_ended(ring->second.has_ended());
    for (const auto& event : ring->second.events()) {
      if (event.event_id() == request.after_event_id()) {
        response.set_is_complete(true);
      }
      if (event.event_id() > request.after_event_id()) {
        *response.add_events() = event;
      }
    }
    return response;
  }

 private:
  // REQUIRES: mutex_ is held.
  absl::Status Begin(const std::string& method, const rpc::CallContext& call) {
    calls_.push_back(method);
    last_context = call;
    const auto failure = failures.find(method);
    return failure == failures.end() ? absl::OkStatus() : failure->second;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> calls_;                    // Guarded by mutex_.
  std::map<std::string, session::v1::Session> live_;  // Guarded by mutex_.
  session::v1::Workspace bound_;                      // Guarded by mutex_.
  int minted_ = 0;                                    // Guarded by mutex_.
  int64_t event_ids_ = 0;                             // Guarded by mutex_.
  std::map<std::string, std::map<std::string, session::v1::ReadEventsResponse>>
      rings_;  // By session and stream. Guarded by mutex_.
};

}  // namespace banyan::edge

#endif  // TESTS_SUPPORT_FAKE_SESSION_CLIENT_H_
