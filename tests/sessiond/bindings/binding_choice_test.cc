// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/binding_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sessiond/store/record_id.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using session::v1::Access;
using session::v1::ACCESS_READ_ONLY;
using session::v1::ACCESS_READ_WRITE;
using session::v1::ACCESS_UNSPECIFIED;

constexpr BindingSource kAllSources[] = {
    BindingSource::kHandleArgument, BindingSource::kNameArgument,
    BindingSource::kSessionHandle, BindingSource::kUrlProject,
    BindingSource::kOnlyProject};

TEST(BindingChoiceTest, TheFirstThatAppliesWins) {
  const std::string handle = NewWorkspaceHandle();
  BindingQuestion question = {.workspace = handle,
                              .has_session_handle = true,
                              .url_project = "url",
                              .has_only_project = true};
  EXPECT_EQ(ChooseBinding(question), BindingSource::kHandleArgument);
  question.workspace = "name";
  EXPECT_EQ(ChooseBinding(question), BindingSource::kNameArgument);
  question.workspace = "";
  EXPECT_EQ(ChooseBinding(question), BindingSource::kSessionHandle);
  question.has_session_handle = false;
  EXPECT_EQ(ChooseBinding(question), BindingSource::kUrlProject);
  question.url_project = "";
  EXPECT_EQ(ChooseBinding(question), BindingSource::kOnlyProject);
  question.has_only_project = false;
  EXPECT_EQ(ChooseBinding(question), BindingSource::kNothing);
}

TEST(BindingChoiceTest, ZeroAndUnknownAccessDeny) {
  const auto unknown = static_cast<Access>(77);
  for (const BindingSource source : kAllSources) {
    for (const Access bad : {ACCESS_UNSPECIFIED, unknown}) {
      EXPECT_THAT(JudgeAccess(source, bad, ACCESS_READ_ONLY, {}),
                  HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
      EXPECT_THAT(JudgeAccess(source, bad, ACCESS_READ_WRITE, {}),
                  HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
      EXPECT_THAT(JudgeAccess(source, ACCESS_READ_WRITE, bad, {}),
                  HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
    }
  }
}

TEST(BindingChoiceTest, EveryBindingServesReads) {
  for (const BindingSource source : kAllSources) {
    EXPECT_THAT(JudgeAccess(source, ACCESS_READ_ONLY, ACCESS_READ_ONLY, {}),
                IsOk());
    EXPECT_THAT(JudgeAccess(source, ACCESS_READ_WRITE, ACCESS_READ_ONLY, {}),
                IsOk());
  }
}

TEST(BindingChoiceTest, WritesNeedAHandle) {
  for (const BindingSource source :
       {BindingSource::kNameArgument, BindingSource::kUrlProject,
        BindingSource::kOnlyProject}) {
    const auto status =
        JudgeAccess(source, ACCESS_READ_WRITE, ACCESS_READ_WRITE, {});
    EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
    EXPECT_THAT(std::string(status.message()), HasSubstr("activate_project"));
  }
}

TEST(BindingChoiceTest, AReadOnlyWorkspaceSaysWhatToDoInstead) {
  const auto status = JudgeAccess(BindingSource::kHandleArgument,
                                  ACCESS_READ_ONLY, ACCESS_READ_WRITE, {});
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
  EXPECT_EQ(status.message(),
            "Workspace is read-only. Return your proposed edits to the "
            "orchestrating agent.");
}

TEST(BindingChoiceTest, TheDefaultServesWritesOnlyWhileThereIsOneRoot) {
  const std::vector<SessionHandle> two_roots = {
      {"ws_a", "back", "/srv/back"}, {"ws_b", "front", "/srv/front"}};
  const auto status =
      JudgeAccess(BindingSource::kSessionHandle, ACCESS_READ_WRITE,
                  ACCESS_READ_WRITE, two_roots);
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_BINDING_AMBIGUOUS));
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("ws_a (back)"), HasSubstr("ws_b (front)"),
                    Not(HasSubstr("/srv"))));

  const std::vector<SessionHandle> one_root = {{"ws_a", "back", "/srv/back"},
                                               {"ws_b", "back", "/srv/back"}};
  EXPECT_THAT(JudgeAccess(BindingSource::kSessionHandle, ACCESS_READ_WRITE,
                          ACCESS_READ_WRITE, one_root),
              IsOk());
  // Who says which one is meant is not stopped by the others.
  EXPECT_THAT(JudgeAccess(BindingSource::kHandleArgument, ACCESS_READ_WRITE,
                          ACCESS_READ_WRITE, two_roots),
              IsOk());
}

TEST(BindingChoiceTest, NotBoundListsTheProjectsAndTheWayOut) {
  const absl::Status status = NotBound({"back", "front"});
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_NOT_BOUND));
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("activate_project"), HasSubstr("back, front")));
  EXPECT_THAT(rpc::DetailOf(status).alternatives(),
              ElementsAre("back", "front"));
  EXPECT_THAT(std::string(NotBound({}).message()), HasSubstr("absolute path"));
}

TEST(BindingChoiceTest, AThousandProjectsDoNotFloodTheMessage) {
  const std::vector<std::string> names(1'000, "project");
  EXPECT_EQ(rpc::DetailOf(NotBound(names)).alternatives_size(), 50);
}

}  // namespace
}  // namespace banyan::sessiond
