// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/workspace_resources.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "tests/support/fake_lsp_client.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class WorkspaceResourcesTest : public testing::Test {
 protected:
  WorkspaceResourcesTest()
      : source_(*NewWorkspaceResources({sessions_, lsp_}, "1.2.3")) {
    *sessions_.workspaces.add_workspaces() = sessions_.workspace;
  }

  FakeSessionClient sessions_;
  FakeLspClient lsp_;
  const std::unique_ptr<ResourceSource> source_;
  const ToolCall call_{.arguments = {}, .caller = {}, .context = {}};
};

TEST_F(WorkspaceResourcesTest, ListsProjectsFirstAndNoHandle) {
  ASSERT_OK_AND_ASSIGN(const json list, source_->List(call_));
  EXPECT_EQ(list[0]["uri"], "banyan://projects");
  EXPECT_EQ(list[1]["uri"], "banyan://workspace/00112233445566aa");
  EXPECT_THAT(list.dump(), Not(HasSubstr(sessions_.workspace.handle())));
}

TEST_F(WorkspaceResourcesTest, TheFirstListedIsReadable) {
  ASSERT_OK_AND_ASSIGN(const json contents,
                       source_->Read("banyan://projects", call_));
  ASSERT_EQ(contents.size(), 1U);
  EXPECT_THAT(contents[0]["text"].get<std::string>(), HasSubstr("backend-api"));
}

TEST_F(WorkspaceResourcesTest, ReadsAsTheToolReadsWithTheHandle) {
  (void)source_->Read("banyan://workspace/00112233445566aa/file/a%20b/c.cc",
                      call_);
  EXPECT_EQ(sessions_.last_authorize.workspace(), sessions_.workspace.handle());
  EXPECT_THAT(sessions_.last_authorize.paths(), ElementsAre("a b/c.cc"));
}

TEST_F(WorkspaceResourcesTest, AnothersWorkspaceIsNotThere) {
  EXPECT_THAT(source_->Read("banyan://workspace/ffffffffffffffff", call_),
              HasCode(absl::StatusCode::kNotFound));
  EXPECT_EQ(sessions_.CallsOf("Authorize"), 0);
}

TEST_F(WorkspaceResourcesTest, CompletesIdsOfTheCallersOwn) {
  EXPECT_THAT(*source_->Complete("", "id", "0011", json::object(), call_),
              ElementsAre("00112233445566aa"));
  EXPECT_THAT(*source_->Complete("", "id", "9", json::object(), call_),
              testing::IsEmpty());
}

TEST(WorkspaceUriTest, ReadsItsFormsAndNothingElse) {
  const auto file = ParseWorkspaceUri("banyan://workspace/ab/file/x/%25.cc");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->workspace, "ab");
  EXPECT_EQ(file->view, "file");
  EXPECT_EQ(file->path, "x/%.cc");
  EXPECT_TRUE(ParseWorkspaceUri("banyan://workspace/ab/diagnostics/"));
  for (const char* uri :
       {"", "banyan://", "banyan://workspace/", "banyan://workspace/ab/",
        "banyan://workspace/ab/file", "banyan://workspace/ab/file/",
        "banyan://workspace/ab/other/x", "banyan://workspace/ab/file/%zz",
        "banyan://workspace/ab/file/%2", "file:///etc/passwd",
        "banyan://projects/x"}) {
    EXPECT_FALSE(ParseWorkspaceUri(uri).has_value()) << uri;
  }
}

TEST(WorkspaceUriTest, APathComesBackAsItWas) {
  for (const std::string path : {"a/b.cc", "ä ö%#?", "x\ny"}) {
    const auto parts =
        ParseWorkspaceUri("banyan://workspace/ab/file/" + EncodePath(path));
    ASSERT_TRUE(parts.has_value()) << path;
    EXPECT_EQ(parts->path, path);
  }
}

}  // namespace
}  // namespace banyan::edge
