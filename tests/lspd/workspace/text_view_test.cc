// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/text_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

TEST(TextViewTest, ShowsAllLinesWithTheirEnds) {
  const TextView view = *ViewLines("one\ntwo\n", 0, 0);
  EXPECT_EQ(view.text, "one\ntwo\n");
  EXPECT_EQ(view.total_lines, 2);
  EXPECT_EQ(view.start_line, 1);
  EXPECT_EQ(view.end_line, 2);
  EXPECT_EQ(view.line_ends, LineEnds::kLf);
  EXPECT_EQ(ViewLines("one\ntwo", 0, 0)->total_lines, 2);
}

TEST(TextViewTest, ShowsARange) {
  const std::string text = "1\r\n2\r\n3\r\n4";
  EXPECT_EQ(ViewLines(text, 2, 3)->text, "2\r\n3\r\n");
  EXPECT_EQ(ViewLines(text, 4, 4)->text, "4");
  EXPECT_EQ(ViewLines(text, 3, 99)->text, "3\r\n4");
  EXPECT_EQ(ViewLines(text, 3, 99)->end_line, 4);
  EXPECT_EQ(ViewLines(text, 0, 1)->text, "1\r\n");
}

TEST(TextViewTest, NamesTheLineEnds) {
  EXPECT_EQ(ViewLines("a", 0, 0)->line_ends, LineEnds::kNone);
  EXPECT_EQ(ViewLines("a\r\nb\r\n", 0, 0)->line_ends, LineEnds::kCrLf);
  EXPECT_EQ(ViewLines("a\rb\r", 0, 0)->line_ends, LineEnds::kCr);
  EXPECT_EQ(ViewLines("a\rb\r", 0, 0)->total_lines, 2);
  EXPECT_EQ(ViewLines("a\r\nb\n", 0, 0)->line_ends, LineEnds::kMixed);
  EXPECT_EQ(ViewLines("a\n\rb", 0, 0)->line_ends, LineEnds::kMixed);
}

TEST(TextViewTest, AByteOrderMarkIsNoText) {
  const TextView view = *ViewLines("\xef\xbb\xbfone\n", 1, 1);
  EXPECT_EQ(view.text, "one\n");
  EXPECT_TRUE(view.has_byte_order_mark);
  EXPECT_FALSE(view.has_encoding_errors);
}

TEST(TextViewTest, ShowsBadBytesAsReplacement) {
  const TextView view = *ViewLines("caf\xe9\nok\n", 0, 0);
  EXPECT_EQ(view.text, "caf\xef\xbf\xbd\nok\n");
  EXPECT_TRUE(view.has_encoding_errors);
  // Said of the whole file, whatever is shown of it.
  EXPECT_TRUE(ViewLines("caf\xe9\nok\n", 2, 2)->has_encoding_errors);
}

TEST(TextViewTest, ShowsOnlyTheSizeOfABinaryFile) {
  const TextView view = *ViewLines(std::string("a\0b\n", 4), 0, 0);
  EXPECT_TRUE(view.is_binary);
  EXPECT_EQ(view.text, "(binary file, 4 bytes)");
}

TEST(TextViewTest, AnEmptyFileHasNoLines) {
  const TextView view = *ViewLines("", 1, 10);
  EXPECT_EQ(view.text, "");
  EXPECT_EQ(view.total_lines, 0);
  EXPECT_EQ(view.start_line, 1);
  EXPECT_EQ(view.end_line, 0);
}

TEST(TextViewTest, RefusesLinesThatAreNone) {
  for (const auto& [start, end] :
       {std::pair(-1, 0), std::pair(0, -1), std::pair(2, 1), std::pair(3, 0)}) {
    EXPECT_THAT(ViewLines("1\n2\n", start, end),
                HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID))
        << start << " " << end;
  }
}

}  // namespace
}  // namespace banyan::lspd
