// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using FindImplementationsTest = ToolFixture;

TEST_F(FindImplementationsTest, AnUnableServerIsAnErrorAndNeverEmpty) {
  lsp_.find_implementations.answer = rpc::Error(
      rpc::v1::ERROR_REASON_UNSUPPORTED, "bash has no implementations");
  EXPECT_THAT(Call("find_implementations", {{"name_path", "f"}}),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
}

}  // namespace
}  // namespace banyan::edge
