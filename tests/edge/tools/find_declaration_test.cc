// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using FindDeclarationTest = ToolFixture;

TEST_F(FindDeclarationTest, ABadPlaceIsRefusedBeforeAnythingIsAsked) {
  EXPECT_THAT(Call("find_declaration", {{"relative_path", "a"}}),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_TRUE(sessions_.Calls().empty());
  Answer("find_declaration",
         {{"relative_path", "a"}, {"line", 3}, {"column", 4}});
  EXPECT_EQ(lsp_.find_declaration.requests[0].position().column(), 4);
}

}  // namespace
}  // namespace banyan::edge
