// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/bindings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sessiond/store/record_id.h"
#include "tests/support/binding_fixture.h"

namespace banyan::sessiond {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using rpc::v1::ERROR_REASON_HANDLE_GONE;
using rpc::v1::ERROR_REASON_SESSION_GONE;
using session::v1::ACCESS_READ_ONLY;
using session::v1::ACCESS_READ_WRITE;
using session::v1::RecordRootRequest;
using session::v1::RootIdentity;

class BindingsTest : public BindingFixture {
 protected:
  std::vector<std::string> HandlesOf(const std::string& session_id) {
    const auto session = sessions_->Get(ada_, session_id);
    EXPECT_THAT(session, IsOk());
    return {session->record.workspaces().begin(),
            session->record.workspaces().end()};
  }

  absl::StatusOr<Bindings::Live> RecordRoot(const std::string& handle,
                                            const std::string& root,
                                            uint64_t inode) {
    RecordRootRequest request;
    *request.mutable_principal() = ada_;
    request.set_handle(handle);
    request.set_canonical_root(root);
    request.mutable_identity()->set_device(1);
    request.mutable_identity()->set_inode(inode);
    request.mutable_identity()->set_birth_ns(inode * 10);
    request.add_languages("cpp");
    return bindings_->RecordRoot(request);
  }
};

TEST_F(BindingsTest, ABindMintsAHandleThatOnlyItsOwnerCanUse) {
  const std::string handle = Bind(ada_, "", "back");
  EXPECT_TRUE(IsWorkspaceHandle(handle));
  const auto live = bindings_->Use(ada_, handle);
  ASSERT_THAT(live, IsOk());
  EXPECT_EQ(live->record.root(), "/srv/back");
  EXPECT_EQ(live->record.project_name(), "back");
  EXPECT_EQ(live->record.access(), ACCESS_READ_WRITE);
  EXPECT_THAT(bindings_->Use(bob_, handle),
              HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_EQ(CountOf(SessionEvent::kHijackRefused), 1);
  EXPECT_FALSE(*bindings_->Release(bob_, handle, ""));
  EXPECT_THAT(bindings_->Use(ada_, handle), IsOk());
}

TEST_F(BindingsTest, EachBindMintsAnotherHandle) {
  EXPECT_NE(Bind(ada_, "", "back"), Bind(ada_, "", "back"));
}

TEST_F(BindingsTest, ReuseGivesTheOwnHandleForTheSameRootAccessAndModes) {
  const std::string handle = Bind(ada_, "", "back", ACCESS_READ_WRITE);
  auto request = BindRequest(ada_, "", "/srv/back/");
  request.set_reuse(true);
  auto bound = bindings_->Bind(request);
  EXPECT_TRUE(bound->was_reused);
  EXPECT_EQ(bound->live.record.handle(), handle);

  request.set_access(ACCESS_READ_ONLY);
  EXPECT_FALSE(bindings_->Bind(request)->was_reused);
  request.set_access(ACCESS_READ_WRITE);
  request.add_modes("planning");
  EXPECT_FALSE(bindings_->Bind(request)->was_reused);
  EXPECT_TRUE(bindings_->Bind(request)->was_reused);
  request.mutable_modes()->Clear();
  request.set_project("front");
  EXPECT_FALSE(bindings_->Bind(request)->was_reused);
  request.set_project("back");
  *request.mutable_principal() = bob_;
  EXPECT_FALSE(bindings_->Bind(request)->was_reused);
}

TEST_F(BindingsTest, TheNewestHandleIsTheSessionsDefault) {
  const std::string session = Initialize(*sessions_, ada_);
  const std::string back = Bind(ada_, session, "back");
  const std::string front = Bind(ada_, session, "front");
  EXPECT_THAT(HandlesOf(session), ElementsAre(back, front));
  // A reused one moves to the end.
  auto request = BindRequest(ada_, session, "back");
  request.set_reuse(true);
  ASSERT_THAT(bindings_->Bind(request), IsOk());
  EXPECT_THAT(HandlesOf(session), ElementsAre(front, back));
}

TEST_F(BindingsTest, OneSessionsBindLeavesTheOtherWhereItWas) {
  const std::string first = Initialize(*sessions_, ada_);
  const std::string second = Initialize(*sessions_, ada_);
  const std::string back = Bind(ada_, first, "back");
  const std::string front = Bind(ada_, second, "front");
  EXPECT_THAT(HandlesOf(first), ElementsAre(back));
  EXPECT_THAT(HandlesOf(second), ElementsAre(front));
  ASSERT_TRUE(*sessions_->Terminate(ada_, second));
  EXPECT_THAT(HandlesOf(first), ElementsAre(back));
}

TEST_F(BindingsTest, TheEndOfASessionIsNotTheEndOfItsHandles) {
  const std::string session = Initialize(*sessions_, ada_);
  const std::string handle = Bind(ada_, session, "back");
  ASSERT_TRUE(*sessions_->Terminate(ada_, session));
  EXPECT_THAT(bindings_->Use(ada_, handle), IsOk());
}

TEST_F(BindingsTest, AGoneSessionBindsNothing) {
  const std::string session = Initialize(*sessions_, ada_);
  ASSERT_TRUE(*sessions_->Terminate(ada_, session));
  EXPECT_THAT(bindings_->Bind(BindRequest(ada_, session, "back")),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_THAT(bindings_->Bind(BindRequest(bob_, session, "back")),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_THAT(*bindings_->List(std::nullopt), IsEmpty());
}

TEST_F(BindingsTest, ASessionThatEndsMeanwhileLeavesNoHandleBehind) {
  const std::string session = Initialize(*sessions_, ada_);
  store_.fails_write = [&](const RecordWrite& write) {
    if (write.record.kind == RecordKind::kWorkspace &&
        write.verb == RecordWrite::Verb::kCreate) {
      store_.fails_write = nullptr;
      EXPECT_TRUE(*sessions_->Terminate(ada_, session));
    }
    return std::optional<std::string>();
  };
  EXPECT_THAT(bindings_->Bind(BindRequest(ada_, session, "back")),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_THAT(*bindings_->List(std::nullopt), IsEmpty());
}

TEST_F(BindingsTest, AFailingBindLeavesTheSessionAsItWas) {
  const std::string session = Initialize(*sessions_, ada_);
  const std::string back = Bind(ada_, session, "back");
  EXPECT_THAT(bindings_->Bind(BindRequest(ada_, session, "unknown")),
              HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN));
  EXPECT_THAT(bindings_->Bind(BindRequest(ada_, session, "/etc")),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
  EXPECT_THAT(HandlesOf(session), ElementsAre(back));
}

TEST_F(BindingsTest, ATokenWithoutTheWriteScopeReads) {
  session::v1::Principal reader;
  reader.set_issuer("issuer");
  reader.set_subject("ada");
  reader.add_scopes("code:read");
  auto request = BindRequest(reader, "", "back");
  EXPECT_EQ(bindings_->Bind(request)->live.record.access(), ACCESS_READ_ONLY);
  request.set_access(ACCESS_READ_WRITE);
  EXPECT_THAT(bindings_->Bind(request),
              HasReason(rpc::v1::ERROR_REASON_SCOPE_MISSING));
}

TEST_F(BindingsTest, TheSessionsDefaultAccessIsADefaultAndNoFence) {
  const std::string session = *sessions_->Generate(ada_);
  ASSERT_THAT(sessions_->Create(ada_, session,
                                [](session::v1::SessionRecord& record) {
                                  record.set_default_access(ACCESS_READ_ONLY);
                                  return absl::OkStatus();
                                }),
              IsOk());
  auto request = BindRequest(ada_, session, "back");
  EXPECT_EQ(bindings_->Bind(request)->live.record.access(), ACCESS_READ_ONLY);
  request.set_access(ACCESS_READ_WRITE);
  EXPECT_EQ(bindings_->Bind(request)->live.record.access(), ACCESS_READ_WRITE);
  request.set_access(static_cast<session::v1::Access>(9));
  EXPECT_THAT(bindings_->Bind(request),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST_F(BindingsTest, ModesAreNames) {
  for (const std::string& mode : {std::string(), std::string("a b"),
                                  std::string("a\n"), std::string(65, 'a')}) {
    auto request = BindRequest(ada_, "", "back");
    request.add_modes(mode);
    EXPECT_THAT(bindings_->Bind(request),
                HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  }
}

TEST_F(BindingsTest, ARootIsRecordedWithItsIdentity) {
  const std::string handle = Bind(ada_, "", "back");
  const auto live = RecordRoot(handle, "/srv/back", 7);
  ASSERT_THAT(live, IsOk());
  EXPECT_EQ(live->record.identity().inode(), 7u);
  EXPECT_THAT(live->record.languages(), ElementsAre("cpp"));
  EXPECT_THAT(RecordRoot(handle, "/srv/back", 7), IsOk());
}

TEST_F(BindingsTest, AnotherFolderUnderTheSamePathIsNotTheSameRoot) {
  const std::string handle = Bind(ada_, "", "back");
  ASSERT_THAT(RecordRoot(handle, "/srv/back", 7), IsOk());
  EXPECT_THAT(RecordRoot(handle, "/srv/back", 8),
              HasReason(rpc::v1::ERROR_REASON_ROOT_REPLACED));
  EXPECT_EQ(bindings_->Get(ada_, handle)->record.identity().inode(), 7u);
}

TEST_F(BindingsTest, ACanonicalRootReplacesTheBoundOneAfterTheSameChecks) {
  const std::string handle = Bind(ada_, "", "/srv/link");
  const auto live = RecordRoot(handle, "/srv/front", 7);
  ASSERT_THAT(live, IsOk());
  EXPECT_EQ(live->record.root(), "/srv/front");
  EXPECT_EQ(live->record.project_name(), "front");
  const std::string other = Bind(ada_, "", "/srv/link2");
  EXPECT_THAT(RecordRoot(other, "/etc", 9),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
  EXPECT_EQ(bindings_->Get(ada_, other)->record.root(), "/srv/link2");
}

TEST_F(BindingsTest, ReleaseIsIdempotentAndTheHandleIsGoneForEver) {
  const std::string handle = Bind(ada_, "", "back");
  EXPECT_TRUE(*bindings_->Release(ada_, handle, ""));
  EXPECT_FALSE(*bindings_->Release(ada_, handle, ""));
  EXPECT_THAT(bindings_->Use(ada_, handle),
              HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_THAT(RecordRoot(handle, "/srv/back", 1),
              HasReason(ERROR_REASON_HANDLE_GONE));
}

TEST_F(BindingsTest, AReleaseMakesTheHandleBeforeItTheDefault) {
  const std::string session = Initialize(*sessions_, ada_);
  const std::string back = Bind(ada_, session, "back");
  const std::string front = Bind(ada_, session, "front");
  EXPECT_TRUE(*bindings_->Release(ada_, "", session));
  EXPECT_THAT(HandlesOf(session), ElementsAre(back));
  EXPECT_THAT(bindings_->Use(ada_, front), HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_TRUE(*bindings_->Release(ada_, "", session));
  EXPECT_FALSE(*bindings_->Release(ada_, "", session));
  EXPECT_THAT(HandlesOf(session), IsEmpty());
}

TEST_F(BindingsTest, TextsThatAreNoHandleAreGone) {
  for (const std::string& text :
       {std::string(), std::string("ws_"), std::string("back"),
        "ws_" + std::string(23, 'a'), std::string(100'000, 'w')}) {
    EXPECT_THAT(bindings_->Use(ada_, text),
                HasReason(ERROR_REASON_HANDLE_GONE));
  }
  EXPECT_EQ(store_.writes, 0);
}

TEST_F(BindingsTest, AnIdleHandleExpiresByItself) {
  const std::string handle = Bind(ada_, "", "back");
  clock_.Advance(absl::Hours(24) - absl::Milliseconds(1));
  EXPECT_THAT(bindings_->Get(ada_, handle), IsOk());
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_THAT(bindings_->Get(ada_, handle),
              HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_EQ(CountOf(SessionEvent::kExpiredIdle), 1);
}

TEST_F(BindingsTest, AtItsCapAPrincipalsLongestIdleHandleMakesPlace) {
  Rebuild({.quota = {.per_principal = 2, .total = 10}});
  const std::string first = Bind(ada_, "", "back");
  clock_.Advance(absl::Minutes(1));
  const std::string second = Bind(ada_, "", "back");
  EXPECT_THAT(bindings_->Bind(BindRequest(ada_, "", "back")),
              HasReason(rpc::v1::ERROR_REASON_SESSION_LIMIT));
  clock_.Advance(absl::Hours(1));
  ASSERT_THAT(bindings_->Use(ada_, second), IsOk());
  clock_.Advance(absl::Minutes(1));
  EXPECT_THAT(bindings_->Bind(BindRequest(ada_, "", "back")), IsOk());
  EXPECT_THAT(bindings_->Get(ada_, first), HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_THAT(bindings_->Get(ada_, second), IsOk());
}

}  // namespace
}  // namespace banyan::sessiond
