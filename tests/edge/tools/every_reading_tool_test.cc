// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using EveryReadingToolTest = ToolFixture;

TEST_F(EveryReadingToolTest, NamesItsWorkspaceAndPassesTheDaemonsErrorOn) {
  const std::vector<std::pair<std::string, json>> calls = {
      {"list_dir", json::object()},
      {"find_file", {{"file_mask", "*"}}},
      {"read_file", {{"relative_path", "a"}}},
      {"search_for_pattern", {{"substring_pattern", "x"}}},
      {"get_symbols_overview", {{"relative_path", "a"}}},
      {"find_symbol", {{"name_path_pattern", "f"}}},
      {"find_referencing_symbols", {{"name_path", "f"}}},
      {"find_declaration", {{"relative_path", "a"}, {"regex", "(f)"}}},
      {"find_implementations", {{"name_path", "f"}}},
      {"get_symbol_info", {{"name_path", "f"}}},
      {"get_diagnostics", json::object()}};
  for (const auto& [tool, arguments] : calls) {
    const json answer = Answer(tool, arguments);
    EXPECT_EQ(answer["workspace"], sessions_.workspace.handle()) << tool;
    EXPECT_EQ(answer["complete"], true) << tool;
  }
  const absl::Status missing =
      rpc::Error(rpc::v1::ERROR_REASON_SERVER_MISSING, "install it");
  lsp_.list_directory.answer = missing;
  lsp_.find_files.answer = missing;
  lsp_.read_file.answer = missing;
  lsp_.search_text.answer = missing;
  lsp_.get_symbols_overview.answer = missing;
  lsp_.find_symbol.answer = missing;
  lsp_.find_referencing_symbols.answer = missing;
  lsp_.find_declaration.answer = missing;
  lsp_.find_implementations.answer = missing;
  lsp_.get_symbol_info.answer = missing;
  lsp_.get_diagnostics.answer = missing;
  for (const auto& [tool, arguments] : calls) {
    EXPECT_THAT(Call(tool, arguments),
                HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING))
        << tool;
  }
}

}  // namespace
}  // namespace banyan::edge
