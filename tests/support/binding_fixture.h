// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_BINDING_FIXTURE_H_
#define TESTS_SUPPORT_BINDING_FIXTURE_H_

#include <memory>
#include <string>
#include <utility>

#include "proto/rpc/grant.h"
#include "sessiond/bindings/bindings.h"
#include "sessiond/bindings/grant_signer.h"
#include "sessiond/projects/project_registry.h"
#include "tests/support/session_fixture.h"

namespace banyan {

// Sessions, three projects, and handles on them.
class BindingFixture : public SessionFixture {
 protected:
  explicit BindingFixture(const StoreKind& kind = MemoryKind())
      : SessionFixture(kind) {
    Rebuild({});
  }

  void Rebuild(sessiond::Bindings::Options options) {
    bindings_ = std::make_unique<sessiond::Bindings>(
        store_, hasher_, *sessions_, projects_, options, clock_.AsFunction(),
        Counter());
  }

  static session::v1::BindWorkspaceRequest BindRequest(
      const session::v1::Principal& principal, const std::string& session_id,
      const std::string& project) {
    session::v1::BindWorkspaceRequest request;
    *request.mutable_principal() = principal;
    request.set_session_id(session_id);
    request.set_project(project);
    return request;
  }

  // The new handle.
  std::string Bind(
      const session::v1::Principal& principal, const std::string& session_id,
      const std::string& project,
      session::v1::Access access = session::v1::ACCESS_UNSPECIFIED) {
    auto request = BindRequest(principal, session_id, project);
    request.set_access(access);
    const auto bound = bindings_->Bind(request);
    EXPECT_THAT(bound, IsOk());
    return bound.ok() ? bound->live.record.handle() : "";
  }

  static sessiond::ProjectRegistry MakeProjects() {
    return *sessiond::ProjectRegistry::Create(
        {.projects = {"back=/srv/back", "front=/srv/front"},
         .workspaces_roots = {"/srv"}});
  }

  const sessiond::ProjectRegistry projects_ = MakeProjects();
  std::unique_ptr<sessiond::Sessions> sessions_ = NewSessions();
  std::unique_ptr<sessiond::Bindings> bindings_;
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_BINDING_FIXTURE_H_
