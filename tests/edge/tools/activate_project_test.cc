// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class ActivateProjectTest : public ToolFixture {
 protected:
  ActivateProjectTest() {
    lsp::v1::OpenRootResponse found;
    found.set_canonical_root("/srv/backend-api");
    found.mutable_identity()->set_inode(42);
    found.set_git_branch("main");
    found.set_git_head("0123456789abcdef");
    found.set_uncommitted_files(2);
    auto* language = found.add_languages();
    language->set_language("python");
    language->set_server("pyright");
    language->set_state("not started");
    lsp_.open_root.answer = found;
  }
};

TEST_F(ActivateProjectTest, BindsLooksAndRecordsWhatItSaw) {
  const json answer = Answer("activate_project", {{"project", "backend-api"}});
  EXPECT_THAT(sessions_.Calls(),
              ElementsAre("BindWorkspace", "RecordRoot", "ListWorkspaces"));
  EXPECT_EQ(sessions_.binds[0].session_id(), "session-0");
  EXPECT_EQ(sessions_.last_record.identity().inode(), 42);
  EXPECT_EQ(sessions_.last_record.languages(0), "python");
  EXPECT_EQ(answer["workspace"], sessions_.workspace.handle());
  EXPECT_EQ(answer["root"], "/srv/backend-api");
  EXPECT_EQ(answer["project_name"], "backend-api");
  EXPECT_EQ(answer["access"], "read-write");
  EXPECT_EQ(answer["languages"][0]["server"], "pyright");
  EXPECT_EQ(answer["git"], json({{"branch", "main"},
                                 {"head", "0123456789abcdef"},
                                 {"uncommitted_files", 2}}));
  EXPECT_EQ(answer["limits"]["idle_expires_at"], "2026-12-02T00:00:00Z");
}

TEST_F(ActivateProjectTest,
       AnotherCanonicalRootIsBoundInsteadAndTheFirstHandleGivenBack) {
  lsp_.open_root.answer->set_canonical_root("/data/real");
  const json answer = Answer("activate_project", {{"project", "/srv/link"}});
  EXPECT_THAT(sessions_.Calls(),
              ElementsAre("BindWorkspace", "ReleaseWorkspace", "BindWorkspace",
                          "RecordRoot", "ListWorkspaces"));
  EXPECT_EQ(sessions_.binds[1].project(), "/data/real");
  EXPECT_THAT(sessions_.released, ElementsAre(sessions_.workspace.handle()));
  EXPECT_THAT(lsp_.open_root.roots, ElementsAre("/srv/link", "/data/real"));
  EXPECT_EQ(answer["root"], "/data/real");
  EXPECT_NE(answer["workspace"], sessions_.workspace.handle());
}

TEST_F(ActivateProjectTest, AFailedLookGivesTheHandleBackAndIsTheAnswer) {
  lsp_.open_root.answer =
      rpc::Error(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN, "no such directory");
  EXPECT_THAT(Call("activate_project", {{"project", "backend-api"}}),
              HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN));
  EXPECT_THAT(sessions_.released, ElementsAre(sessions_.workspace.handle()));
  // Else the session would work in it, and have HANDLE_GONE from then on.
  EXPECT_THAT(sessions_.released_from, ElementsAre("session-0"));
}

TEST_F(ActivateProjectTest, ACallThatIsCancelledStillGivesTheHandleBack) {
  lsp_.open_root.answer =
      rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "cancelled");
  context_.deadline = absl::InfinitePast();
  context_.is_cancelled = [] { return true; };
  EXPECT_FALSE(Call("activate_project", {{"project", "backend-api"}}).ok());
  ASSERT_EQ(sessions_.released.size(), 1);
  EXPECT_FALSE(sessions_.last_context.IsOver());
}

TEST_F(ActivateProjectTest, ARefusedRecordGivesTheHandleBack) {
  sessions_.failures["RecordRoot"] =
      rpc::Error(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED, "outside");
  EXPECT_THAT(Call("activate_project", {{"project", "backend-api"}}),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
  EXPECT_EQ(sessions_.released.size(), 1);
}

TEST_F(ActivateProjectTest, AccessComesFromTheCallThenTheUrlThenTheSession) {
  Answer("activate_project", {{"project", "p"}, {"access", "read-only"}});
  EXPECT_EQ(sessions_.binds.back().access(), session::v1::ACCESS_READ_ONLY);
  Answer("activate_project", {{"project", "p"}});
  EXPECT_EQ(sessions_.binds.back().access(), session::v1::ACCESS_UNSPECIFIED);
  caller_.default_access = session::v1::ACCESS_READ_ONLY;
  Answer("activate_project", {{"project", "p"}});
  EXPECT_EQ(sessions_.binds.back().access(), session::v1::ACCESS_READ_ONLY);
  EXPECT_THAT(Call("activate_project", {{"project", "p"}, {"access", "all"}}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST_F(ActivateProjectTest, AModernCallerNamesItsClientAndNoSession) {
  caller_.session_id.clear();
  caller_.client_name = "agent";
  caller_.client_version = "2";
  Answer("activate_project", {{"project", "p"}, {"reuse", true}});
  EXPECT_EQ(sessions_.binds[0].session_id(), "");
  EXPECT_EQ(sessions_.binds[0].client_name(), "agent");
  EXPECT_TRUE(sessions_.binds[0].reuse());
}

TEST_F(ActivateProjectTest, LanguagesCanBeWarmedUpByNameOrAll) {
  Answer("activate_project", {{"project", "p"}, {"prewarm", {"cpp"}}});
  EXPECT_THAT(lsp_.open_root.requests.back().prewarm(), ElementsAre("cpp"));
  Answer("activate_project", {{"project", "p"}, {"prewarm", true}});
  EXPECT_THAT(lsp_.open_root.requests.back().prewarm(), ElementsAre("python"));
  Answer("activate_project", {{"project", "p"}, {"prewarm", false}});
  EXPECT_TRUE(lsp_.open_root.requests.back().prewarm().empty());
}

TEST_F(ActivateProjectTest, ALanguageThatIsNotThereIsAWarning) {
  const json answer = Answer(
      "activate_project", {{"project", "p"}, {"prewarm", {"python", "cobol"}}});
  ASSERT_EQ(answer["warnings"].size(), 1);
  EXPECT_THAT(answer["warnings"][0].get<std::string>(), HasSubstr("cobol"));
}

TEST_F(ActivateProjectTest, AnotherCommitIsAWarningAndTheSameCommitShortIsNot) {
  json answer = Answer("activate_project",
                       {{"project", "p"}, {"client_head", "0123456"}});
  EXPECT_EQ(answer["warnings"], json::array());
  answer = Answer("activate_project",
                  {{"project", "p"}, {"client_head", "fedcba98"}});
  ASSERT_EQ(answer["warnings"].size(), 1);
  EXPECT_THAT(
      answer["warnings"][0].get<std::string>(),
      testing::AllOf(HasSubstr("fedcba98"), HasSubstr("0123456789abcdef")));
}

TEST_F(ActivateProjectTest, OthersOnTheRootAreShownWithoutTheirHandles) {
  auto* own = sessions_.workspaces.add_workspaces();
  *own = sessions_.workspace;
  auto* other = sessions_.workspaces.add_workspaces();
  other->set_public_id("ffeeddccbbaa9988");
  other->set_session_public_id("1122334455667788");
  other->set_client_name("editor");
  other->set_client_version("3.1");
  other->set_access(session::v1::ACCESS_READ_ONLY);
  // An earlier handle of the very same session.
  auto* earlier = sessions_.workspaces.add_workspaces();
  earlier->set_public_id("0123456789abcdef");
  earlier->set_session_public_id(caller_.session_public_id);
  const json answer = Answer("activate_project", {{"project", "p"}});
  ASSERT_EQ(answer["other_sessions"].size(), 1);
  EXPECT_EQ(answer["other_sessions"][0]["session"], "1122334455667788");
  EXPECT_EQ(answer["other_sessions"][0]["client"], "editor 3.1");
}

TEST_F(ActivateProjectTest, NotKnowingTheOthersIsAWarningAndNoFailure) {
  sessions_.failures["ListWorkspaces"] =
      rpc::Error(rpc::v1::ERROR_REASON_STORE_UNREACHABLE, "x");
  const json answer = Answer("activate_project", {{"project", "p"}});
  EXPECT_EQ(answer["warnings"].size(), 1);
}

}  // namespace
}  // namespace banyan::edge
