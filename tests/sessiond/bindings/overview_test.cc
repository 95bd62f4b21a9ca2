// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/binding_fixture.h"

namespace banyan::sessiond {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

session::v1::Principal Token(const std::string& subject) {
  session::v1::Principal principal = TokenPrincipal(subject);
  principal.add_scopes("code:read");
  return principal;
}

class OverviewTest : public BindingFixture {
 protected:
  Overview overview_{*sessions_, *bindings_, projects_, hasher_};
};

TEST_F(OverviewTest, ThereIsOneEntryPerSessionAndPerHandleByItself) {
  const std::string unbound = Initialize(*sessions_, ada_);
  const std::string bound = Initialize(*sessions_, bob_);
  Bind(bob_, bound, "back");
  const std::string front = Bind(bob_, bound, "front");
  const std::string alone = Bind(ada_, "", "back");
  const auto entries = *overview_.ListSessions(ada_);
  ASSERT_THAT(entries, SizeIs(3));
  int seen = 0;
  for (const Overview::Entry& entry : entries) {
    if (!entry.session.has_value()) {
      EXPECT_EQ(entry.workspace->record.handle(), alone);
    } else if (entry.workspace.has_value()) {
      EXPECT_EQ(entry.workspace->record.handle(), front);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 1);
}

TEST_F(OverviewTest, HandlesOfAnEndedSessionStandByThemselves) {
  const std::string session = Initialize(*sessions_, ada_);
  Bind(ada_, session, "back");
  ASSERT_TRUE(*sessions_->Terminate(ada_, session));
  const auto entries = *overview_.ListSessions(ada_);
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_FALSE(entries[0].session.has_value());
}

TEST_F(OverviewTest, ATokenWithoutTheAdminScopeSeesItsOwn) {
  Initialize(*sessions_, Token("ada"));
  Initialize(*sessions_, Token("bob"));
  EXPECT_THAT(*overview_.ListSessions(Token("ada")), SizeIs(1));
  session::v1::Principal admin = Token("ada");
  admin.add_scopes("admin");
  EXPECT_THAT(*overview_.ListSessions(admin), SizeIs(2));
  EXPECT_THAT(overview_.ListSessions({}),
              HasReason(rpc::v1::ERROR_REASON_UNAUTHENTICATED));
}

TEST_F(OverviewTest, ProjectsTellWhoIsOnThem) {
  Bind(ada_, "", "back");
  Bind(bob_, "", "back");
  Bind(ada_, "", "/srv/mine");
  Bind(bob_, "", "/srv/other");
  std::vector<std::string> names;
  const auto projects = *overview_.ListProjects(ada_);
  for (const auto& listed : projects) {
    names.push_back(listed.project.name);
    if (listed.project.name == "back") {
      EXPECT_EQ(listed.sessions, 2);
      EXPECT_TRUE(listed.project.is_registered);
    }
    if (listed.project.name == "mine") {
      EXPECT_FALSE(listed.project.is_registered);
    }
  }
  // What another one opened by path is not ours to list.
  EXPECT_THAT(names, ElementsAre("back", "front", "mine"));
}

TEST_F(OverviewTest, ASessionThatIsBoundByItselfShowsWhere) {
  const auto only = *ProjectRegistry::Create({.projects = {"app=/srv/app"}});
  Overview overview(*sessions_, *bindings_, only, hasher_);
  Initialize(*sessions_, ada_);
  const auto entries = *overview.ListSessions(ada_);
  ASSERT_THAT(entries, SizeIs(1));
  ASSERT_TRUE(entries[0].workspace.has_value());
  EXPECT_EQ(entries[0].workspace->record.project_name(), "app");
  EXPECT_EQ(entries[0].workspace->record.root(), "/srv/app");
  EXPECT_EQ(entries[0].workspace->record.handle(), "");
  const auto projects = *overview.ListProjects(ada_);
  ASSERT_THAT(projects, SizeIs(1));
  EXPECT_EQ(projects[0].sessions, 1);
}

TEST_F(OverviewTest, WhatAnEndedSessionLeftBehindIsNobodyOnTheProject) {
  const std::string session = Initialize(*sessions_, ada_);
  Bind(ada_, session, "back");
  EXPECT_EQ((*overview_.ListProjects(bob_))[0].sessions, 1);
  EXPECT_THAT(*overview_.ListWorkspaces(bob_, "", "/srv/back"), SizeIs(1));
  ASSERT_TRUE(*sessions_->Terminate(ada_, session));
  EXPECT_EQ((*overview_.ListProjects(bob_))[0].sessions, 0);
  EXPECT_THAT(*overview_.ListWorkspaces(bob_, "", "/srv/back"), IsEmpty());
  // It is still its owner's to use.
  EXPECT_THAT(*overview_.ListWorkspaces(ada_, "", ""), SizeIs(1));
}

TEST_F(OverviewTest, WorkspacesOfOthersShowOnOneRootOnly) {
  const std::string session = Initialize(*sessions_, ada_);
  Bind(ada_, session, "back");
  Bind(ada_, "", "front");
  Bind(bob_, "", "back");
  EXPECT_THAT(*overview_.ListWorkspaces(ada_, "", ""), SizeIs(2));
  EXPECT_THAT(*overview_.ListWorkspaces(ada_, session, ""), SizeIs(1));
  EXPECT_THAT(*overview_.ListWorkspaces(ada_, session, "/srv/front"),
              IsEmpty());
  const auto on_root = *overview_.ListWorkspaces(ada_, "", "/srv/back/");
  ASSERT_THAT(on_root, SizeIs(2));
  EXPECT_NE(on_root[0].is_own, on_root[1].is_own);
  session::v1::Principal limited = Token("ada");
  limited.add_allowed_roots("/srv/front");
  EXPECT_THAT(overview_.ListWorkspaces(limited, "", "/srv/back"),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
}

}  // namespace
}  // namespace banyan::sessiond
