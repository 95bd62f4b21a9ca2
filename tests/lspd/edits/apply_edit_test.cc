// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/apply_edit.h"

#include <gmock/gmock.h>

#include <atomic>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "lspd/edits/code_actions.h"
#include "lspd/workspace/shown_texts.h"
#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Request = lsp::v1::ApplyEditRequest;
using Response = lsp::v1::ApplyEditResponse;

class ApplyEditTest : public QueryTest {
 protected:
  Editor EditorOf(const std::string& handle) const {
    Editor editor{.asker = asker_, .handle_hash = handle, .may_write = true};
    editor.asker.session_public_id = handle;
    return editor;
  }

  absl::StatusOr<Response> Apply(const Request& request,
                                 const std::string& handle = "one") {
    return ApplyEdit(tools_, EditorOf(handle), call_, request);
  }

  static Request Replace(const std::string& path, const std::string& needle,
                         const std::string& replacement) {
    Request request;
    auto& operation = *request.add_operations();
    operation.set_relative_path(path);
    operation.mutable_replace_content()->set_needle(needle);
    operation.mutable_replace_content()->set_replacement(replacement);
    return request;
  }

  static Request Lines(lsp::v1::LineEditKind kind, const std::string& path,
                       int start, int end, const std::string& content) {
    Request request;
    auto& operation = *request.add_operations();
    operation.set_relative_path(path);
    auto& lines = *operation.mutable_edit_lines();
    lines.set_kind(kind);
    lines.set_start_line(start);
    lines.set_end_line(end);
    lines.set_content(content);
    return request;
  }

  std::string Text(const std::string& path) const {
    std::ifstream file(folder_.PathOf(path), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : "(none)";
  }

  // As read_file does.
  std::string Show(const std::string& path, const std::string& handle = "one") {
    const auto content = asker_.workspace->root().ReadFile(path);
    ShownTexts::Of(*asker_.workspace)
        ->Note(handle, path, content->hash, content->bytes);
    return content->hash;
  }
};

TEST_F(ApplyEditTest, AnswersHashesAndDifference) {
  folder_.Write("a.txt", "one\ntwo\n");
  OpenRoot();
  const std::string before = Show("a.txt");
  ASSERT_OK_AND_ASSIGN(const Response answer,
                       Apply(Replace("a.txt", "two", "2")));
  EXPECT_EQ(Text("a.txt"), "one\n2\n");
  ASSERT_THAT(answer.results(), SizeIs(1));
  EXPECT_EQ(answer.results(0).previous_hash(), before);
  EXPECT_EQ(answer.results(0).hash(), HashOf("one\n2\n"));
  EXPECT_THAT(answer.results(0).unified_diff(), HasSubstr("-two\n+2\n"));
  EXPECT_FALSE(answer.transaction().empty());
}

TEST_F(ApplyEditTest, WithoutTheRightToWriteNothingIsWritten) {
  folder_.Write("a.txt", "one");
  OpenRoot();
  Editor reader = EditorOf("one");
  reader.may_write = false;
  const auto refused =
      ApplyEdit(tools_, reader, call_, Replace("a.txt", "one", "two"));
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_READ_ONLY));
  EXPECT_EQ(std::string(refused.status().message()),
            "Workspace is read-only. Return your proposed edits to the "
            "orchestrating agent.");
  Request preview = Replace("a.txt", "one", "two");
  preview.set_is_dry_run(true);
  ASSERT_OK_AND_ASSIGN(const Response shown,
                       ApplyEdit(tools_, reader, call_, preview));
  EXPECT_TRUE(shown.is_preview());
  EXPECT_THAT(shown.results(0).unified_diff(), HasSubstr("+two"));
  EXPECT_EQ(Text("a.txt"), "one");
}

TEST_F(ApplyEditTest, AnotherTextThanExpectedIsAConflictThatShowsIt) {
  folder_.Write("a.txt", "one\n");
  OpenRoot();
  Request request = Replace("a.txt", "o", "0");
  request.mutable_operations(0)->set_expected_hash(Show("a.txt"));
  folder_.Write("a.txt", "one\ntheirs\n");
  const auto refused = Apply(request);
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("+theirs"));
  EXPECT_EQ(Text("a.txt"), "one\ntheirs\n");
}

TEST_F(ApplyEditTest, LinesRestOnWhatTheHandleSawLast) {
  folder_.Write("a.txt", "1\n2\n3\n");
  OpenRoot();
  Show("a.txt");
  folder_.Write("a.txt", "0\n1\n2\n3\n");
  const Request request =
      Lines(lsp::v1::LINE_EDIT_KIND_DELETE, "a.txt", 2, 2, "");
  EXPECT_THAT(Apply(request), HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  // The refusal has shown how it stands now.
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("a.txt"), "0\n2\n3\n");
}

TEST_F(ApplyEditTest, AnUnseenFileIsNotOverwritten) {
  folder_.Write("a.txt", "work");
  OpenRoot();
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.txt");
  operation.mutable_create_file()->set_content("mine");
  EXPECT_THAT(Apply(request), HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  operation.mutable_create_file()->set_may_overwrite(true);
  EXPECT_THAT(Apply(request), HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  Show("a.txt");
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("a.txt"), "mine");
}

TEST_F(ApplyEditTest, TheSameCallAgainIsAnsweredNotMade) {
  folder_.Write("a.txt", "a\n");
  OpenRoot();
  const Request request =
      Lines(lsp::v1::LINE_EDIT_KIND_INSERT, "a.txt", 1, 0, "b");
  ASSERT_OK_AND_ASSIGN(const Response first, Apply(request));
  ASSERT_OK_AND_ASSIGN(const Response again, Apply(request));
  EXPECT_TRUE(again.was_already_applied());
  EXPECT_EQ(again.transaction(), first.transaction());
  EXPECT_EQ(Text("a.txt"), "b\na\n");
  // Another handle means it.
  ASSERT_THAT(Apply(request, "two"), IsOk());
  EXPECT_EQ(Text("a.txt"), "b\nb\na\n");
}

TEST_F(ApplyEditTest, LinesKeepTheFilesOwnLineEnds) {
  struct Case {
    lsp::v1::LineEditKind kind;
    std::string before;
    int start;
    int end;
    std::string content;
    std::string after;
  };
  const std::vector<Case> cases = {
      {lsp::v1::LINE_EDIT_KIND_REPLACE, "a\r\nb\r\nc\r\n", 2, 2, "x\ny",
       "a\r\nx\r\ny\r\nc\r\n"},
      {lsp::v1::LINE_EDIT_KIND_REPLACE, "a\nb", 2, 9, "x", "a\nx"},
      {lsp::v1::LINE_EDIT_KIND_REPLACE, "a\nb", 2, 2, "x\n", "a\nx\n"},
      {lsp::v1::LINE_EDIT_KIND_REPLACE, "a\nb\n", 1, 1, "", "b\n"},
      {lsp::v1::LINE_EDIT_KIND_INSERT, "a\nb", 99, 0, "c\n", "a\nb\nc"},
      {lsp::v1::LINE_EDIT_KIND_INSERT, "a\nb\n", 3, 0, "c", "a\nb\nc\n"},
      {lsp::v1::LINE_EDIT_KIND_INSERT, "", 1, 0, "c", "c\n"},
      {lsp::v1::LINE_EDIT_KIND_INSERT,
       "\xEF\xBB\xBF"
       "a\r",
       1, 0, "c",
       "\xEF\xBB\xBF"
       "c\ra\r"},
      {lsp::v1::LINE_EDIT_KIND_DELETE, "a\nb\r\nc", 2, 3, "", "a\n"},
      {lsp::v1::LINE_EDIT_KIND_DELETE, "a\nb\r\nc", 1, 1, "", "b\r\nc"},
  };
  OpenRoot();
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string path = absl::StrCat("f", i, ".txt");
    folder_.Write(path, cases[i].before);
    EXPECT_THAT(Apply(Lines(cases[i].kind, path, cases[i].start, cases[i].end,
                            cases[i].content)),
                IsOk())
        << i;
    EXPECT_EQ(Text(path), cases[i].after) << i;
  }
}

TEST_F(ApplyEditTest, ManyMatchesWithoutPermissionAreListed) {
  folder_.Write("a.txt", "x 1\nx 2\n");
  OpenRoot();
  Request request = Replace("a.txt", "x", "y");
  const auto refused = Apply(request);
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_THAT(std::string(refused.status().message()),
              testing::AllOf(HasSubstr("line 1: x 1"), HasSubstr("line 2")));
  request.mutable_operations(0)->mutable_replace_content()->set_may_match_often(
      true);
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("a.txt"), "y 1\ny 2\n");
}

TEST_F(ApplyEditTest, BytesThatAreNoTextAreNotEdited) {
  folder_.Write("latin.txt", "caf\xE9 one\n");
  OpenRoot();
  EXPECT_THAT(Apply(Replace("latin.txt", "one", "two")),
              HasReason(rpc::v1::ERROR_REASON_NOT_UTF8));
  EXPECT_EQ(Text("latin.txt"), "caf\xE9 one\n");
}

TEST_F(ApplyEditTest, PathsThatAreClosedStayClosed) {
  folder_.Write(".git/config", "a");
  folder_.Write(".banyan/project.json", "{}");
  OpenRoot();
  for (const char* path :
       {".git/config", "../x", ".banyan/project.json", ".banyan/edits/x",
        "a/.GIT/x", ".Banyan/Project.json", ".banyan/EDITS/x"}) {
    Request request;
    auto& operation = *request.add_operations();
    operation.set_relative_path(path);
    operation.mutable_create_file()->set_content("x");
    EXPECT_FALSE(Apply(request).ok()) << path;
  }
}

TEST_F(ApplyEditTest, AnEditOfASymbolLandsOnItsDefinition) {
  folder_.Write("a.py", "import x\n\n\ndef run():\n");
  OpenRoot();
  AddServer("python");
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.py");
  auto& symbol = *operation.mutable_edit_symbol();
  symbol.set_kind(lsp::v1::SYMBOL_EDIT_KIND_REPLACE_BODY);
  symbol.set_name_path("run");
  symbol.set_body("def run(fast):\n    pass\n");
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("a.py"), "import x\n\n\ndef run(fast):\n    pass\n");
}

TEST_F(ApplyEditTest, TheNextQuestionKnowsTheEdit) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.py");
  auto& symbol = *operation.mutable_edit_symbol();
  symbol.set_kind(lsp::v1::SYMBOL_EDIT_KIND_INSERT_AFTER);
  symbol.set_name_path("run");
  symbol.set_body("def walk():\n");
  ASSERT_THAT(Apply(request), IsOk());
  symbol.set_name_path("walk");
  symbol.set_body("def fly():\n");
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_THAT(Text("a.py"), HasSubstr("def fly():"));
}

TEST_F(ApplyEditTest, ARenameChangesEveryFileOrIsShownFirst) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("b.py", "import a\na.run()\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("textDocument/references", [&](const json&) {
    return json::array({LocationOf("b.py", 1, 2, 5)});
  });
  server->On("textDocument/rename", [&](const json& params) {
    const auto edit = [&](const std::string& path, int line, int start) {
      json changed = LocationOf(path, line, start, start + 3);
      return json{
          {"textDocument", {{"uri", changed["uri"]}, {"version", nullptr}}},
          {"edits", json::array({json{{"range", changed["range"]},
                                      {"newText", params["newName"]}}})}};
    };
    return json{{"documentChanges", {edit("a.py", 0, 4), edit("b.py", 1, 2)}}};
  });
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.py");
  auto& rename = *operation.mutable_rename_symbol();
  rename.set_name_path("run");
  rename.set_new_name("walk");
  ASSERT_OK_AND_ASSIGN(const Response shown, Apply(request));
  EXPECT_TRUE(shown.is_preview());
  EXPECT_THAT(shown.results(), SizeIs(2));
  EXPECT_EQ(Text("a.py"), "def run():\n");
  rename.set_is_confirmed(true);
  ASSERT_OK_AND_ASSIGN(const Response made, Apply(request));
  EXPECT_FALSE(made.is_preview());
  EXPECT_EQ(Text("a.py"), "def walk():\n");
  EXPECT_EQ(Text("b.py"), "import a\na.walk()\n");
}

TEST_F(ApplyEditTest, ARenameThatLeavesTheRootIsRefusedWhole) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("textDocument/references",
             [](const json&) { return json::array(); });
  server->On("textDocument/rename", [&](const json&) {
    return json{{"changes",
                 {{FileUri("/etc/hosts"), json::array()},
                  {FileUri(folder_.PathOf("a.py")), json::array()}}}};
  });
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.py");
  operation.mutable_rename_symbol()->set_name_path("run");
  operation.mutable_rename_symbol()->set_new_name("walk");
  EXPECT_THAT(Apply(request),
              HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT));
}

TEST_F(ApplyEditTest, AUsedSymbolIsNotDeletedAndItsUsesAreNamed) {
  folder_.Write("a.py", "def run():\n\n\ndef walk():\n");
  folder_.Write("b.py", "import a\na.run()\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("textDocument/references", [&](const json& params) {
    const bool is_run = params["position"]["line"] == 0;
    return is_run ? json::array({LocationOf("b.py", 1, 2, 5)}) : json::array();
  });
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.py");
  operation.mutable_delete_symbol()->set_name_path("run");
  const auto refused = Apply(request);
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("b.py:2"));
  operation.mutable_delete_symbol()->set_name_path("walk");
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("a.py"), "def run():\n");
}

TEST_F(ApplyEditTest, AReplacementInManyFilesIsAllOrNothing) {
  folder_.Write("a.txt", "old old\n");
  folder_.Write("b/c.txt", "old\r\n");
  folder_.Write("d.md", "old\n");
  OpenRoot();
  Request request;
  auto& operation = *request.add_operations();
  auto& replace = *operation.mutable_replace_in_files();
  replace.set_needle("old");
  replace.set_replacement("new");
  replace.add_exclude_globs("*.md");
  replace.set_expected_count(2);
  EXPECT_THAT(Apply(request), HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_EQ(Text("a.txt"), "old old\n");

  request.set_is_dry_run(true);
  replace.set_expected_count(3);
  ASSERT_OK_AND_ASSIGN(const Response shown, Apply(request));
  ASSERT_THAT(shown.occurrences(), SizeIs(3));
  EXPECT_EQ(shown.occurrences(1).new_text(), "old new");

  request.set_is_dry_run(false);
  replace.set_expected_count(0);
  replace.add_occurrence_ids(shown.occurrences(1).id());
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("a.txt"), "old new\n");
  EXPECT_EQ(Text("b/c.txt"), "old\r\n");
  // The text is another by now, and so are its places.
  replace.set_replacement("newer");
  EXPECT_THAT(Apply(request), HasReason(rpc::v1::ERROR_REASON_CONFLICT));
}

TEST_F(ApplyEditTest, AChainSeesItsOwnStepsAndWritesOnce) {
  OpenRoot();
  Request request;
  auto& create = *request.add_operations();
  create.set_relative_path("a.txt");
  create.mutable_create_file()->set_content("one\n");
  *request.add_operations() = Replace("a.txt", "one", "two").operations(0);
  auto& move = *request.add_operations();
  move.set_relative_path("a.txt");
  move.mutable_move_file()->set_new_path("b/c.txt");
  ASSERT_OK_AND_ASSIGN(const Response answer, Apply(request));
  EXPECT_THAT(answer.results(), SizeIs(1));
  EXPECT_EQ(Text("b/c.txt"), "two\n");
  EXPECT_EQ(Text("a.txt"), "(none)");
}

TEST_F(ApplyEditTest, ActivityTellsWhoDidIt) {
  folder_.Write("a.txt", "one\n");
  folder_.Write("b.txt", "one\n");
  OpenRoot();
  ASSERT_THAT(Apply(Replace("a.txt", "one", "two"), "other"), IsOk());
  folder_.Write("b.txt", "a person's\n");
  ASSERT_OK_AND_ASSIGN(const auto activity,
                       GetActivity(tools_, EditorOf("one"), call_, {}));
  std::vector<std::string> seen;
  for (const auto& file : activity.files()) {
    if (file.relative_path().rfind(".banyan", 0) == 0) continue;
    seen.push_back(
        absl::StrCat(file.relative_path(), " ", file.session_public_id()));
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre("a.txt other", "b.txt "));
}

TEST_F(ApplyEditTest, DiagnosticsTellWhatItBroke) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  Request request = Replace("a.py", "run", "walk");
  request.set_with_diagnostics(true);
  server->diagnostics = {{.message = "stays"}, {.message = "mended"}};
  Editor editor = EditorOf("one");
  editor.may_commit = [&] {
    server->diagnostics = {{.message = "stays"}, {.message = "broken"}};
    return absl::OkStatus();
  };
  ASSERT_OK_AND_ASSIGN(const Response answer,
                       ApplyEdit(tools_, editor, call_, request));
  ASSERT_THAT(answer.new_diagnostics(), SizeIs(1));
  EXPECT_EQ(answer.new_diagnostics(0).message(), "broken");
  ASSERT_THAT(answer.fixed_diagnostics(), SizeIs(1));
  EXPECT_EQ(answer.fixed_diagnostics(0).message(), "mended");
}

TEST_F(ApplyEditTest, ACodeActionIsListedAndMade) {
  folder_.Write("a.py", "import b\nimport a\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("textDocument/codeAction", [&](const json&) {
    json edit = {{"changes",
                  {{FileUri(folder_.PathOf("a.py")),
                    {{{"range", LocationOf("a.py", 0, 0, 0)["range"]},
                      {"newText", "# sorted\n"}}}}}}};
    return json::array({{{"title", "Sort"},
                         {"kind", "source.organizeImports"},
                         {"edit", std::move(edit)}}});
  });
  lsp::v1::ListCodeActionsRequest list;
  list.set_relative_path("a.py");
  ASSERT_OK_AND_ASSIGN(const auto actions,
                       ListCodeActions(tools_, EditorOf("one"), call_, list));
  ASSERT_THAT(actions.actions(), SizeIs(1));
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.py");
  operation.mutable_apply_code_action()->set_action_id(actions.actions(0).id());
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("a.py"), "# sorted\nimport b\nimport a\n");
  // The text is another by now.
  operation.set_expected_hash(HashOf(Text("a.py")));
  EXPECT_THAT(Apply(request), HasReason(rpc::v1::ERROR_REASON_CONFLICT));
}

TEST_F(ApplyEditTest, AFormatterIsToldHowTheFileIndents) {
  folder_.Write("a.py", "def run():\n\tx\n");
  OpenRoot();
  const auto server = AddServer("python");
  json options;
  server->On("textDocument/formatting", [&](const json& params) {
    options = params["options"];
    return json::array(
        {{{"range", LocationOf("a.py", 1, 1, 2)["range"]}, {"newText", "y"}}});
  });
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.py");
  operation.mutable_format_file();
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("a.py"), "def run():\n\ty\n");
  EXPECT_EQ(options["insertSpaces"], false);
}

// Two agents and somebody outside on one file: each adds its own lines, and
// nobody's may be gone at the end.
TEST_F(ApplyEditTest, NobodysUpdateIsLostInAThousandRounds) {
  constexpr int kRounds = 500;
  folder_.Write("log.txt", "start\n");
  OpenRoot();
  std::atomic<int> refusals = 0;
  std::atomic<int> without_difference = 0;
  const auto agent = [&](const std::string& name) {
    for (int round = 0; round < kRounds;) {
      Request request = Replace("log.txt", "start\n",
                                absl::StrCat("start\n", name, round, "\n"));
      request.mutable_operations(0)->set_expected_hash(Show("log.txt", name));
      const auto answer = Apply(request, name);
      if (answer.ok()) {
        ++round;
        continue;
      }
      ++refusals;
      if (answer.status().message().find("@@") == absl::string_view::npos) {
        ++without_difference;
      }
    }
  };
  std::thread first(agent, "a");
  std::thread second(agent, "b");
  // Saves as editors do: a new file under the old name, when it is still what
  // the person saw.
  int saved = 0;
  for (int round = 0; round < 100; ++round) {
    const std::string seen = Text("log.txt");
    folder_.Write("log.tmp", absl::StrCat(seen, "p", round, "\n"));
    if (Text("log.txt") != seen) continue;
    std::ofstream(folder_.PathOf("log.txt"), std::ios::app)
        << "p" << round << "\n";
    ++saved;
  }
  first.join();
  second.join();
  std::map<std::string, int> lines;
  for (const absl::string_view line : absl::StrSplit(Text("log.txt"), '\n')) {
    ++lines[std::string(line)];
  }
  for (int round = 0; round < kRounds; ++round) {
    EXPECT_EQ(lines[absl::StrCat("a", round)], 1);
    EXPECT_EQ(lines[absl::StrCat("b", round)], 1);
  }
  EXPECT_EQ(without_difference, 0);
  RecordProperty("refusals", refusals);
  RecordProperty("saved", saved);
}

}  // namespace
}  // namespace banyan::lspd
