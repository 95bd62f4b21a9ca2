// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/git_repo.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class WorkspaceTest : public ::testing::Test {
 protected:
  std::unique_ptr<Workspace> Open() const {
    return std::make_unique<Workspace>(*RootDirectory::Open(folder_.path(), {}),
                                       folder_.path(), 1, Workspace::Options());
  }

  TempWorkspace folder_;
};

TEST_F(WorkspaceTest, CountsExtensionsOfWhatGitKnows) {
  Git(folder_.path(), "init -q");
  folder_.Write(".gitignore", "*.o\n");
  folder_.Write("a.CC", "");
  folder_.Write("src/b.cc", "");
  folder_.Write("src/c.d.ts", "");
  folder_.Write("Makefile", "");
  folder_.Write("a.o", "");
  const auto workspace = Open();
  ASSERT_OK_AND_ASSIGN(const auto counts, workspace->ExtensionCounts({}));
  EXPECT_THAT(counts.endings, ElementsAre(Pair(".cc", 2), Pair(".gitignore", 1),
                                          Pair(".ts", 1), Pair("Makefile", 1)));
  folder_.Write("src/d.cc", "");
  EXPECT_EQ(workspace->ExtensionCounts({})->endings.at(".cc"), 3);
}

// Some languages may be missing then.
TEST_F(WorkspaceTest, CountsThatLackFilesSaySo) {
  folder_.Write("a.cc", "");
  folder_.Write("b.cc", "");
  Workspace::Options options;
  options.files.max_entries = 1;
  const Workspace workspace(*RootDirectory::Open(folder_.path(), {}),
                            folder_.path(), 1, options);
  ASSERT_OK_AND_ASSIGN(const auto counts, workspace.ExtensionCounts({}));
  ASSERT_EQ(counts.incomplete.size(), 1u);
  EXPECT_EQ(counts.incomplete[0].reason(),
            lsp::v1::INCOMPLETE_REASON_RESULT_CAP);
}

TEST_F(WorkspaceTest, KeepsOneStateOfEachTypeForItsLife) {
  struct One {
    int number = 0;
  };
  struct Other {};
  int made = 0;
  const auto make = [&made]() -> std::shared_ptr<One> {
    return std::make_shared<One>(One{++made});
  };
  std::weak_ptr<One> kept;
  {
    const auto workspace = Open();
    kept = workspace->State<One>(make);
    EXPECT_EQ(workspace->State<One>(make)->number, 1);
    workspace->State<Other>([] { return std::make_shared<Other>(); });
    EXPECT_FALSE(kept.expired());
  }
  EXPECT_TRUE(kept.expired());
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace banyan::lspd
