// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/ripgrep_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace banyan::lspd {
namespace {

constexpr char kMatch[] =
    R"({"type":"match","data":{"path":{"text":"./a.cc"},"lines":{"text":)"
    R"("int x;\n"},"line_number":3,"absolute_offset":20,"submatches":[)"
    R"({"match":{"text":"x"},"start":4,"end":5}]}})";

TEST(RipgrepOutputTest, ReadsMatches) {
  const RipgrepReport report = ParseRipgrep(absl::StrCat(
      R"({"type":"begin","data":{"path":{"text":"./a.cc"}}})", "\n", kMatch,
      "\n", R"({"type":"summary","data":{}})", "\n"));
  EXPECT_TRUE(report.has_summary);
  ASSERT_EQ(report.files.size(), 1u);
  ASSERT_EQ(report.files.at("a.cc").size(), 1u);
  const RipgrepMatch& match = report.files.at("a.cc")[0];
  EXPECT_EQ(match.offset, 20u);
  EXPECT_EQ(match.lines, "int x;\n");
  ASSERT_EQ(match.spans.size(), 1u);
  EXPECT_EQ(match.spans[0], std::make_pair(size_t{4}, size_t{5}));
}

TEST(RipgrepOutputTest, ReadsWhatIsNotUtf8) {
  const RipgrepReport report = ParseRipgrep(
      absl::StrCat(R"({"type":"match","data":{"path":{"bytes":")",
                   absl::Base64Escape("\xff.cc"), R"("},"lines":{"bytes":")",
                   absl::Base64Escape("x\xfe\n"),
                   R"("},"absolute_offset":0,"submatches":[]}})"));
  ASSERT_EQ(report.files.count("\xff.cc"), 1u);
  EXPECT_EQ(report.files.at("\xff.cc")[0].lines, "x\xfe\n");
}

TEST(RipgrepOutputTest, PassesByWhatItDoesNotUnderstand) {
  for (const std::string& output :
       {std::string(), std::string("not json"), std::string("[]\n3\nnull"),
        std::string(R"({"type":"match"})"),
        std::string(R"({"type":"match","data":3})"),
        std::string(R"({"type":"match","data":{"path":{"text":1}}})"),
        std::string(kMatch, sizeof(kMatch) - 10)}) {
    const RipgrepReport report = ParseRipgrep(output);
    EXPECT_TRUE(report.files.empty()) << output;
    EXPECT_FALSE(report.has_summary);
  }
}

TEST(RipgrepOutputTest, DropsSpansOutsideTheirLines) {
  const RipgrepReport report = ParseRipgrep(
      R"({"type":"match","data":{"path":{"text":"a"},"lines":{"text":"xy"},)"
      R"("absolute_offset":0,"submatches":[{"start":1,"end":9},)"
      R"({"start":2,"end":1},{"start":-1,"end":1},{"start":0,"end":2}]}})");
  ASSERT_EQ(report.files.at("a")[0].spans.size(), 1u);
  EXPECT_EQ(report.files.at("a")[0].spans[0].second, 2u);
}

}  // namespace
}  // namespace banyan::lspd
