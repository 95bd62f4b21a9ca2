// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using GetSymbolInfoTest = ToolFixture;

TEST_F(GetSymbolInfoTest, LongDocumentationLosesItsEnd) {
  lsp_.get_symbol_info.answer->set_info(std::string(50000, 'd'));
  const json answer = Answer("get_symbol_info",
                             {{"name_path", "f"}, {"max_answer_chars", 5000}});
  EXPECT_LT(answer["info"].get<std::string>().size(), 3000);
  EXPECT_EQ(answer["left_out"].size(), 1);
}

}  // namespace
}  // namespace banyan::edge
