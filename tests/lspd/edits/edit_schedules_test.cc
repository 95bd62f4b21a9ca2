// SPDX-License-Identifier: Apache-2.0
//
// Somebody saves a file, formats it or switches the branch at every moment of
// an edit: between what was shown and what is made, while a server is asked,
// and when all is prepared. The edit is refused, or right for what is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tests/lspd/edits/edit_fixture.h"

namespace banyan::lspd {
namespace {

using Files = std::map<std::string, std::string>;
using TextLines = std::vector<std::string>;

constexpr int kSchedules = 50;
// Before the edit, at one of the server's first answers, before the commit.
constexpr int kMoments = 7;

// Each kind of edit that may rest on something old: what a server said, ids of
// a preview, a symbol's place, a formatter's columns.
enum class EditKind { kRename, kOccurrences, kSymbolBody, kFormat };
constexpr int kEditKinds = 4;

// What the edit makes of a text.
std::string Right(EditKind kind, const std::string& text) {
  if (kind == EditKind::kSymbolBody) {
    return absl::StrReplaceAll(text, {{"def run():", "def hurry():"}});
  }
  if (kind != EditKind::kFormat) {
    return absl::StrReplaceAll(text, {{"run", "hurry"}});
  }
  TextLines lines = absl::StrSplit(text, '\n');
  for (std::string& line : lines) {
    const size_t at = line.find("return");
    if (at != std::string::npos) line = absl::StrCat("  ", line.substr(at));
  }
  return absl::StrJoin(lines, "\n");
}

// One edit of a root of its own, disturbed at one moment.
class Schedule : public EditTest {
 public:
  Schedule(EditKind kind, int moment) : kind_(kind), moment_(moment) {
    const Files files = {
        {"a.py", "# top\ndef run():\n    return 1\n\n\ndef walk():\n"},
        {"b.py", "import a\n\nx = 1\na.run()\n"},
        {"c.py", "from a import run\n\n\nrun(); y = run()\n"}};
    for (const auto& [path, text] : files) folder_.Write(path, text);
    folder_.Write(".git/HEAD", "ref: refs/heads/main\n");
    OpenRoot();
    AddRenamingServer();
  }

  // Saves as editors do, in one of two ways.
  void Save(const std::string& path, const std::string& text, bool in_place) {
    if (in_place) {
      folder_.Write(path, text);
      return;
    }
    folder_.Write(path + "~", text);
    std::filesystem::rename(folder_.PathOf(path + "~"), folder_.PathOf(path));
  }
  void Remove(const std::string& path) {
    std::filesystem::remove(folder_.PathOf(path));
  }

  Files Disk() const {
    Files files;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file()) files[name] = Text(name);
    }
    return files;
  }

  // Whether the edit was made; else it was refused, and changed nothing.
  bool Run(const std::function<void(Schedule&)>& disturb) {
    const Request edit = Previewed();
    after_ = Disk();
    disturb_ = [this, disturb] { disturb(*this); };
    answers_left_ = moment_ - 1;
    if (moment_ == 0) Disturb();
    Editor editor = EditorOf("one");
    editor.may_commit = [this] {
      Disturb();
      return absl::OkStatus();
    };
    const auto answer = ApplyEdit(tools_, editor, call_, edit);
    const Files now = Disk();
    Files expected = after_;
    if (answer.ok()) {
      for (const auto& result : answer->results()) {
        const std::string& path = result.relative_path();
        EXPECT_EQ(after_.count(path), 1) << path;
        expected[path] = Right(kind_, after_[path]);
      }
    }
    EXPECT_EQ(now, expected) << answer.status();
    return answer.ok();
  }

 private:
  struct Use {
    std::string path;
    int line;
    int start;
  };

  void TestBody() override {}

  // The edit as an agent makes it after it saw a preview.
  Request Previewed() {
    Request request;
    auto& operation = *request.add_operations();
    operation.set_relative_path("a.py");
    switch (kind_) {
      case EditKind::kRename:
        operation.mutable_rename_symbol()->set_name_path("run");
        operation.mutable_rename_symbol()->set_new_name("hurry");
        operation.mutable_rename_symbol()->set_is_confirmed(true);
        break;
      case EditKind::kOccurrences:
        operation.set_relative_path("");
        operation.mutable_replace_in_files()->set_needle("run");
        operation.mutable_replace_in_files()->set_replacement("hurry");
        break;
      case EditKind::kSymbolBody:
        operation.mutable_edit_symbol()->set_kind(
            lsp::v1::SYMBOL_EDIT_KIND_REPLACE_BODY);
        operation.mutable_edit_symbol()->set_name_path("run");
        operation.mutable_edit_symbol()->set_body("def hurry():");
        break;
      case EditKind::kFormat:
        operation.mutable_format_file();
        break;
    }
    request.set_is_dry_run(true);
    const auto shown = Apply(request);
    EXPECT_THAT(shown, IsOk());
    request.set_is_dry_run(false);
    if (!shown.ok()) return request;
    for (const auto& each : shown->occurrences()) {
      operation.mutable_replace_in_files()->add_occurrence_ids(each.id());
    }
    return request;
  }

  // What the server was told of the file, or what it reads.
  std::string Known(const std::string& uri) const {
    const auto told = server_->texts();
    const auto found = told.find(uri);
    if (found != told.end()) return found->second;
    const std::string path = *PathOfFileUri(uri);
    return Text(path.substr(path.rfind('/') + 1));
  }

  std::vector<Use> Uses() const {
    std::vector<Use> uses;
    for (const auto& [path, disk] : Disk()) {
      const TextLines lines =
          absl::StrSplit(Known(FileUri(folder_.PathOf(path))), '\n');
      for (size_t i = 0; i < lines.size(); ++i) {
        for (size_t at = lines[i].find("run"); at != std::string::npos;
             at = lines[i].find("run", at + 3)) {
          uses.push_back({path, static_cast<int>(i), static_cast<int>(at)});
        }
      }
    }
    return uses;
  }

  void AddRenamingServer() {
    server_ = AddServer("python");
    server_->On("textDocument/documentSymbol", [this](const json& params) {
      json symbols = json::array();
      const TextLines lines =
          absl::StrSplit(Known(params["textDocument"]["uri"]), '\n');
      for (size_t i = 0; i < lines.size(); ++i) {
        if (!absl::StartsWith(lines[i], "def ")) continue;
        symbols.push_back(SymbolOf(lines[i].substr(4, lines[i].find('(') - 4),
                                   12, static_cast<int>(i), 4));
      }
      OnAnswer();
      return symbols;
    });
    server_->On("textDocument/references", [this](const json&) {
      json places = json::array();
      for (const auto& [path, line, start] : Uses()) {
        places.push_back(LocationOf(path, line, start, start + 3));
      }
      OnAnswer();
      return places;
    });
    server_->On("textDocument/rename", [this](const json& params) {
      json changes = json::object();
      for (const auto& [path, line, start] : Uses()) {
        json edit = {
            {"range", LocationOf(path, line, start, start + 3)["range"]},
            {"newText", params["newName"]}};
        changes[FileUri(folder_.PathOf(path))].push_back(std::move(edit));
      }
      OnAnswer();
      return json{{"changes", std::move(changes)}};
    });
    server_->On("textDocument/formatting", [this](const json& params) {
      json edits = json::array();
      const TextLines lines =
          absl::StrSplit(Known(params["textDocument"]["uri"]), '\n');
      for (size_t i = 0; i < lines.size(); ++i) {
        const size_t at = lines[i].find("return");
        if (at == std::string::npos) continue;
        json edit = {{"range", LocationOf("a.py", static_cast<int>(i), 0,
                                          static_cast<int>(at))["range"]},
                     {"newText", "  "}};
        edits.push_back(std::move(edit));
      }
      OnAnswer();
      return edits;
    });
  }

  void OnAnswer() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (answers_left_-- != 0) return;
    }
    Disturb();
  }

  // Once. What is on disk right after it is what the edit must be right for.
  void Disturb() {
    std::function<void()> disturb;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      disturb = std::exchange(disturb_, nullptr);
    }
    if (disturb == nullptr) return;
    disturb();
    after_ = Disk();
  }

  const EditKind kind_;
  const int moment_;
  std::shared_ptr<FakeLanguageServer> server_;
  std::mutex mutex_;
  std::function<void()> disturb_;  // Guarded by mutex_.
  int answers_left_ = -1;          // Guarded by mutex_.
  Files after_;
};

// All schedules of one disturbance. Some edits must come through and some must
// be refused, or nothing was disturbed.
void RunSchedules(
    const std::function<void(Schedule& root, int variant)>& disturb) {
  int made = 0;
  for (int i = 0; i < kSchedules; ++i) {
    const auto kind = static_cast<EditKind>(i % kEditKinds);
    const int moment = (i / kEditKinds) % kMoments;
    SCOPED_TRACE(absl::StrCat("schedule ", i, ", edit ", i % kEditKinds,
                              ", moment ", moment));
    Schedule schedule(kind, moment);
    made += schedule.Run([&](Schedule& root) { disturb(root, i); }) ? 1 : 0;
  }
  EXPECT_GT(made, 0);
  EXPECT_LT(made, kSchedules);
}

TEST(EditSchedulesTest, ASaveMeanwhileIsKeptAndNoEditLandsBesideItsPlace) {
  RunSchedules([](Schedule& root, int variant) {
    const std::vector<std::string> paths = {"a.py", "b.py", "c.py"};
    const std::string& path = paths[static_cast<size_t>(variant % 3)];
    const std::string text = root.Disk()[path];
    root.Save(path,
              variant % 2 == 0 ? absl::StrCat("# theirs\n", text)
                               : absl::StrCat(text, "# theirs: run\n"),
              variant % 5 < 2);
  });
}

TEST(EditSchedulesTest, AFormatterMeanwhileLeadsNoEditToWrongColumns) {
  RunSchedules([](Schedule& root, int variant) {
    for (const auto& [path, text] : root.Disk()) {
      root.Save(path,
                absl::StrReplaceAll(text, {{"    ", "\t\t"},
                                           {"\n\n\n", "\n\n"},
                                           {"; ", "\n"},
                                           {"a.run", "a . run"}}),
                variant % 2 == 0);
    }
  });
}

TEST(EditSchedulesTest, ABranchSwitchMeanwhileLeadsNoEditToAnotherText) {
  RunSchedules([](Schedule& root, int variant) {
    root.Save("a.py",
              variant % 3 == 0
                  ? "def walk():\n"
                  : "def walk():\n\n\ndef run():\n        return 2\n",
              variant % 2 == 0);
    root.Save("c.py", "import a\na.run(); a.run(); a.run()\n", false);
    root.Save("d.py", "from a import run as quick\n", true);
    if (variant % 4 < 2) root.Remove("b.py");
    root.Save(".git/HEAD", "ref: refs/heads/other\n", true);
  });
}

}  // namespace
}  // namespace banyan::lspd
