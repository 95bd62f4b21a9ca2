// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using ListDirTest = ToolFixture;

TEST_F(ListDirTest, PagesRunThroughDirectoriesAndThenFiles) {
  lsp::v1::ListDirectoryResponse response;
  for (int i = 0; i < 40; ++i) {
    response.add_directories(absl::StrCat("directory_", i));
    response.add_files(absl::StrCat("file_", i));
  }
  lsp_.list_directory.answer = response;
  json arguments = {{"max_answer_chars", 1000}, {"recursive", true}};
  json directories = json::array();
  json files = json::array();
  for (int page = 0; page < 20; ++page) {
    const json answer = Answer("list_dir", arguments);
    for (const json& one : answer["directories"]) directories.push_back(one);
    for (const json& one : answer["files"]) files.push_back(one);
    if (!answer.contains("next_cursor")) break;
    arguments["cursor"] = answer["next_cursor"];
  }
  EXPECT_EQ(directories.size(), 40);
  EXPECT_EQ(files.size(), 40);
  EXPECT_EQ(files[39], "file_39");
  EXPECT_TRUE(lsp_.list_directory.requests[0].recursive());
  EXPECT_EQ(lsp_.list_directory.requests[0].relative_path(), "");
}

}  // namespace
}  // namespace banyan::edge
