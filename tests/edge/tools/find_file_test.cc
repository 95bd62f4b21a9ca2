// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using FindFileTest = ToolFixture;

TEST_F(FindFileTest, PassesMaskAndFolderOn) {
  Answer("find_file", {{"file_mask", "*.py"}, {"relative_path", "src"}});
  EXPECT_EQ(lsp_.find_files.requests[0].file_mask(), "*.py");
  EXPECT_EQ(lsp_.find_files.requests[0].relative_path(), "src");
  EXPECT_EQ(lsp_.find_files.roots[0], "/srv/backend-api");
}

}  // namespace
}  // namespace banyan::edge
