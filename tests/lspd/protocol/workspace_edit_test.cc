// SPDX-License-Identifier: Apache-2.0
#include "lspd/protocol/workspace_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;
using Kind = DocumentChange::Kind;

absl::StatusOr<WorkspaceEdit> Parse(const char* text) {
  return WorkspaceEditFromJson(json::parse(text));
}

constexpr char kRange[] =
    R"("range":{"start":{"line":0,"character":1},"end":{"line":0,"character":2}})";

TEST(WorkspaceEditTest, DocumentChangesWinAndKeepTheirOrder) {
  ASSERT_OK_AND_ASSIGN(const WorkspaceEdit edit, Parse(R"({
      "changes": {"file:///old": []},
      "documentChanges": [
        {"kind": "create", "uri": "file:///a", "options": {"overwrite": true}},
        {"textDocument": {"uri": "file:///a", "version": 3}, "edits": []},
        {"kind": "rename", "oldUri": "file:///b", "newUri": "file:///c",
         "options": {"ignoreIfExists": true}, "annotationId": "x"},
        {"kind": "delete", "uri": "file:///d",
         "options": {"ignoreIfNotExists": true}}]})"));
  ASSERT_EQ(edit.changes.size(), 4);
  EXPECT_EQ(edit.changes[0].kind, Kind::kCreate);
  EXPECT_TRUE(edit.changes[0].may_overwrite);
  EXPECT_EQ(edit.changes[1].version, 3);
  EXPECT_EQ(edit.changes[2].new_uri, "file:///c");
  EXPECT_TRUE(edit.changes[2].ignore_if_exists);
  EXPECT_TRUE(edit.changes[3].ignore_if_absent);
}

TEST(WorkspaceEditTest, EntriesOfOneTextAreOneChange) {
  const std::string text = std::string(R"({"documentChanges": [
        {"textDocument": {"uri": "file:///a", "version": null},
         "edits": [{)") + kRange +
                           R"(,"newText":"x"}]},
        {"textDocument": {"uri": "file:///a"},
         "edits": [{)" + kRange +
                           R"(,"newText":"y","annotationId":"z"}]}]})";
  ASSERT_OK_AND_ASSIGN(const WorkspaceEdit edit, Parse(text.c_str()));
  ASSERT_EQ(edit.changes.size(), 1);
  ASSERT_EQ(edit.changes[0].edits.size(), 2);
  EXPECT_EQ(edit.changes[0].edits[1].new_text, "y");
  EXPECT_EQ(edit.changes[0].version, std::nullopt);
}

TEST(WorkspaceEditTest, NothingAndNullAreNoChanges) {
  for (const char* text :
       {"null", "{}", R"({"changes": {}})", R"({"documentChanges": []})"}) {
    ASSERT_OK_AND_ASSIGN(const WorkspaceEdit edit, Parse(text));
    EXPECT_TRUE(edit.changes.empty()) << text;
  }
}

TEST(WorkspaceEditTest, OtherShapesAreRefusedNotGuessed) {
  for (const char* text :
       {"[]", R"({"changes": []})", R"({"documentChanges": {}})",
        R"({"documentChanges": [{"kind": "copy", "uri": "file:///a"}]})",
        R"({"documentChanges": [{"kind": "rename", "oldUri": "file:///a"}]})",
        R"({"documentChanges": [{"edits": []}]})",
        R"({"changes": {"file:///a": [{"newText": "x"}]}})",
        R"({"changes": {"file:///a": [{"range": {}}]}})"}) {
    EXPECT_THAT(Parse(text), HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED))
        << text;
  }
}

}  // namespace
}  // namespace banyan::lspd
