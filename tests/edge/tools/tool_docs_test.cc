// SPDX-License-Identifier: Apache-2.0
//
// docs/tools.md is what the tools say about themselves, with one example each.
// This test writes the page anew and compares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tests/support/status_matchers.h"
#include "tests/support/tool_fixture.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kPath[] = BANYAN_SOURCE_DIR "/docs/tools.md";

constexpr char kIntroduction[] =
    R"(# Tools

<!-- Written by tests/edge/tools/tool_docs_test.cc. After a change of a tool run
     BANYAN_UPDATE_DOCS=1 edge_tools_test --gtest_filter='ToolDocsTest.*' -->

What a client can ask for, in the order of `tools/list`. Each section shows the
arguments, then one call and the `structuredContent` of its answer. The text
block of an answer is the same JSON on one line, except for `read_file`, whose
text block is the file's text.

What all of them share:

- Paths are relative to the root of the workspace, with `/`. Lines and columns
  are 1-based; columns count Unicode code points; `end_line` is inclusive,
  `end_column` exclusive.
- `workspace` is a handle from `activate_project`, or a project's name for
  reading. Without it the session's own workspace is asked, then the project of
  the URL (`/mcp/p/<project>`).
- `complete: true` means that nothing is missing: empty then means that there is
  none. Otherwise `incomplete` says for which language, why, and how much.
- Names in a name path are joined by `/` in every language: `Class/method`.
- An answer longer than `max_answer_chars` (both copies together) is shortened,
  which `left_out` says, then cut, and `next_cursor` goes on. A cursor works on
  every edge; when the result changed in between it is refused as
  `CURSOR_STALE`.
- `null` counts as not given; arguments that a tool does not know are ignored.
- `_meta` carries `elapsed_ms` and `estimated_tokens` (characters / 4).

A call that fails is a result with `isError: true`. Its text says what to do
next, and `structuredContent` names the reason:

```json
{
  "error": {
    "message": "There is no file src/conn.py. find_file looks for names.",
    "reason": "FILE_NOT_FOUND"
  }
}
```

Why something may be missing (`incomplete`), and what to do:

| reason | what it means | what helps |
| --- | --- | --- |
| `indexing` | the language server still reads the project | ask again in a moment |
| `server_restarted` | it ended while it was asked, and runs again | ask again |
| `server_missing` | no server for this language is installed | `get_current_config` says how to install it |
| `deadline` | the time of the call was over | ask again, or about a smaller part (`relative_path`) |
| `result_cap` | there is more than one answer holds; `count` says how much | ask about smaller parts |
| `no_compile_database` | C or C++ without `compile_commands.json` | build with `CMAKE_EXPORT_COMPILE_COMMANDS=ON`, or with bear |
| `not_in_project` | the file belongs to no project of its server (a `tsconfig.json` that leaves it out, say) | add it, or read the text |
| `dependencies_missing` | libraries that the code uses are not installed | install them |
| `changed_while_reading` | files changed while they were read | ask again |
| `files_not_searched` | `count` files could not be read, or were left out | search them by `relative_path` |
| `outside_root` | there are results outside of this workspace | activate the whole, if that is meant |
| `name_may_be_generated` | the name stands nowhere in the text, so code may make it at run time | ask for the place by `find_declaration` |
| `unknown_readiness` | the server does not say when it is ready | ask again in a moment and compare |
)";

std::string Cell(const std::string& text) {
  return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}});
}

std::string TypeOf(const json& property) {
  if (property.contains("enum")) {
    std::vector<std::string> values;
    for (const json& value : property["enum"]) {
      values.push_back(absl::StrCat("`", value.get<std::string>(), "`"));
    }
    return absl::StrJoin(values, ", ");
  }
  const json& type = property["type"];
  std::string name =
      type.is_array()
          ? absl::StrJoin(type.get<std::vector<std::string>>(), " or ")
          : type.get<std::string>();
  if (property.contains("items")) {
    absl::StrAppend(&name, " of ", TypeOf(property["items"]));
  }
  return name;
}

bool IsRequired(const json& schema, const std::string& name) {
  const json required = schema.value("required", json::array());
  return std::find(required.begin(), required.end(), name) != required.end();
}

std::string ArgumentTable(const json& schema) {
  std::string table =
      "| argument | type | default | meaning |\n| --- | --- | --- | --- |\n";
  const auto add = [&](bool only_required) {
    for (const auto& [name, property] : schema["properties"].items()) {
      if (IsRequired(schema, name) != only_required) continue;
      const std::string fallback =
          only_required ? "required"
          : property.contains("default")
              ? absl::StrCat("`", property["default"].dump(), "`")
              : "";
      absl::StrAppend(&table, "| `", name, "` | ", Cell(TypeOf(property)),
                      " | ", fallback, " | ",
                      Cell(property["description"].get<std::string>()), " |\n");
    }
  };
  add(/*only_required=*/true);
  add(/*only_required=*/false);
  return table;
}

// One small Python project, as the daemons would show it.
class ToolDocsTest : public ToolFixture {
 protected:
  ToolDocsTest() {
    sessions_.projects.mutable_projects(0)->add_languages("python");
    auto* other = sessions_.workspaces.add_workspaces();
    other->set_public_id("5566778899aabbcc");
    other->set_client_name("editor");
    other->set_client_version("3.1");
    other->set_access(session::v1::ACCESS_READ_ONLY);
    other->set_last_used_unix_ms(1796083200000);
    FillFiles();
    FillSymbols();
    FillEdits();
  }

  void FillFiles() {
    auto& root = *lsp_.open_root.answer;
    root.set_canonical_root("/srv/backend-api");
    root.set_git_branch("main");
    root.set_git_head("8f4b2c9d1e6a7f3058b4c2d1e9f6a7b8c3d4e5f6");
    root.set_uncommitted_files(1);
    auto* language = root.add_languages();
    language->set_language("python");
    language->set_server("pyright");
    language->set_state("not started");
    language->set_files(42);

    lsp_.list_directory.answer->add_directories("src/net");
    lsp_.list_directory.answer->add_files("src/main.py");
    lsp_.find_files.answer->add_files("src/net/conn.py");

    auto& text = *lsp_.read_file.answer;
    text.set_text("class Conn:\n    def flush(self):\n");
    text.set_hash("sha256:9c1b0f");
    text.set_line_ending(lsp::v1::LINE_ENDING_LF);
    text.set_start_line(1);
    text.set_end_line(2);
    text.set_total_lines(20);

    auto* file = lsp_.search_text.answer->add_files();
    file->set_relative_path("src/net/pool.py");
    auto* match = file->add_matches();
    int number = 30;
    for (const char* line :
         {"    def drain(self):", "        self.conn.flush()"}) {
      auto* shown = match->add_lines();
      shown->set_number(number);
      shown->set_text(line);
      shown->set_is_match(number == 31);
      ++number;
    }
    lsp_.search_text.answer->set_match_count(1);
  }

  static lsp::v1::Symbol MakeSymbol(const std::string& name_path,
                                    const std::string& kind, int start,
                                    int end) {
    lsp::v1::Symbol symbol;
    symbol.set_name_path(name_path);
    symbol.set_kind(kind);
    symbol.set_relative_path("src/net/conn.py");
    symbol.mutable_range()->set_start_line(start);
    symbol.mutable_range()->set_start_column(5);
    symbol.mutable_range()->set_end_line(end);
    symbol.mutable_range()->set_end_column(27);
    return symbol;
  }

  void FillSymbols() {
    const lsp::v1::Symbol flush = MakeSymbol("Conn/flush", "method", 2, 3);
    auto* conn = lsp_.get_symbols_overview.answer->add_symbols();
    *conn = MakeSymbol("Conn", "class", 1, 3);
    *conn->add_children() = flush;
    *lsp_.get_symbols_overview.answer->add_symbols() =
        MakeSymbol("connect", "function", 6, 8);
    lsp_.get_symbols_overview.answer->set_hash("sha256:9c1b0f");

    lsp::v1::Symbol with_body = flush;
    with_body.set_body("def flush(self):\n        self.sock.send(self.buf)");
    with_body.set_hash("sha256:9c1b0f");
    *lsp_.find_symbol.answer->add_symbols() = with_body;

    auto& references = *lsp_.find_referencing_symbols.answer;
    *references.mutable_symbol() = flush;
    auto* reference = references.add_references();
    reference->set_relative_path("src/net/pool.py");
    reference->mutable_range()->set_start_line(31);
    reference->mutable_range()->set_start_column(19);
    reference->mutable_range()->set_end_line(31);
    reference->mutable_range()->set_end_column(24);
    reference->set_line_text("        self.conn.flush()");
    reference->set_line_before("    def drain(self):");
    reference->mutable_containing_symbol()->set_name_path("Pool/drain");
    reference->mutable_containing_symbol()->set_kind("method");
    references.add_text_only("README.md");
    auto* reason = references.add_incomplete();
    reason->set_language("python");
    reason->set_reason(lsp::v1::INCOMPLETE_REASON_OUTSIDE_ROOT);
    reason->set_count(1);

    *lsp_.find_declaration.answer->add_symbols() = flush;
    lsp::v1::Symbol implementation =
        MakeSymbol("TlsConn/flush", "method", 9, 10);
    implementation.set_relative_path("src/net/tls.py");
    *lsp_.find_implementations.answer->add_symbols() = implementation;

    lsp_.get_symbol_info.answer->set_info(
        "(method) def flush(self: Self@Conn) -> None");
    *lsp_.get_symbol_info.answer->mutable_symbol() = flush;

    auto* diagnostic = lsp_.get_diagnostics.answer->add_diagnostics();
    diagnostic->set_relative_path("src/net/pool.py");
    diagnostic->set_severity(lsp::v1::DIAGNOSTIC_SEVERITY_ERROR);
    diagnostic->set_message("\"socket\" is not defined");
    diagnostic->set_code("reportUndefinedVariable");
    diagnostic->set_source("Pyright");
    diagnostic->set_containing_symbol("Pool/open");
    *diagnostic->mutable_range() = lsp::v1::Range();
    diagnostic->mutable_range()->set_start_line(12);
    diagnostic->mutable_range()->set_start_column(9);
    diagnostic->mutable_range()->set_end_line(12);
    diagnostic->mutable_range()->set_end_column(15);
    lsp_.get_diagnostics.answer->set_files_checked(1);
  }

  void FillEdits() {
    auto* result = lsp_.apply_edit.answer->add_results();
    result->set_relative_path("src/net/pool.py");
    result->set_kind(lsp::v1::FILE_CHANGE_KIND_CHANGED);
    result->set_previous_hash("sha256:9c1b0f");
    result->set_hash("sha256:41d7aa");
    result->set_unified_diff(
        "--- a/src/net/pool.py\n+++ b/src/net/pool.py\n@@ -31,1 +31,1 @@\n"
        "-        self.conn.flush()\n+        self.conn.drain()\n");
    lsp_.apply_edit.answer->set_transaction("1796083200000-5b1e09c4");

    auto* action = lsp_.list_code_actions.answer->add_actions();
    action->set_id("31.31.quickfix.9c1b0f4e2d7a8b31");
    action->set_title("Import \"socket\"");
    action->set_kind("quickfix");
    lsp_.list_code_actions.answer->set_hash("sha256:9c1b0f");

    auto* change = lsp_.get_activity.answer->add_files();
    change->set_relative_path("src/net/pool.py");
    change->set_kind(lsp::v1::FILE_CHANGE_KIND_CHANGED);
    change->set_session_public_id("5566778899aabbcc");
    change->set_transaction("1796083200000-5b1e09c4");
    change->set_at_unix_ms(1796083200000);
    change->set_hash("sha256:41d7aa");
  }

  static json ExampleArguments(const std::string& tool) {
    static const json* const kExamples = new json{
        {"list_projects", json::object()},
        {"activate_project",
         {{"project", "backend-api"}, {"access", "read-write"}}},
        {"get_current_config", json::object()},
        {"release_workspace", {{"workspace", "ws_AAAAAAAAAAAAAAAAAAAAAA"}}},
        {"list_dir", {{"relative_path", "src"}}},
        {"find_file", {{"file_mask", "conn.*"}}},
        {"read_file", {{"relative_path", "src/net/conn.py"}, {"end_line", 2}}},
        {"search_for_pattern",
         {{"substring_pattern", "conn\\.flush"}, {"context_lines_before", 1}}},
        {"get_symbols_overview",
         {{"relative_path", "src/net/conn.py"}, {"depth", 1}}},
        {"find_symbol",
         {{"name_path_pattern", "Conn/flush"}, {"include_body", true}}},
        {"find_referencing_symbols",
         {{"name_path", "Conn/flush"}, {"relative_path", "src/net/conn.py"}}},
        {"find_declaration",
         {{"relative_path", "src/net/pool.py"}, {"regex", "conn\\.(flush)"}}},
        {"find_implementations",
         {{"name_path", "Conn/flush"}, {"relative_path", "src/net/conn.py"}}},
        {"get_symbol_info",
         {{"name_path", "Conn/flush"}, {"relative_path", "src/net/conn.py"}}},
        {"get_diagnostics", {{"relative_path", "src/net"}}},
        {"list_code_actions", {{"relative_path", "src/net/pool.py"}}},
        {"workspace_activity", json::object()},
        {"preview_edit",
         {{"tool", "replace_content"},
          {"arguments",
           {{"relative_path", "src/net/pool.py"},
            {"needle", "flush"},
            {"repl", "drain"}}}}},
        {"list_memories", json::object()},
        {"read_memory", {{"name", "build/notes"}}},
        {"write_memory", {{"name", "build/notes"}, {"content", "# Notes"}}},
        {"edit_memory",
         {{"name", "build/notes"}, {"needle", "old"}, {"repl", "new"}}},
        {"rename_memory", {{"name", "build/notes"}, {"new_name", "notes"}}},
        {"delete_memory", {{"name", "notes"}}}};
    return kExamples->contains(tool) ? kExamples->at(tool) : EditExample(tool);
  }

  static json EditExample(const std::string& tool) {
    json example = {{"relative_path", "src/net/pool.py"}};
    if (tool == "create_text_file") {
      example["content"] = "import conn\n";
    } else if (tool == "replace_content" || tool == "replace_in_files") {
      example["needle"] = "self.conn.flush()";
      example["repl"] = "self.conn.drain()";
    } else if (tool == "replace_lines" || tool == "delete_lines") {
      example["start_line"] = 31;
      if (tool == "replace_lines") {
        example["content"] = "        self.conn.drain()";
      }
    } else if (tool == "insert_at_line") {
      example["line"] = 31;
      example["content"] = "        self.conn.drain()";
    } else if (tool == "rename_symbol") {
      example["name_path"] = "Pool/drain";
      example["new_name"] = "empty";
    } else if (tool == "safe_delete_symbol") {
      example["name_path"] = "Pool/drain";
    } else if (tool == "move_file") {
      example["new_path"] = "src/pool.py";
    } else if (tool == "apply_code_action") {
      example["action_id"] = "31.31.quickfix.9c1b0f4e2d7a8b31";
    } else if (tool != "delete_file" && tool != "format_file") {
      example["name_path"] = "Pool/drain";
      example["body"] = "def drain(self):\n    self.conn.drain()";
    }
    return example;
  }

  std::string Section(const ToolSpec& spec) {
    const json arguments = ExampleArguments(spec.name);
    const auto answer = Call(spec.name, arguments);
    EXPECT_THAT(answer, IsOk()) << spec.name;
    if (!answer.ok()) return "";
    std::string section =
        absl::StrCat("\n## ", spec.name, "\n\n", spec.description, "\n\n");
    if (spec.input_schema["properties"].empty()) {
      absl::StrAppend(&section, "No arguments.\n");
    } else {
      absl::StrAppend(&section, ArgumentTable(spec.input_schema));
    }
    absl::StrAppend(&section, "\n```json\n", arguments.dump(), "\n```\n");
    absl::StrAppend(&section, "\n```json\n", answer->structured.dump(2),
                    "\n```\n");
    return section;
  }

  std::string Page() {
    std::string page = kIntroduction;
    absl::StrAppend(&page, "\n| tool | in short |\n| --- | --- |\n");
    for (const auto& entry : registry_.entries()) {
      const ToolSpec& spec = entry.tool->spec();
      absl::StrAppend(&page, "| [`", spec.name, "`](#", spec.name, ") | ",
                      spec.title, " |\n");
    }
    for (const auto& entry : registry_.entries()) {
      page += Section(entry.tool->spec());
    }
    return page;
  }
};

TEST_F(ToolDocsTest, ThePageIsWhatTheToolsSay) {
  const std::string page = Page();
  if (std::getenv("BANYAN_UPDATE_DOCS") != nullptr) {
    std::ofstream(kPath, std::ios::binary) << page;
  }
  std::ostringstream committed;
  committed << std::ifstream(kPath, std::ios::binary).rdbuf();
  EXPECT_TRUE(committed.str() == page)
      << "docs/tools.md is out of date. Run BANYAN_UPDATE_DOCS=1 "
         "edge_tools_test --gtest_filter='ToolDocsTest.*' and commit it.";
}

}  // namespace
}  // namespace banyan::edge
