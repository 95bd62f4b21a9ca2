// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/authorizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "proto/rpc/event_log.h"
#include "sessiond/store/record_id.h"
#include "tests/support/binding_fixture.h"

namespace banyan::sessiond {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using session::v1::Access;
using session::v1::ACCESS_READ_ONLY;
using session::v1::ACCESS_READ_WRITE;
using session::v1::AuthorizeRequest;
using session::v1::Grant;
using session::v1::Principal;

class AuthorizerTest : public BindingFixture {
 protected:
  AuthorizerTest() { Use(projects_); }

  void Use(const ProjectRegistry& projects) {
    authorizer_ = std::make_unique<Authorizer>(
        *sessions_, *bindings_, projects, hasher_, signer_, clock_.AsFunction(),
        [this](rpc::ErrorReason reason) { judged_.push_back(reason); });
  }

  AuthorizeRequest Request(const std::string& session_id,
                           const std::string& workspace = "",
                           Access access = ACCESS_READ_ONLY) const {
    AuthorizeRequest request;
    *request.mutable_principal() = ada_;
    request.set_session_id(session_id);
    request.set_workspace(workspace);
    request.set_access(access);
    return request;
  }

  Grant GrantOf(const AuthorizeRequest& request) {
    const auto granted = authorizer_->Authorize(request);
    EXPECT_THAT(granted, IsOk());
    if (!granted.ok()) return {};
    const auto grant =
        rpc::VerifyGrant(granted->grant, signer_.keys(), clock_.Now());
    EXPECT_THAT(grant, IsOk());
    return *grant;
  }

  absl::StatusOr<Authorization> WithPath(const std::string& path) {
    AuthorizeRequest request = Request("", "back");
    request.add_paths(path);
    return authorizer_->Authorize(request);
  }

  GrantSigner signer_ = *GrantSigner::Create(
      KeyRing({ToSecretKey(std::string(32, 'g'))}), clock_.Now());
  std::unique_ptr<Authorizer> authorizer_;
  std::vector<rpc::ErrorReason> judged_;
};

TEST_F(AuthorizerTest, ABoundSessionsCallGetsAGrantForItsRoot) {
  const std::string session = Initialize(*sessions_, ada_);
  const std::string handle = Bind(ada_, session, "back");
  const Grant grant = GrantOf(Request(session));
  EXPECT_EQ(grant.root(), "/srv/back");
  EXPECT_EQ(grant.access(), ACCESS_READ_ONLY);
  EXPECT_EQ(grant.handle_hash(), RecordKey(handle));
  EXPECT_EQ(grant.principal_hash(), hasher_.Hash(ada_)->hash);
  EXPECT_EQ(grant.trust_domain(), "local-1000");
  EXPECT_EQ(grant.project_name(), "back");
  EXPECT_EQ(grant.session_public_id(), PublicId(RecordKey(session)));
  EXPECT_EQ(grant.issued_unix_ms(), absl::ToUnixMillis(clock_.Now()));
  EXPECT_EQ(grant.expires_unix_ms() - grant.issued_unix_ms(), 30'000);
  EXPECT_FALSE(grant.is_operator());
  EXPECT_FALSE(grant.has_identity());
}

TEST_F(AuthorizerTest, TwoSessionsNeverMeetInEachOthersProject) {
  const std::string first = Initialize(*sessions_, ada_);
  const std::string second = Initialize(*sessions_, ada_);
  Bind(ada_, first, "back");
  Bind(ada_, second, "front");
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(GrantOf(Request(first)).root(), "/srv/back");
    EXPECT_EQ(GrantOf(Request(second)).root(), "/srv/front");
  }
  ASSERT_TRUE(*sessions_->Terminate(ada_, second));
  EXPECT_EQ(GrantOf(Request(first)).root(), "/srv/back");
}

TEST_F(AuthorizerTest, TheArgumentComesBeforeTheSessionsHandle) {
  const std::string session = Initialize(*sessions_, ada_);
  Bind(ada_, session, "back");
  const std::string front = Bind(ada_, "", "front");
  EXPECT_EQ(GrantOf(Request(session, front)).root(), "/srv/front");
  EXPECT_EQ(GrantOf(Request(session, "front")).root(), "/srv/front");
  EXPECT_EQ(GrantOf(Request(session)).root(), "/srv/back");
}

TEST_F(AuthorizerTest, AProjectNameBindsForReadingAndMintsNothing) {
  const auto granted = authorizer_->Authorize(Request("", "back"));
  ASSERT_THAT(granted, IsOk());
  EXPECT_EQ(granted->binding.record.handle(), "");
  EXPECT_EQ(GrantOf(Request("", "back")).handle_hash(), "");
  EXPECT_EQ(store_.writes, 0);
  EXPECT_THAT(authorizer_->Authorize(Request("", "back", ACCESS_READ_WRITE)),
              HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
  for (const char* name : {"/srv/back", "/etc", "back/../front"}) {
    EXPECT_THAT(authorizer_->Authorize(Request("", name)),
                HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN))
        << name;
  }
  EXPECT_THAT(authorizer_->Authorize(Request("", "unknown")),
              HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN));
}

TEST_F(AuthorizerTest, TheUrlsProjectComesAfterTheSessionsHandle) {
  const std::string session = Initialize(*sessions_, ada_);
  AuthorizeRequest request = Request(session);
  request.set_default_project("front");
  EXPECT_EQ(GrantOf(request).root(), "/srv/front");
  Bind(ada_, session, "back");
  EXPECT_EQ(GrantOf(request).root(), "/srv/back");
}

TEST_F(AuthorizerTest, TheSessionRemembersTheUrlItBeganAt) {
  const std::string session = *sessions_->Generate(ada_);
  ASSERT_THAT(sessions_->Create(ada_, session,
                                [](session::v1::SessionRecord& record) {
                                  record.set_default_project("front");
                                  return absl::OkStatus();
                                }),
              IsOk());
  EXPECT_EQ(GrantOf(Request(session)).root(), "/srv/front");
}

TEST_F(AuthorizerTest, AServerWithOneProjectNeedsNoActivation) {
  const auto only = *ProjectRegistry::Create({.projects = {"app=/srv/app"}});
  Use(only);
  EXPECT_EQ(GrantOf(Request("")).root(), "/srv/app");
  EXPECT_THAT(authorizer_->Authorize(Request("", "", ACCESS_READ_WRITE)),
              HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
}

TEST_F(AuthorizerTest, WhenNothingAppliesTheProjectsAreListed) {
  const std::string session = Initialize(*sessions_, ada_);
  const auto refused = authorizer_->Authorize(Request(session));
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_NOT_BOUND));
  EXPECT_THAT(std::string(refused.status().message()),
              AllOf(HasSubstr("activate_project"), HasSubstr("back, front"),
                    Not(HasSubstr("/srv"))));
}

TEST_F(AuthorizerTest, GoneIsToldApartFromUnbound) {
  EXPECT_THAT(authorizer_->Authorize(Request(NewSessionId())),
              HasReason(rpc::v1::ERROR_REASON_SESSION_GONE));
  EXPECT_THAT(authorizer_->Authorize(Request("short")),
              HasReason(rpc::v1::ERROR_REASON_ID_MALFORMED));
  EXPECT_THAT(authorizer_->Authorize(Request("", NewWorkspaceHandle())),
              HasReason(rpc::v1::ERROR_REASON_HANDLE_GONE));
  EXPECT_THAT(authorizer_->Authorize(Request("", "ws_broken")),
              HasReason(rpc::v1::ERROR_REASON_HANDLE_GONE));
}

TEST_F(AuthorizerTest, AnotherPrincipalsHandleIsGone) {
  const std::string handle = Bind(bob_, "", "back");
  EXPECT_THAT(authorizer_->Authorize(Request("", handle)),
              HasReason(rpc::v1::ERROR_REASON_HANDLE_GONE));
}

// A silent fall-back would change the agent's project behind its back.
TEST_F(AuthorizerTest, AnExpiredDefaultIsAnErrorAndNotAnotherWorkspace) {
  const std::string session = Initialize(*sessions_, ada_);
  const std::string back = Bind(ada_, session, "back");
  Bind(ada_, session, "front");
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(absl::Hours(12));
    ASSERT_THAT(bindings_->Use(ada_, back), IsOk());
    ASSERT_THAT(sessions_->Use(ada_, session), IsOk());
  }
  EXPECT_THAT(authorizer_->Authorize(Request(session)),
              HasReason(rpc::v1::ERROR_REASON_HANDLE_GONE));
}

TEST_F(AuthorizerTest, AWriteWithoutAWorkspaceNeedsOneRoot) {
  const std::string session = Initialize(*sessions_, ada_);
  const std::string back = Bind(ada_, session, "back");
  EXPECT_EQ(GrantOf(Request(session, "", ACCESS_READ_WRITE)).access(),
            ACCESS_READ_WRITE);
  const std::string front = Bind(ada_, session, "front");
  const auto refused =
      authorizer_->Authorize(Request(session, "", ACCESS_READ_WRITE));
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_BINDING_AMBIGUOUS));
  EXPECT_THAT(std::string(refused.status().message()),
              AllOf(HasSubstr(back), HasSubstr(front)));
  EXPECT_EQ(GrantOf(Request(session)).root(), "/srv/front");
  EXPECT_EQ(GrantOf(Request(session, back, ACCESS_READ_WRITE)).root(),
            "/srv/back");
  ASSERT_TRUE(*bindings_->Release(ada_, front, session));
  EXPECT_EQ(GrantOf(Request(session, "", ACCESS_READ_WRITE)).root(),
            "/srv/back");
}

TEST_F(AuthorizerTest, AReadOnlyHandleReads) {
  const std::string handle = Bind(ada_, "", "back", ACCESS_READ_ONLY);
  EXPECT_EQ(GrantOf(Request("", handle)).access(), ACCESS_READ_ONLY);
  EXPECT_THAT(authorizer_->Authorize(Request("", handle, ACCESS_READ_WRITE)),
              HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
  EXPECT_THAT(authorizer_->Authorize(
                  Request("", handle, session::v1::ACCESS_UNSPECIFIED)),
              HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
}

TEST_F(AuthorizerTest, TokensNeedTheirScopesAndRoots) {
  AuthorizeRequest request = Request("", "back");
  Principal& token = *request.mutable_principal();
  token = TokenPrincipal("ada");
  EXPECT_THAT(authorizer_->Authorize(request),
              HasReason(rpc::v1::ERROR_REASON_SCOPE_MISSING));
  token.add_scopes("code:read");
  EXPECT_EQ(GrantOf(request).trust_domain(), "all");
  token.add_allowed_roots("/srv/front");
  EXPECT_THAT(authorizer_->Authorize(request),
              HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN));
}

TEST_F(AuthorizerTest, AHandleDoesNotOutliveTheRightToItsRoot) {
  Principal token = TokenPrincipal("ada");
  token.add_scopes("code:read");
  const std::string handle = Bind(token, "", "back");
  AuthorizeRequest request = Request("", handle);
  *request.mutable_principal() = token;
  EXPECT_THAT(authorizer_->Authorize(request), IsOk());
  // The next token reaches less.
  request.mutable_principal()->add_allowed_roots("/srv/back-evil");
  EXPECT_THAT(authorizer_->Authorize(request),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
}

TEST_F(AuthorizerTest, PathsComeBackCleanInTheirOrder) {
  AuthorizeRequest request = Request("", "back");
  for (const char* path : {"b/./c", "/srv/back/a", ""}) request.add_paths(path);
  EXPECT_THAT(authorizer_->Authorize(request)->clean_paths,
              ElementsAre("b/c", "a", ""));
  EXPECT_THAT(judged_, ElementsAre(rpc::v1::ERROR_REASON_UNSPECIFIED,
                                   rpc::v1::ERROR_REASON_UNSPECIFIED,
                                   rpc::v1::ERROR_REASON_UNSPECIFIED));
}

TEST_F(AuthorizerTest, OneBadPathRefusesTheCall) {
  AuthorizeRequest request = Request("", "back");
  request.add_paths("fine");
  request.add_paths("/srv/back-evil/x");
  EXPECT_THAT(authorizer_->Authorize(request),
              HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT));
  EXPECT_THAT(WithPath(".git/config"),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
  EXPECT_THAT(WithPath(std::string("a\0b", 3)),
              HasReason(rpc::v1::ERROR_REASON_PATH_MALFORMED));
}

TEST_F(AuthorizerTest, ARefusedPathIsLoggedWithHostileNamesEscaped) {
  std::vector<rpc::LogEntry> entries;
  rpc::SetLogObserver(
      [&entries](const rpc::LogEntry& entry) { entries.push_back(entry); });
  const std::string session = Initialize(*sessions_, ada_);
  Bind(ada_, session, "back");
  AuthorizeRequest request = Request(session);
  request.add_paths("/etc/passwd");
  EXPECT_FALSE(authorizer_->Authorize(request).ok());
  EXPECT_FALSE(WithPath("../x\nforged line\x1b[2J").ok());
  rpc::SetLogObserver(nullptr);

  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].event, "path_traversal_blocked");
  EXPECT_EQ(entries[0].message,
            "[Security] Path Traversal Blocked: /etc/passwd escapes /srv/back "
            "(Session: " +
                PublicId(RecordKey(session)).substr(0, 4) + ")");
  EXPECT_THAT(entries[1].message,
              AllOf(HasSubstr("../x\\nforged line"), Not(HasSubstr("\n")),
                    Not(HasSubstr("\x1b"))));
}

TEST_F(AuthorizerTest, TheRecordedIdentityTravelsInTheGrant) {
  const std::string handle = Bind(ada_, "", "back");
  session::v1::RecordRootRequest record;
  *record.mutable_principal() = ada_;
  record.set_handle(handle);
  record.mutable_identity()->set_inode(42);
  ASSERT_THAT(bindings_->RecordRoot(record), IsOk());
  EXPECT_EQ(GrantOf(Request("", handle)).identity().inode(), 42u);
}

TEST_F(AuthorizerTest, AReleaseEndsAGrantThatIsStillInTheCache) {
  const std::string handle = Bind(ada_, "", "back");
  EXPECT_THAT(authorizer_->Authorize(Request("", handle)), IsOk());
  ASSERT_TRUE(*bindings_->Release(ada_, handle, ""));
  EXPECT_THAT(authorizer_->Authorize(Request("", handle)),
              HasReason(rpc::v1::ERROR_REASON_HANDLE_GONE));
}

TEST_F(AuthorizerTest, ACallCountsAsAUseOfSessionAndHandle) {
  const std::string session = Initialize(*sessions_, ada_);
  const std::string handle = Bind(ada_, session, "back");
  clock_.Advance(absl::Hours(5));
  EXPECT_THAT(authorizer_->Authorize(Request(session)), IsOk());
  EXPECT_EQ(sessions_->Get(ada_, session)->last_used, clock_.Now());
  EXPECT_EQ(bindings_->Get(ada_, handle)->last_used, clock_.Now());
}

TEST_F(AuthorizerTest, OperatorsAreLocalOrHaveTheScope) {
  EXPECT_THAT(authorizer_->AuthorizeOperator(ada_), IsOk());
  Principal token = TokenPrincipal("ada");
  EXPECT_THAT(authorizer_->AuthorizeOperator(token),
              HasReason(rpc::v1::ERROR_REASON_SCOPE_MISSING));
  token.add_scopes("admin");
  const auto grant = rpc::VerifyGrant(*authorizer_->AuthorizeOperator(token),
                                      signer_.keys(), clock_.Now());
  ASSERT_THAT(grant, IsOk());
  EXPECT_TRUE(grant->is_operator());
  EXPECT_EQ(grant->root(), "");
}

TEST_F(AuthorizerTest, ManyThreadsAskWhileOthersBindAndRelease) {
  const std::string session = Initialize(*sessions_, ada_);
  Bind(ada_, session, "back");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 50; ++n) {
        if (i == 0) {
          const auto bound = bindings_->Bind(BindRequest(ada_, "", "front"));
          EXPECT_TRUE(
              *bindings_->Release(ada_, bound->live.record.handle(), ""));
          continue;
        }
        const auto granted = authorizer_->Authorize(Request(session));
        EXPECT_EQ(granted->binding.record.root(), "/srv/back");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// No expectation on time: a number for the report.
TEST_F(AuthorizerTest, AuthorizingIsCheap) {
  const std::string session = Initialize(*sessions_, ada_);
  Bind(ada_, session, "back");
  AuthorizeRequest request = Request(session);
  request.add_paths("src/main.cc");
  constexpr int kCalls = 5'000;
  const absl::Time start = absl::Now();
  for (int i = 0; i < kCalls; ++i) {
    ASSERT_TRUE(authorizer_->Authorize(request).ok());
  }
  RecordProperty(
      "microseconds_per_call",
      std::to_string(absl::ToDoubleMicroseconds(absl::Now() - start) / kCalls));
}

}  // namespace
}  // namespace banyan::sessiond
