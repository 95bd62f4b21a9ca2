// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/find_symbol.h"

#include <gmock/gmock.h>

#include "lspd/queries/get_symbols_overview.h"
#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class FindSymbolTest : public QueryTest {
 protected:
  absl::StatusOr<lsp::v1::FindSymbolResponse> Find(
      const std::string& pattern,
      const std::function<void(lsp::v1::FindSymbolRequest&)>& change =
          [](lsp::v1::FindSymbolRequest&) {}) {
    lsp::v1::FindSymbolRequest request;
    request.set_name_path_pattern(pattern);
    change(request);
    return FindSymbol(tools_, asker_, call_, request);
  }

  static std::vector<std::string> Places(
      const lsp::v1::FindSymbolResponse& response) {
    std::vector<std::string> places;
    for (const lsp::v1::Symbol& symbol : response.symbols()) {
      places.push_back(absl::StrCat(symbol.relative_path(), ":",
                                    symbol.range().start_line(), " ",
                                    symbol.name_path()));
    }
    return places;
  }
};

TEST_F(FindSymbolTest, AsksOnlyAboutFilesThatHoldTheWord) {
  folder_.Write("b.py", "def other():\n\ndef run():\n");
  folder_.Write("a.py", "def run():\n");
  folder_.Write("c.py", "def runner():\n");
  OpenRoot();
  const auto server = AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Places(found), ElementsAre("a.py:1 run", "b.py:3 run"));
  EXPECT_THAT(found.incomplete(), IsEmpty());
  EXPECT_EQ(found.files_asked(), 2);
  EXPECT_THAT(server->asked(),
              UnorderedElementsAre("textDocument/documentSymbol a.py",
                                   "textDocument/documentSymbol b.py"));
  EXPECT_EQ(pool_.held, 0);
}

TEST_F(FindSymbolTest, ARepeatedQuestionAsksNoServer) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  ASSERT_THAT(Find("run"), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto again, Find("run"));
  EXPECT_EQ(again.symbols_size(), 1);
  EXPECT_EQ(again.files_asked(), 0);
  EXPECT_EQ(server->TimesAsked("textDocument/documentSymbol"), 1);
}

TEST_F(FindSymbolTest, AChangedFileIsAskedAboutAgainAndTheServerIsTold) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("workspace/symbol",
             [](const json&) -> absl::StatusOr<json> { return json::array(); });
  ASSERT_THAT(Find("run"), IsOk());
  folder_.Write("a.py", "\ndef run():\n");
  ASSERT_OK_AND_ASSIGN(const auto moved, Find("run"));
  EXPECT_THAT(Places(moved), ElementsAre("a.py:2 run"));
  EXPECT_THAT(server->told(), ::testing::Contains("textDocument/didOpen a.py"));
}

TEST_F(FindSymbolTest, WhatAnUnreadyServerSaidIsNotKept) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->readiness_value = ReadinessState::kIndexing;
  ASSERT_OK_AND_ASSIGN(const auto first, Find("run"));
  EXPECT_THAT(Reasons(first), ElementsAre("python indexing"));
  server->readiness_value = ReadinessState::kReady;
  ASSERT_OK_AND_ASSIGN(const auto second, Find("run"));
  EXPECT_THAT(second.incomplete(), IsEmpty());
  EXPECT_EQ(second.files_asked(), 1);
}

TEST_F(FindSymbolTest, AnEmptyAnswerOfAnUnreadyServerSaysSo) {
  folder_.Write("a.py", "x = 1\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->readiness_value = ReadinessState::kIndexing;
  server->On("workspace/symbol",
             [](const json&) -> absl::StatusOr<json> { return nullptr; });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("nothing_of_that_name"));
  EXPECT_EQ(found.symbols_size(), 0);
  EXPECT_THAT(Reasons(found), ElementsAre("python indexing"));
}

TEST_F(FindSymbolTest, ANameThatStandsNowhereIsCompletelyAbsent) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("workspace/symbol",
             [](const json&) -> absl::StatusOr<json> { return json::array(); });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("walk"));
  EXPECT_EQ(found.symbols_size(), 0);
  EXPECT_THAT(found.incomplete(), IsEmpty());
  EXPECT_EQ(server->TimesAsked("workspace/symbol"), 1);
}

TEST_F(FindSymbolTest, AWordThatNoServerKnowsMayBeAGeneratedName) {
  folder_.Write("a.py", "# walk is made elsewhere\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("workspace/symbol",
             [](const json&) -> absl::StatusOr<json> { return json::array(); });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("walk"));
  EXPECT_EQ(found.symbols_size(), 0);
  EXPECT_THAT(Reasons(found), ElementsAre("python name_may_be_generated"));
}

TEST_F(FindSymbolTest, TheServersIndexFindsWhatTheTextHides) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("made.py",
                "def ma"
                "de():\n");
  OpenRoot();
  const auto server = AddServer("python");
  // The text says `ru` + `n`; the server knows better.
  folder_.Write("made.py", "make('wa' + 'lk')\n");
  server->On(
      "workspace/symbol", [&](const json& params) -> absl::StatusOr<json> {
        EXPECT_EQ(params["query"], "walk");
        return json::array({{{"name", "walk"},
                             {"kind", 12},
                             {"location", LocationOf("made.py", 0, 0, 4)}}});
      });
  server->On("textDocument/documentSymbol",
             [](const json&) -> absl::StatusOr<json> {
               return json::array({SymbolOf("walk", 12, 0, 0)});
             });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("walk"));
  EXPECT_THAT(Places(found), ElementsAre("made.py:1 walk"));
  EXPECT_THAT(found.incomplete(), IsEmpty());
}

TEST_F(FindSymbolTest, OtherRootsOfASharedServerAreNotTold) {
  folder_.Write("a.py", "x = 1\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("workspace/symbol", [&](const json&) -> absl::StatusOr<json> {
    return json::array({{{"name", "walk"},
                         {"kind", 12},
                         {"location",
                          {{"uri", FileUri(folder_.path() + "-evil/secret.py")},
                           {"range", LocationOf("a.py", 0, 0, 4)["range"]}}}}});
  });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("walk"));
  EXPECT_EQ(found.symbols_size(), 0);
  EXPECT_EQ(server->TimesAsked("textDocument/documentSymbol"), 0);
}

TEST_F(FindSymbolTest, AMissingServerFailsNotTheOtherLanguages) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("b.go", "func run() {}\n");
  OpenRoot();
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Places(found), ElementsAre("a.py:1 run"));
  EXPECT_THAT(Reasons(found), ElementsAre("go server_missing"));
  EXPECT_EQ(found.incomplete(0).count(), 1);
}

TEST_F(FindSymbolTest, NothingButAMissingServerIsItsError) {
  folder_.Write("b.go", "func run() {}\n");
  OpenRoot();
  EXPECT_THAT(Find("run"), HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
}

TEST_F(FindSymbolTest, AServerThatDiesIsAskedOnceMore) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto first = AddServer("python");
  const auto second = AddServer("python");
  first->On("textDocument/documentSymbol",
            [&](const json&) -> absl::StatusOr<json> {
              first->Die();
              return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, "crashed");
            });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Places(found), ElementsAre("a.py:1 run"));
  EXPECT_THAT(found.incomplete(), IsEmpty());
  EXPECT_EQ(second->TimesAsked("textDocument/documentSymbol"), 1);
}

TEST_F(FindSymbolTest, AServerThatKeepsDyingIsAnErrorNotAnEmptyAnswer) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python")->Die();
  EXPECT_THAT(Find("run"), HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_EQ(pool_.acquired["python"], 2);
}

TEST_F(FindSymbolTest, AServerThatKeepsDyingLeavesTheOthersIncomplete) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("b.go", "func run() {}\n");
  OpenRoot();
  AddServer("python");
  AddServer("go")->Die();
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Places(found), ElementsAre("a.py:1 run"));
  EXPECT_THAT(Reasons(found), ElementsAre("go server_restarted"));
}

TEST_F(FindSymbolTest, ATreeThatMovesOnceIsAskedAgain) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  std::atomic<int> times = 0;
  const auto by_text = DefinitionsByText();
  server->On("textDocument/documentSymbol",
             [&, by_text](const json& params) -> absl::StatusOr<json> {
               if (++times == 1) folder_.Write("b.py", "def run():\n");
               return by_text(params);
             });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Places(found), ElementsAre("a.py:1 run", "b.py:1 run"));
  EXPECT_THAT(found.incomplete(), IsEmpty());
}

TEST_F(FindSymbolTest, ATreeThatKeepsMovingIsAdmitted) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  int times = 0;
  const auto by_text = DefinitionsByText();
  server->On("textDocument/documentSymbol",
             [&, by_text](const json& params) -> absl::StatusOr<json> {
               folder_.Write("other.py", std::string(1 + times++, '\n'));
               folder_.Write("a.py",
                             absl::StrCat("def run():\n#", times, "\n"));
               return by_text(params);
             });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Reasons(found), ElementsAre(" changed_while_reading"));
}

TEST_F(FindSymbolTest, KeysOfDataAreNoMatchesBesideCode) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("package.json", "def run\n");
  OpenRoot();
  AddServer("python");
  const auto data = AddServer("json");
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Places(found), ElementsAre("a.py:1 run"));
  EXPECT_THAT(found.incomplete(), IsEmpty());
  EXPECT_EQ(data->TimesAsked("textDocument/documentSymbol"), 0);
}

TEST_F(FindSymbolTest, KeysOfDataAreFoundWhereNoCodeHasTheName) {
  folder_.Write("a.py", "def walk():\n");
  folder_.Write("package.json", "def run\n");
  OpenRoot();
  AddServer("python");
  AddServer("json");
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Places(found), ElementsAre("package.json:1 run"));
  ASSERT_OK_AND_ASSIGN(const auto in_file, Find("run", [](auto& request) {
                         request.set_relative_path("package.json");
                       }));
  EXPECT_THAT(Places(in_file), ElementsAre("package.json:1 run"));
}

TEST_F(FindSymbolTest, NamesThatTextDoesNotShowAreSoughtInEveryFile) {
  folder_.Write("a.mac", "def run():\n");
  folder_.Write("b.mac", "unspoken\n");
  OpenRoot();
  const auto server = AddServer("macro");
  server->On("textDocument/documentSymbol",
             [](const json& params) -> absl::StatusOr<json> {
               const std::string uri = params["textDocument"]["uri"];
               if (!absl::EndsWith(uri, "b.mac")) return json::array();
               return json::array({SymbolOf("run", 12, 0, 0)});
             });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Places(found), ElementsAre("b.mac:1 run"));
}

TEST_F(FindSymbolTest, AnOperatorIsSoughtInEveryFileOfCode) {
  folder_.Write("a.py", "def +():\n");
  OpenRoot();
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto found, Find("+"));
  EXPECT_THAT(Places(found), ElementsAre("a.py:1 +"));
}

TEST_F(FindSymbolTest, AFolderIsAFence) {
  folder_.Write("in/a.py", "def run():\n");
  folder_.Write("in-not/b.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run", [](auto& request) {
                         request.set_relative_path("in");
                       }));
  EXPECT_THAT(Places(found), ElementsAre("in/a.py:1 run"));
}

TEST_F(FindSymbolTest, BodiesComeWithTheHashOfTheirText) {
  folder_.Write("a.py", "def run():\r\n  pass\r\n");
  OpenRoot();
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run", [](auto& request) {
                         request.set_include_body(true);
                       }));
  ASSERT_EQ(found.symbols_size(), 1);
  EXPECT_EQ(found.symbols(0).body(), "def run():");
  EXPECT_EQ(found.symbols(0).hash(), HashOf("def run():\r\n  pass\r\n"));
}

TEST_F(FindSymbolTest, InfoIsTheHoverOfEachMatch) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("textDocument/hover",
             [](const json& params) -> absl::StatusOr<json> {
               EXPECT_EQ(params["position"]["character"], 4);
               return json{{"contents", "runs"}};
             });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run", [](auto& request) {
                         request.set_include_info(true);
                       }));
  EXPECT_EQ(found.symbols(0).info(), "runs");
}

TEST_F(FindSymbolTest, MoreMatchesThanWantedAreCounted) {
  folder_.Write("a.py", "def run():\ndef run():\ndef run():\n");
  OpenRoot();
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run", [](auto& request) {
                         request.set_max_matches(1);
                       }));
  EXPECT_THAT(Places(found), ElementsAre("a.py:1 run[0]"));
  EXPECT_THAT(Reasons(found), ElementsAre(" result_cap"));
  EXPECT_EQ(found.incomplete(0).count(), 2);
}

TEST_F(FindSymbolTest, KindsAreFilteredAndUnknownOnesRefused) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto none, Find("run", [](auto& request) {
                         request.add_include_kinds("class");
                       }));
  EXPECT_EQ(none.symbols_size(), 0);
  ASSERT_OK_AND_ASSIGN(const auto some, Find("run", [](auto& request) {
                         request.add_include_kinds("12");
                       }));
  EXPECT_EQ(some.symbols_size(), 1);
  EXPECT_THAT(
      Find("run", [](auto& request) { request.add_exclude_kinds("classy"); }),
      HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST_F(FindSymbolTest, WhatTheServerCanNeverKnowIsAdmitted) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  lsp::v1::Incompleteness caveat;
  caveat.set_reason(lsp::v1::INCOMPLETE_REASON_NO_COMPILE_DATABASE);
  server->caveats = {caveat};
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Reasons(found), ElementsAre("python no_compile_database"));
}

TEST_F(FindSymbolTest, ASilentServerIsReadyOnceItHasShownSomething) {
  folder_.Write("a.sh", "def run():\n");
  OpenRoot();
  const auto server = AddServer("bash");
  server->readiness_value = ReadinessState::kUnknown;
  int times = 0;
  server->On("textDocument/documentSymbol",
             [&](const json&) -> absl::StatusOr<json> {
               if (++times < 3) return json::array();
               return json::array({SymbolOf("run", 12, 0, 4)});
             });
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_THAT(Places(found), ElementsAre("a.sh:1 run"));
  EXPECT_THAT(found.incomplete(), IsEmpty());
}

TEST_F(FindSymbolTest, BadArgumentsAndPathsAreRefused) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  EXPECT_THAT(Find("a//b"),
              HasReason(rpc::v1::ERROR_REASON_NAME_PATH_MALFORMED));
  const auto in = [&](const std::string& path) {
    return Find("run", [&](auto& request) { request.set_relative_path(path); });
  };
  EXPECT_THAT(in("../x"), HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT));
  EXPECT_THAT(in("/etc/passwd"),
              HasReason(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT));
  EXPECT_THAT(in(".git/config"),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
  EXPECT_THAT(in("gone.py"), HasReason(rpc::v1::ERROR_REASON_FILE_NOT_FOUND));
  folder_.Write("notes.txt", "run\n");
  EXPECT_THAT(in("notes.txt"),
              HasReason(rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN));
}

TEST_F(FindSymbolTest, ACallThatIsOverIsNoEmptyAnswer) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  call_.deadline = absl::Now() - absl::Seconds(1);
  EXPECT_THAT(Find("run"), HasReason(rpc::v1::ERROR_REASON_DEADLINE));
}

// What a server read at its start is of another project by now.
TEST_F(FindSymbolTest, AnOutdatedServerIsReplacedBeforeItIsAsked) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto old = AddServer("python");
  const auto next = AddServer("python");
  old->is_outdated = true;
  ASSERT_OK_AND_ASSIGN(const auto found, Find("run"));
  EXPECT_EQ(pool_.retired, 1);
  EXPECT_THAT(old->asked(), IsEmpty());
  EXPECT_EQ(next->TimesAsked("textDocument/documentSymbol"), 1);
}

// A hundred nested messages were cut, and the answer was called complete.
TEST_F(FindSymbolTest, ADepthThatCannotBeAnsweredIsRefused) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  EXPECT_THAT(Find("run", [](auto& request) { request.set_depth(51); }),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_THAT(Find("run", [](auto& request) { request.set_depth(50); }),
              IsOk());
  lsp::v1::GetSymbolsOverviewRequest overview;
  overview.set_relative_path("a.py");
  overview.set_depth(150);
  EXPECT_THAT(GetSymbolsOverview(tools_, asker_, call_, overview),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST_F(FindSymbolTest, APathAsLanguagesWriteItIsToldHowToBeWritten) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  for (const char* pattern :
       {"Square.area", "car::Engine", "(*Memory).Get", "area["}) {
    const auto found = Find(pattern);
    EXPECT_THAT(found, HasReason(rpc::v1::ERROR_REASON_NAME_PATH_MALFORMED))
        << pattern;
  }
  EXPECT_THAT(std::string(Find("car::Engine").status().message()),
              ::testing::HasSubstr("car/Engine"));
  // What is merely not there, or is no name at all, is no mistake.
  EXPECT_THAT(Find("missing"), IsOk());
  EXPECT_THAT(Find("~Engine"), IsOk());
}

}  // namespace
}  // namespace banyan::lspd
