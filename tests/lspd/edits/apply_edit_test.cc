// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/apply_edit.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lspd/edits/code_actions.h"
#include "lspd/queries/find_symbol.h"
#include "tests/lspd/edits/edit_fixture.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using ApplyEditTest = EditTest;

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

// The handle may have learnt it elsewhere, or this server was started anew.
TEST_F(ApplyEditTest, WhoNamesTheRightHashHasSeenTheFile) {
  folder_.Write("a.txt", "work");
  OpenRoot();
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.txt");
  operation.set_expected_hash(HashOf("work"));
  operation.mutable_create_file()->set_content("mine");
  operation.mutable_create_file()->set_may_overwrite(true);
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("a.txt"), "mine");
}

TEST_F(ApplyEditTest, AHashOfNoFileIsRefusedNotPassedOver) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  Request request;
  auto& operation = *request.add_operations();
  operation.set_expected_hash(HashOf("other"));
  auto& symbol = *operation.mutable_edit_symbol();
  symbol.set_kind(lsp::v1::SYMBOL_EDIT_KIND_REPLACE_BODY);
  symbol.set_name_path("run");
  symbol.set_body("def run(fast):\n");
  EXPECT_THAT(Apply(request),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_EQ(Text("a.py"), "def run():\n");
}

TEST_F(ApplyEditTest, ASymbolFoundInAFolderRestsOnWhatWasSeenOfItsFile) {
  folder_.Write("in/a.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  Show("in/a.py");
  folder_.Write("in/a.py", "# theirs\ndef run():\n");
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("in");
  auto& symbol = *operation.mutable_edit_symbol();
  symbol.set_kind(lsp::v1::SYMBOL_EDIT_KIND_REPLACE_BODY);
  symbol.set_name_path("run");
  symbol.set_body("def run(fast):\n");
  const auto refused = Apply(request);
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("+# theirs"));
  EXPECT_EQ(Text("in/a.py"), "# theirs\ndef run():\n");
  ASSERT_THAT(Apply(request), IsOk());
  EXPECT_EQ(Text("in/a.py"), "# theirs\ndef run(fast):\n");
}

TEST_F(ApplyEditTest, ABodyThatWasShownCountsAsSeen) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  asker_.handle_hash = "one";
  lsp::v1::FindSymbolRequest request;
  request.set_name_path_pattern("run");
  request.set_include_body(true);
  ASSERT_OK_AND_ASSIGN(const auto found,
                       FindSymbol(tools_, asker_, call_, request));
  ASSERT_THAT(found.symbols(), SizeIs(1));
  EXPECT_EQ(ShownTexts::Of(*asker_.workspace)->LastHash("one", "a.py"),
            found.symbols(0).hash());
}

TEST_F(ApplyEditTest, ALinkIsEditedThroughAndNeitherDeletedNorMoved) {
  folder_.Write("real.txt", "one\n");
  std::filesystem::create_symlink("real.txt", folder_.PathOf("link.txt"));
  OpenRoot();
  ASSERT_THAT(Apply(Replace("link.txt", "one", "two")), IsOk());
  EXPECT_EQ(Text("real.txt"), "two\n");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_.PathOf("link.txt")));
  Request remove;
  remove.add_operations()->set_relative_path("link.txt");
  remove.mutable_operations(0)->mutable_delete_file();
  const auto refused = Apply(remove);
  EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("real.txt"));
  Request move;
  move.add_operations()->set_relative_path("link.txt");
  move.mutable_operations(0)->mutable_move_file()->set_new_path("b.txt");
  EXPECT_THAT(Apply(move), HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_EQ(Text("real.txt"), "two\n");
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
// nobody's may be gone at the end. A thousand rounds with BANYAN_TEST_FULL.
TEST_F(ApplyEditTest, NobodysUpdateIsLost) {
  const int rounds = std::getenv("BANYAN_TEST_FULL") != nullptr ? 1000 : 100;
  folder_.Write("log.txt", "start\n");
  OpenRoot();
  std::atomic<int> refusals = 0;
  std::atomic<int> without_difference = 0;
  std::atomic<int> made = 0;
  const auto agent = [&](const std::string& name) {
    for (int round = 0; round < rounds;) {
      const std::string line = absl::StrCat(name, round, "\n");
      Request request =
          Replace("log.txt", "start\n", absl::StrCat("start\n", line));
      request.mutable_operations(0)->set_expected_hash(Show("log.txt", name));
      const auto answer = Apply(request, name);
      // The one outcome that an agent must look for itself.
      const bool is_unknown = rpc::ReasonOf(answer.status()) ==
                              rpc::v1::ERROR_REASON_OUTCOME_UNKNOWN;
      if (answer.ok() ||
          (is_unknown && absl::StrContains(Text("log.txt"), "\n" + line))) {
        ++round;
        ++made;
        made.notify_all();
        continue;
      }
      ++refusals;
      if (!is_unknown && !absl::StrContains(answer.status().message(), "@@")) {
        ++without_difference;
      }
    }
  };
  std::thread first(agent, "a");
  std::thread second(agent, "b");
  // Writes into the file itself, as `echo >>` does, which no lock holds off.
  int saved = 0;
  for (; saved < rounds; ++saved) {
    for (int now = made; now < saved; now = made) made.wait(now);
    std::ofstream(folder_.PathOf("log.txt"), std::ios::app)
        << "p" << saved << "\n";
  }
  first.join();
  second.join();
  std::map<std::string, int> lines;
  for (const absl::string_view line : absl::StrSplit(Text("log.txt"), '\n')) {
    ++lines[std::string(line)];
  }
  for (int round = 0; round < rounds; ++round) {
    EXPECT_EQ(lines[absl::StrCat("a", round)], 1);
    EXPECT_EQ(lines[absl::StrCat("b", round)], 1);
  }
  EXPECT_EQ(without_difference, 0);
  // A write that came when its file had just been displaced is kept with it.
  std::string kept;
  const std::string edits = folder_.PathOf(".banyan/edits");
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(edits)) {
    if (entry.path().extension() != ".new") continue;
    absl::StrAppend(&kept, "\n", Text(entry.path().string()));
  }
  int only_kept = 0;
  for (int i = 0; i < saved; ++i) {
    const std::string line = absl::StrCat("p", i);
    EXPECT_LE(lines[line], 1);
    if (lines[line] == 1) continue;
    ++only_kept;
    EXPECT_THAT(kept, HasSubstr(absl::StrCat("\n", line, "\n")));
  }
  RecordProperty("refusals", refusals);
  RecordProperty("saved", saved);
  RecordProperty("only_kept", only_kept);
}

}  // namespace
}  // namespace banyan::lspd
