// SPDX-License-Identifier: Apache-2.0
#include "sessiond/session_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "proto/rpc/grant.h"
#include "sessiond/store/record_id.h"
#include "tests/support/sessiond_fixture.h"

namespace banyan::sessiond {
namespace {

namespace v1 = session::v1;

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SessionServiceTest : public SessiondFixture {
 protected:
  using Stub = v1::SessionService::Stub;
  using WatchStream =
      grpc::ClientReaderWriter<v1::WatchRequest, v1::WatchResponse>;

  std::unique_ptr<WatchStream> Watch(grpc::ClientContext& context,
                                     int64_t from_revision) {
    auto stream = stub_->Watch(&context);
    v1::WatchRequest request;
    request.set_from_revision(from_revision);
    EXPECT_TRUE(stream->Write(request));
    return stream;
  }
};

TEST_F(SessionServiceTest, ASessionLivesFromInitializeToDelete) {
  const std::string id = Initialize();
  v1::GetSessionRequest get;
  *get.mutable_principal() = Ada();
  get.set_session_id(id);
  const auto session = Call(&Stub::GetSession, get);
  ASSERT_THAT(session, IsOk());
  EXPECT_EQ(session->session().client_name(), "client");
  EXPECT_EQ(session->session().public_id(), PublicId(RecordKey(id)));
  EXPECT_EQ(session->session().default_workspace(), "");

  v1::ValidateSessionRequest validate;
  *validate.mutable_principal() = Ada();
  validate.set_session_id(id);
  EXPECT_TRUE(Call(&Stub::ValidateSession, validate)->is_live());
  EXPECT_TRUE(*Terminate(id));
  EXPECT_FALSE(*Terminate(id));
  EXPECT_FALSE(Call(&Stub::ValidateSession, validate)->is_live());
  EXPECT_THAT(Call(&Stub::GetSession, get),
              HasReason(rpc::v1::ERROR_REASON_SESSION_GONE));
}

TEST_F(SessionServiceTest, ReasonsAndCandidatesCrossTheWire) {
  const auto refused = Authorize(Initialize());
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_NOT_BOUND));
  EXPECT_THAT(rpc::DetailOf(refused.status()).alternatives(),
              ::testing::ElementsAre("back", "front"));
  EXPECT_THAT(Authorize("nonsense"),
              HasReason(rpc::v1::ERROR_REASON_ID_MALFORMED));
  EXPECT_THAT(Bind("", "/etc"),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
}

TEST_F(SessionServiceTest, ABoundSessionIsAuthorized) {
  const std::string id = Initialize();
  const auto bound = Bind(id, "back");
  ASSERT_THAT(bound, IsOk());
  const v1::Workspace& workspace = bound->workspace();
  EXPECT_EQ(workspace.root(), "/srv/back");
  EXPECT_EQ(workspace.client_name(), "client");
  EXPECT_EQ(workspace.idle_expires_unix_ms() - workspace.last_used_unix_ms(),
            24 * 3'600'000);
  EXPECT_EQ(workspace.absolute_expires_unix_ms() - workspace.created_unix_ms(),
            7 * 24 * 3'600'000);
  v1::Grant grant;
  ASSERT_TRUE(grant.ParseFromString(bound->grant().payload()));
  EXPECT_EQ(grant.access(), v1::ACCESS_READ_WRITE);

  const auto granted = Authorize(id, "", "./src//a.cc");
  ASSERT_THAT(granted, IsOk());
  EXPECT_THAT(granted->clean_paths(), ::testing::ElementsAre("src/a.cc"));
  EXPECT_EQ(granted->workspace().handle(), workspace.handle());
  EXPECT_THAT(Authorize(id, "", "../x"),
              HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT));
  EXPECT_EQ(Authorize("", "front")->workspace().handle(), "");
}

TEST_F(SessionServiceTest, ACanonicalRootIsRecorded) {
  const auto bound = Bind("", "back");
  v1::RecordRootRequest record;
  *record.mutable_principal() = Ada();
  record.set_handle(bound->workspace().handle());
  record.set_canonical_root("/srv/back");
  record.mutable_identity()->set_inode(5);
  record.add_languages("cpp");
  const auto recorded = Call(&Stub::RecordRoot, record);
  ASSERT_THAT(recorded, IsOk());
  v1::Grant grant;
  ASSERT_TRUE(grant.ParseFromString(recorded->grant().payload()));
  EXPECT_EQ(grant.identity().inode(), 5u);

  v1::ListProjectsRequest list;
  *list.mutable_principal() = Ada();
  const auto projects = Call(&Stub::ListProjects, list);
  ASSERT_THAT(projects->projects(), SizeIs(2));
  EXPECT_EQ(projects->projects(0).sessions(), 1);
  EXPECT_THAT(projects->projects(0).languages(), ::testing::ElementsAre("cpp"));
}

TEST_F(SessionServiceTest, OnAProjectThatIsNoneNoSessionIsOpened) {
  v1::GenerateSessionRequest generate;
  *generate.mutable_principal() = Ada();
  v1::CreateSessionRequest create;
  *create.mutable_principal() = Ada();
  create.set_session_id(Call(&Stub::GenerateSession, generate)->session_id());
  create.set_protocol_version("2025-11-25");
  for (const char* project : {"nope", "/etc", "../back"}) {
    create.set_default_project(project);
    EXPECT_THAT(Call(&Stub::CreateSession, create),
                HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN))
        << project;
  }
  create.set_default_project("back");
  EXPECT_THAT(Call(&Stub::CreateSession, create), IsOk());
}

TEST_F(SessionServiceTest, ThePageSeesSessionsAndNoHandles) {
  const std::string id = Initialize();
  ASSERT_THAT(Bind(id, "back"), IsOk());
  ASSERT_THAT(Bind("", "front"), IsOk());
  v1::ListSessionsRequest list;
  *list.mutable_principal() = Ada();
  const auto sessions = Call(&Stub::ListSessions, list);
  ASSERT_THAT(sessions->entries(), SizeIs(2));
  for (const auto& entry : sessions->entries()) {
    EXPECT_EQ(entry.workspace().handle(), "");
    EXPECT_EQ(entry.session().default_workspace(), "");
    EXPECT_NE(entry.workspace().root(), "");
  }
}

TEST_F(SessionServiceTest, HandlesOfOthersStayHiddenOnASharedRoot) {
  ASSERT_THAT(Bind("", "back"), IsOk());
  v1::ListWorkspacesRequest list;
  *list.mutable_principal() = Ada();
  list.mutable_principal()->set_subject("1001");
  list.set_root("/srv/back");
  const auto workspaces = Call(&Stub::ListWorkspaces, list);
  ASSERT_THAT(workspaces->workspaces(), SizeIs(1));
  EXPECT_EQ(workspaces->workspaces(0).handle(), "");
  EXPECT_EQ(workspaces->workspaces(0).project_name(), "back");
}

TEST_F(SessionServiceTest, AnUpdateChangesLevelAndSubscriptions) {
  v1::UpdateSessionRequest update;
  *update.mutable_principal() = Ada();
  update.set_session_id(Initialize());
  update.set_log_level("debug");
  update.add_add_subscriptions("file:///a");
  update.add_add_subscriptions("file:///b");
  auto updated = Call(&Stub::UpdateSession, update);
  ASSERT_THAT(updated, IsOk());
  EXPECT_EQ(updated->session().log_level(), "debug");
  update.clear_log_level();
  update.clear_add_subscriptions();
  update.add_remove_subscriptions("file:///a");
  update.set_expected_version(updated->session().version());
  updated = Call(&Stub::UpdateSession, update);
  EXPECT_EQ(updated->session().log_level(), "debug");
  EXPECT_THAT(updated->session().subscriptions(),
              ::testing::ElementsAre("file:///b"));
  EXPECT_THAT(Call(&Stub::UpdateSession, update),
              HasReason(rpc::v1::ERROR_REASON_VERSION_CONFLICT));
}

TEST_F(SessionServiceTest, OnlyOperatorsEndSessionsByTheirPublicId) {
  const std::string id = Initialize();
  v1::TerminateSessionRequest request;
  request.mutable_principal()->set_issuer("issuer");
  request.mutable_principal()->set_subject("eve");
  request.set_public_id(PublicId(RecordKey(id)));
  EXPECT_THAT(Call(&Stub::TerminateSession, request),
              HasReason(rpc::v1::ERROR_REASON_SCOPE_MISSING));
  request.mutable_principal()->add_scopes("admin");
  EXPECT_TRUE(Call(&Stub::TerminateSession, request)->was_live());
}

TEST_F(SessionServiceTest, EdgesShareKeys) {
  const auto first = Call(&Stub::GetEdgeKeys, v1::GetEdgeKeysRequest());
  const auto second = Call(&Stub::GetEdgeKeys, v1::GetEdgeKeysRequest());
  ASSERT_THAT(first->keys(), SizeIs(1));
  EXPECT_THAT(first->keys(0).secret(), SizeIs(32));
  EXPECT_EQ(first->keys(0).secret(), second->keys(0).secret());
}

TEST_F(SessionServiceTest, AWatchTellsOfTerminationsAndEchoesPings) {
  const std::string id = Initialize();
  grpc::ClientContext context;
  const auto stream = Watch(context, 0);
  v1::WatchResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_TRUE(response.has_synced());
  const int64_t revision = response.revision();

  ASSERT_TRUE(*Terminate(id));
  v1::WatchRequest ping;
  ping.set_ping(7);
  ASSERT_TRUE(stream->Write(ping));
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.session().session_hash(), RecordKey(id));
  EXPECT_TRUE(response.session().is_terminated());
  EXPECT_EQ(response.revision(), revision + 1);
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.pong(), 7);

  stream->WritesDone();
  EXPECT_FALSE(stream->Read(&response));
}

TEST_F(SessionServiceTest, AStreamIsTakenUpFromTheRingByItsOwnerAlone) {
  v1::AppendEventsRequest append;
  *append.mutable_principal() = Ada();
  append.set_session_id(Initialize());
  append.set_stream("stream");
  append.add_events("");
  append.add_events("one");
  const auto appended = Call(&Stub::AppendEvents, append);
  ASSERT_THAT(appended, IsOk());
  ASSERT_THAT(appended->event_ids(), SizeIs(2));

  v1::ReadEventsRequest read;
  *read.mutable_principal() = Ada();
  read.set_session_id(append.session_id());
  read.set_stream("stream");
  read.set_after_event_id(appended->event_ids(0));
  const auto events = Call(&Stub::ReadEvents, read);
  ASSERT_THAT(events, IsOk());
  EXPECT_TRUE(events->is_known() && events->is_complete());
  ASSERT_THAT(events->events(), SizeIs(1));
  EXPECT_EQ(events->events(0).data(), "one");
  EXPECT_EQ(events->events(0).event_id(), appended->event_ids(1));

  read.mutable_principal()->set_subject("1001");
  EXPECT_THAT(Call(&Stub::ReadEvents, read),
              HasReason(rpc::v1::ERROR_REASON_SESSION_GONE));
  append.mutable_principal()->set_subject("1001");
  EXPECT_THAT(Call(&Stub::AppendEvents, append),
              HasReason(rpc::v1::ERROR_REASON_SESSION_GONE));
  append.clear_stream();
  EXPECT_THAT(Call(&Stub::AppendEvents, append),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST_F(SessionServiceTest, AfterARestartAStreamIsUnknownAndItsSessionLives) {
  v1::AppendEventsRequest append;
  *append.mutable_principal() = Ada();
  append.set_session_id(Initialize());
  append.set_stream("stream");
  append.add_events("one");
  ASSERT_THAT(Call(&Stub::AppendEvents, append), IsOk());
  Stop();
  Start(data_.path());
  v1::ReadEventsRequest read;
  *read.mutable_principal() = Ada();
  read.set_session_id(append.session_id());
  read.set_stream("stream");
  const auto events = Call(&Stub::ReadEvents, read);
  ASSERT_THAT(events, IsOk());
  EXPECT_FALSE(events->is_known());
}

// Field report 11.
TEST_F(SessionServiceTest, AFollowedSessionOutlivesItsIdleLimit) {
  const std::string followed = Initialize();
  const std::string other = Initialize();
  grpc::ClientContext context;
  const auto stream = stub_->Watch(&context);
  v1::WatchRequest request;
  request.add_follow_session_hashes(RecordKey(followed));
  request.set_ping(1);
  ASSERT_TRUE(stream->Write(request));
  v1::WatchResponse response;
  while (response.pong() != 1) ASSERT_TRUE(stream->Read(&response));
  clock_.Advance(absl::Hours(25));
  v1::ValidateSessionRequest validate;
  *validate.mutable_principal() = Ada();
  validate.set_session_id(other);
  EXPECT_FALSE(Call(&Stub::ValidateSession, validate)->is_live());
  validate.set_session_id(followed);
  EXPECT_TRUE(Call(&Stub::ValidateSession, validate)->is_live());
  context.TryCancel();
}

TEST_F(SessionServiceTest, AWatchResumesOverARestartOfTheDaemon) {
  const std::string id = Initialize();
  v1::WatchResponse response;
  int64_t revision = 0;
  {
    grpc::ClientContext context;
    const auto stream = Watch(context, 0);
    ASSERT_TRUE(stream->Read(&response));
    revision = response.revision();
    context.TryCancel();
  }
  ASSERT_TRUE(*Terminate(id));
  Stop();
  Start(data_.path());
  grpc::ClientContext context;
  const auto stream = Watch(context, revision);
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_TRUE(response.session().is_terminated());
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_TRUE(response.has_synced());
  context.TryCancel();
}

TEST_F(SessionServiceTest, AStopEndsWatchesSoThatADrainIsQuick) {
  grpc::ClientContext context;
  const auto stream = Watch(context, 0);
  v1::WatchResponse response;
  ASSERT_TRUE(stream->Read(&response));
  sessiond_->EndStreams();
  const auto start = std::chrono::steady_clock::now();
  server_->Drain(absl::Seconds(30));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_FALSE(stream->Read(&response));
}

TEST_F(SessionServiceTest, ClientsThatSayTooMuchAreRefused) {
  v1::GenerateSessionRequest generate;
  *generate.mutable_principal() = Ada();
  v1::CreateSessionRequest create;
  *create.mutable_principal() = Ada();
  create.set_session_id(Call(&Stub::GenerateSession, generate)->session_id());
  create.set_protocol_version("2025-11-25");
  create.set_client_capabilities_json(std::string(17 * 1024, ' '));
  EXPECT_THAT(Call(&Stub::CreateSession, create),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  create.clear_client_capabilities_json();
  EXPECT_THAT(Call(&Stub::CreateSession, create),
              HasReason(rpc::v1::ERROR_REASON_SESSION_GONE));
}

}  // namespace
}  // namespace banyan::sessiond
