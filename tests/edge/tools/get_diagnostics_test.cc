// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

using GetDiagnosticsTest = ToolFixture;

TEST_F(GetDiagnosticsTest, OneBadFileIsCutBetweenDiagnostics) {
  lsp::v1::GetDiagnosticsResponse response;
  for (int i = 1; i <= 100; ++i) {
    auto* diagnostic = response.add_diagnostics();
    diagnostic->set_relative_path(i <= 90 ? "bad.py" : "worse.py");
    diagnostic->set_severity(i % 2 == 0 ? lsp::v1::DIAGNOSTIC_SEVERITY_ERROR
                                        : lsp::v1::DIAGNOSTIC_SEVERITY_WARNING);
    diagnostic->set_message("undefined name");
    diagnostic->mutable_range()->set_start_line(i);
  }
  response.set_files_checked(7);
  lsp_.get_diagnostics.answer = response;
  json arguments = {{"max_answer_chars", 3000}, {"min_severity", "hint"}};
  size_t seen = 0;
  std::string last;
  for (int page = 0; page < 30; ++page) {
    const json answer = Answer("get_diagnostics", arguments);
    EXPECT_EQ(answer["diagnostic_count"], 100);
    for (const json& file : answer["files"]) {
      seen += file["diagnostics"].size();
      last = file["relative_path"].get<std::string>();
    }
    if (!answer.contains("next_cursor")) break;
    arguments["cursor"] = answer["next_cursor"];
  }
  EXPECT_EQ(seen, 100);
  EXPECT_EQ(last, "worse.py");
  EXPECT_EQ(lsp_.get_diagnostics.requests[0].min_severity(),
            lsp::v1::DIAGNOSTIC_SEVERITY_HINT);
}

}  // namespace
}  // namespace banyan::edge
