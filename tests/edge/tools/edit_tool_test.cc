// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using Operation = lsp::v1::EditOperation;

class EditToolTest : public ToolFixture {
 protected:
  // What lspd was asked by the last call.
  const lsp::v1::ApplyEditRequest& Asked() const {
    return lsp_.apply_edit.requests.back();
  }
  Operation AskedBy(const std::string& tool, const json& arguments) {
    EXPECT_THAT(Call(tool, arguments), IsOk()) << tool;
    return Asked().operations(0);
  }
};

TEST_F(EditToolTest, EveryEditAsksForTheRightToWrite) {
  const std::vector<std::pair<std::string, json>> calls = {
      {"create_text_file", {{"content", ""}}},
      {"replace_content", {{"needle", "a"}, {"repl", "b"}}},
      {"replace_lines", {{"start_line", 1}, {"content", ""}}},
      {"insert_at_line", {{"line", 1}, {"content", ""}}},
      {"delete_lines", {{"start_line", 1}}},
      {"replace_symbol_body", {{"name_path", "f"}, {"body", "f"}}},
      {"insert_before_symbol", {{"name_path", "f"}, {"body", "f"}}},
      {"insert_after_symbol", {{"name_path", "f"}, {"body", "f"}}},
      {"rename_symbol", {{"name_path", "f"}, {"new_name", "g"}}},
      {"safe_delete_symbol", {{"name_path", "f"}}},
      {"replace_in_files", {{"needle", "a"}, {"repl", "b"}}},
      {"delete_file", json::object()},
      {"move_file", {{"new_path", "b/c"}}},
      {"format_file", json::object()},
      {"apply_code_action", {{"action_id", "x"}}}};
  EXPECT_EQ(calls.size(), AllEdits().size());
  for (auto [tool, arguments] : calls) {
    arguments["relative_path"] = "./a//b";
    const json answer = Answer(tool, arguments);
    EXPECT_EQ(answer["workspace"], sessions_.workspace.handle()) << tool;
    EXPECT_EQ(sessions_.last_authorize.access(), session::v1::ACCESS_READ_WRITE)
        << tool;
    EXPECT_FALSE(Asked().is_dry_run()) << tool;
  }
  lsp_.apply_edit.answer =
      rpc::Error(rpc::v1::ERROR_REASON_CONFLICT, "it changed");
  for (auto [tool, arguments] : calls) {
    arguments["relative_path"] = "a";
    EXPECT_THAT(Call(tool, arguments),
                HasReason(rpc::v1::ERROR_REASON_CONFLICT))
        << tool;
  }
}

TEST_F(EditToolTest, TheHashThatTheAuthorSawGoesAlong) {
  const Operation asked = AskedBy("delete_file", {{"relative_path", "a"},
                                                  {"expected_hash", "sha256:1"},
                                                  {"diagnostics", true}});
  EXPECT_EQ(asked.expected_hash(), "sha256:1");
  EXPECT_TRUE(Asked().with_diagnostics());
}

TEST_F(EditToolTest, ArgumentsBecomeTheOperation) {
  const Operation content =
      AskedBy("replace_content", {{"relative_path", "a"},
                                  {"needle", "x(.)"},
                                  {"repl", "$1"},
                                  {"mode", "regex"},
                                  {"allow_multiple_occurrences", true}});
  EXPECT_EQ(content.replace_content().needle(), "x(.)");
  EXPECT_TRUE(content.replace_content().is_regex());
  EXPECT_TRUE(content.replace_content().may_match_often());

  const Operation lines = AskedBy("replace_lines", {{"relative_path", "a"},
                                                    {"start_line", 3},
                                                    {"end_line", 4},
                                                    {"content", "x"}});
  EXPECT_EQ(lines.edit_lines().kind(), lsp::v1::LINE_EDIT_KIND_REPLACE);
  EXPECT_EQ(lines.edit_lines().start_line(), 3);
  EXPECT_EQ(lines.edit_lines().end_line(), 4);

  for (const auto& [tool, kind] :
       {std::pair("insert_before_symbol",
                  lsp::v1::SYMBOL_EDIT_KIND_INSERT_BEFORE),
        std::pair("insert_after_symbol",
                  lsp::v1::SYMBOL_EDIT_KIND_INSERT_AFTER),
        std::pair("replace_symbol_body",
                  lsp::v1::SYMBOL_EDIT_KIND_REPLACE_BODY)}) {
    const Operation symbol = AskedBy(
        tool, {{"relative_path", "a"}, {"name_path", "A/f"}, {"body", "x"}});
    EXPECT_EQ(symbol.edit_symbol().kind(), kind) << tool;
    EXPECT_EQ(symbol.edit_symbol().name_path(), "A/f");
    EXPECT_EQ(symbol.edit_symbol().body(), "x");
  }

  const Operation rename = AskedBy("rename_symbol", {{"relative_path", "a"},
                                                     {"name_path", "f"},
                                                     {"new_name", "g"},
                                                     {"confirm", true}});
  EXPECT_TRUE(rename.rename_symbol().is_confirmed());
  EXPECT_FALSE(rename.rename_symbol().force());

  const Operation many =
      AskedBy("replace_in_files", {{"needle", "a"},
                                   {"repl", "b"},
                                   {"paths_include_glob", "*.cc"},
                                   {"occurrence_ids", {"1", "2"}},
                                   {"expected_count", 2}});
  EXPECT_EQ(many.replace_in_files().include_globs(0), "*.cc");
  EXPECT_EQ(many.replace_in_files().occurrence_ids_size(), 2);
  EXPECT_EQ(many.replace_in_files().expected_count(), 2);
}

// Answers every form alike.
class FakeClient : public ClientLink {
 public:
  explicit FakeClient(absl::StatusOr<json> answer)
      : answer_(std::move(answer)) {}

  bool WantsProgress() const override { return false; }
  void ReportProgress(double, std::optional<double>,
                      absl::string_view) override {}
  void Log(absl::string_view, absl::string_view, const json&) override {}
  bool CanAnswer(QuestionKind) const override { return true; }
  absl::StatusOr<json> Ask(const std::vector<Question>& questions) override {
    asked.push_back(questions.front().params);
    if (!answer_.ok()) return answer_.status();
    return json{{questions.front().key, *answer_}};
  }
  void LetClientPoll() override {}

  std::vector<json> asked;

 private:
  const absl::StatusOr<json> answer_;
};

TEST_F(EditToolTest, ARenameOfManyFilesIsMadeWhenTheUserSaysYes) {
  lsp_.apply_edit.answer->set_is_preview(true);
  for (const char* path : {"a.py", "b.py"}) {
    lsp_.apply_edit.answer->add_results()->set_relative_path(path);
  }
  const json arguments = {
      {"relative_path", "a.py"}, {"name_path", "f"}, {"new_name", "g"}};
  struct Case {
    absl::StatusOr<json> answer;
    bool is_made;
  };
  const std::vector<Case> cases = {
      {json{{"action", "accept"}, {"content", {{"rename", true}}}}, true},
      {json{{"action", "accept"}, {"content", {{"rename", false}}}}, false},
      {json{{"action", "accept"}, {"content", json::object()}}, false},
      {json{{"action", "decline"}}, false},
      {json("?"), false},
      {rpc::Error(rpc::v1::ERROR_REASON_DEADLINE, "nobody there"), false}};
  for (const Case& each : cases) {
    FakeClient client(each.answer);
    client_ = &client;
    lsp_.apply_edit.requests.clear();
    Answer("rename_symbol", arguments);
    ASSERT_EQ(client.asked.size(), 1);
    EXPECT_THAT(client.asked[0]["message"].get<std::string>(),
                testing::AllOf(testing::HasSubstr("f to g in 2 files"),
                               testing::HasSubstr("b.py")));
    EXPECT_EQ(lsp_.apply_edit.requests.size(), each.is_made ? 2 : 1);
    EXPECT_EQ(Asked().operations(0).rename_symbol().is_confirmed(),
              each.is_made);
  }
  // The call ends here and is made anew with the answer.
  FakeClient client(rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "asked"));
  client_ = &client;
  EXPECT_THAT(Call("rename_symbol", arguments),
              HasReason(rpc::v1::ERROR_REASON_CANCELLED));
}

TEST_F(EditToolTest, NobodyIsAskedAboutWhatWasMadeOrOnlyToBeShown) {
  FakeClient client(json{{"action", "accept"}});
  client_ = &client;
  json arguments = {
      {"relative_path", "a.py"}, {"name_path", "f"}, {"new_name", "g"}};
  Answer("rename_symbol", arguments);
  lsp_.apply_edit.answer->set_is_preview(true);
  arguments["dry_run"] = true;
  Answer("rename_symbol", arguments);
  Answer("replace_in_files",
         {{"needle", "a"}, {"repl", "b"}, {"dry_run", true}});
  EXPECT_TRUE(client.asked.empty());
}

TEST_F(EditToolTest, ADifferenceTooLongForTheBudgetIsLeftOutAndTold) {
  auto* result = lsp_.apply_edit.answer->add_results();
  result->set_relative_path("a");
  result->set_hash("sha256:1");
  result->set_unified_diff(std::string(50'000, '+'));
  ASSERT_OK_AND_ASSIGN(const FormattedResult answer,
                       Call("delete_file", {{"relative_path", "a"},
                                            {"max_answer_chars", 2000}}));
  EXPECT_LE(answer.chars, 2000);
  EXPECT_EQ(answer.structured["files"][0]["hash"], "sha256:1");
  EXPECT_EQ(answer.structured["left_out"], json::array({"the diffs"}));
}

TEST_F(EditToolTest, APreviewNeedsNoRightToWriteAndWritesNothing) {
  lsp_.apply_edit.answer->set_is_preview(true);
  const json answer = Answer(
      "preview_edit",
      {{"edits",
        {{{"tool", "create_text_file"},
          {"arguments", {{"relative_path", "a"}, {"content", "x"}}}},
         {{"tool", "move_file"},
          {"arguments", {{"relative_path", "a"}, {"new_path", "b"}}}}}}});
  EXPECT_EQ(answer["preview"], true);
  EXPECT_FALSE(Asked().with_diagnostics());
  EXPECT_EQ(sessions_.last_authorize.access(), session::v1::ACCESS_READ_ONLY);
  EXPECT_TRUE(Asked().is_dry_run());
  ASSERT_EQ(Asked().operations_size(), 2);
  EXPECT_EQ(Asked().operations(1).relative_path(), "a");
  EXPECT_EQ(Asked().operations(1).move_file().new_path(), "b");
}

TEST_F(EditToolTest, APreviewOfWhatIsNoEditNamesTheEdits) {
  for (const json& arguments :
       {json{{"tool", "read_file"}}, json::object(),
        json{{"tool", "delete_file"}},
        json{{"tool", "delete_file"}, {"edits", {json{{"tool", "x"}}}}}}) {
    EXPECT_THAT(Call("preview_edit", arguments),
                HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID))
        << arguments;
  }
  EXPECT_THAT(
      std::string(
          Call("preview_edit", {{"tool", "read_file"}}).status().message()),
      testing::HasSubstr("replace_content"));
}

TEST_F(EditToolTest, AMemoryIsAFileOfTheProject) {
  const Operation write =
      AskedBy("write_memory", {{"name", "build/notes.md"}, {"content", "# x"}});
  EXPECT_EQ(write.relative_path(), ".banyan/memories/build/notes.md");
  EXPECT_TRUE(write.create_file().may_overwrite());
  const Operation rename =
      AskedBy("rename_memory", {{"name", "a"}, {"new_name", "b/c"}});
  EXPECT_EQ(rename.move_file().new_path(), ".banyan/memories/b/c.md");
  for (const char* name : {"", "..", "../x", "a//b", "a/../../b", "global/x"}) {
    EXPECT_THAT(Call("delete_memory", {{"name", name}}),
                HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID))
        << name;
  }
}

TEST_F(EditToolTest, MemoriesAreListedByNameAndNoneIsNoError) {
  lsp_.list_directory.answer->add_files(".banyan/memories/a/b.md");
  lsp_.list_directory.answer->add_files(".banyan/memories/picture.png");
  EXPECT_EQ(Answer("list_memories", json::object())["memories"],
            json::array({"a/b"}));
  lsp_.list_directory.answer =
      rpc::Error(rpc::v1::ERROR_REASON_FILE_NOT_FOUND, "none");
  EXPECT_EQ(Answer("list_memories", json::object())["memories"], json::array());
}

}  // namespace
}  // namespace banyan::edge
