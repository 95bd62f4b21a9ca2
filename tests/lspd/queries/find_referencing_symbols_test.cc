// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/find_referencing_symbols.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class FindReferencingSymbolsTest : public QueryTest {
 protected:
  using Response = lsp::v1::FindReferencingSymbolsResponse;

  absl::StatusOr<Response> Find(
      const std::string& name_path, const std::string& path,
      const std::function<void(lsp::v1::FindReferencingSymbolsRequest&)>&
          change = [](lsp::v1::FindReferencingSymbolsRequest&) {}) {
    lsp::v1::FindReferencingSymbolsRequest request;
    request.set_name_path(name_path);
    request.set_relative_path(path);
    change(request);
    return FindReferencingSymbols(tools_, asker_, call_, request);
  }

  static std::vector<std::string> Places(const Response& response) {
    std::vector<std::string> places;
    for (const lsp::v1::Reference& reference : response.references()) {
      places.push_back(absl::StrCat(reference.relative_path(), ":",
                                    reference.range().start_line(), " ",
                                    reference.containing_symbol().name_path()));
    }
    return places;
  }

  // References that the server names, declarations or not.
  void Names(FakeLanguageServer& server, json locations) {
    server.On(
        "textDocument/references",
        [locations](const json&) -> absl::StatusOr<json> { return locations; });
  }
};

TEST_F(FindReferencingSymbolsTest, TellsWhereInWhichSymbolWithItsLines) {
  folder_.Write("a.py", "def run():\n  pass\n");
  folder_.Write("b.py", "# before\ndef walk(): run()\n# after\n");
  OpenRoot();
  const auto server = AddServer("python");
  Names(*server, json::array({LocationOf("b.py", 1, 12, 15)}));
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.py"));
  EXPECT_THAT(Places(found), ElementsAre("b.py:2 walk"));
  EXPECT_EQ(found.symbol().name_path(), "run");
  EXPECT_EQ(found.references(0).line_text(), "def walk(): run()");
  EXPECT_EQ(found.references(0).line_before(), "# before");
  EXPECT_EQ(found.references(0).line_after(), "# after");
  EXPECT_EQ(found.references(0).range().start_column(), 13);
  EXPECT_THAT(found.incomplete(), IsEmpty());
  EXPECT_THAT(found.text_only(), IsEmpty());
}

TEST_F(FindReferencingSymbolsTest, DuplicatesAndTheDeclarationAreDropped) {
  folder_.Write("a.py", "def run(): run()\n");
  OpenRoot();
  const auto server = AddServer("python");
  Names(*server,
        json::array({LocationOf("a.py", 0, 11, 14), LocationOf("a.py", 0, 4, 7),
                     LocationOf("a.py", 0, 11, 14)}));
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.py"));
  EXPECT_THAT(Places(found), ElementsAre("a.py:1 run"));
}

TEST_F(FindReferencingSymbolsTest, FilesThatQuoteTheNameAreCheckedFirst) {
  folder_.Write("a.q", "def run():\n");
  folder_.Write("quotes.q", "Kind = Union[str, \"run\"]\n");
  folder_.Write("names.q", "run()\n'other'\n");
  folder_.Write("longer.q", "'running'\n");
  OpenRoot();
  const auto server = AddServer("quoting");
  Names(*server, json::array());
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.q"));
  EXPECT_THAT(found.incomplete(), IsEmpty());
  std::vector<std::string> asked = server->asked();
  const auto check =
      std::find(asked.begin(), asked.end(), "diagnostics quotes.q");
  const auto references =
      std::find(asked.begin(), asked.end(), "textDocument/references a.q");
  ASSERT_NE(check, asked.end());
  EXPECT_LT(check, references);
  EXPECT_EQ(server->TimesAsked("diagnostics"), 1);
}

TEST_F(FindReferencingSymbolsTest, ACheckThatDoesNotComeIsAdmitted) {
  folder_.Write("a.q", "def run():\n");
  folder_.Write("quotes.q", "'run'\n");
  OpenRoot();
  const auto server = AddServer("quoting");
  Names(*server, json::array());
  server->diagnostics_failure =
      rpc::Error(rpc::v1::ERROR_REASON_DEADLINE, "silent");
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.q"));
  EXPECT_THAT(Reasons(found), ElementsAre("quoting deadline"));
}

TEST_F(FindReferencingSymbolsTest, PlacesOutsideTheRootAreCountedNotTold) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  json neighbour = LocationOf("a.py", 0, 0, 3);
  neighbour["uri"] = FileUri(folder_.path() + "-neighbour/secret.py");
  json climbing = neighbour;
  climbing["uri"] = FileUri(folder_.path()) + "/../secret.py";
  json strange = neighbour;
  strange["uri"] = "jdt://contents/secret.class";
  Names(*server, json::array({neighbour, climbing, strange}));
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.py"));
  EXPECT_THAT(Places(found), IsEmpty());
  EXPECT_THAT(Reasons(found), ElementsAre("python outside_root"));
  EXPECT_EQ(found.incomplete(0).count(), 3);
  EXPECT_THAT(found.ShortDebugString(), Not(::testing::HasSubstr("secret")));
}

TEST_F(FindReferencingSymbolsTest, ImportsAreLeftOutUnlessAskedFor) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("b.py", "from a import run\nrun()\n");
  OpenRoot();
  const auto server = AddServer("python");
  Names(*server, json::array({LocationOf("b.py", 0, 14, 17),
                              LocationOf("b.py", 1, 0, 3)}));
  ASSERT_OK_AND_ASSIGN(const Response without, Find("run", "a.py"));
  EXPECT_THAT(Places(without), ElementsAre("b.py:2 "));
  ASSERT_OK_AND_ASSIGN(const Response with, Find("run", "a.py", [](auto& r) {
                         r.set_include_imports(true);
                       }));
  ASSERT_EQ(with.references_size(), 2);
  EXPECT_TRUE(with.references(0).is_import());
  EXPECT_FALSE(with.references(1).is_import());
}

TEST_F(FindReferencingSymbolsTest, FilesThatOnlySpeakOfTheNameAreTold) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("b.py", "call('run')\n");
  folder_.Write("notes.md", "how to run it\n");
  folder_.Write("c.py", "runner()\n");
  OpenRoot();
  const auto server = AddServer("python");
  Names(*server, json::array());
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.py"));
  EXPECT_THAT(found.text_only(), ElementsAre("b.py", "notes.md"));
  EXPECT_THAT(found.incomplete(), IsEmpty());
}

TEST_F(FindReferencingSymbolsTest, AFileThatOnlyDeclaresIsNotTextOnly) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("a_header.py", "declare run\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->On("textDocument/references",
             [&](const json& params) -> absl::StatusOr<json> {
               if (!params["context"]["includeDeclaration"].get<bool>()) {
                 return json::array();
               }
               return json::array({LocationOf("a_header.py", 0, 8, 11)});
             });
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.py"));
  EXPECT_THAT(Places(found), IsEmpty());
  EXPECT_THAT(found.text_only(), IsEmpty());
}

TEST_F(FindReferencingSymbolsTest, OpenOnlyServersAreGivenTheFilesOfTheWord) {
  folder_.Write("a.sh", "def run()\n");
  folder_.Write("b.sh", "run\n");
  folder_.Write("c.sh", "walk\n");
  OpenRoot();
  const auto server = AddServer("bash");
  Names(*server, json::array({LocationOf("b.sh", 0, 0, 3)}));
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.sh"));
  EXPECT_THAT(Places(found), ElementsAre("b.sh:1 "));
  EXPECT_THAT(server->told(), Contains("textDocument/didOpen b.sh"));
  EXPECT_THAT(server->told(), Not(Contains("textDocument/didOpen c.sh")));
}

TEST_F(FindReferencingSymbolsTest, AmbiguousNamesListTheirCandidates) {
  folder_.Write("a.py", "def run():\ndef run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  Names(*server, json::array());
  const auto found = Find("run", "a.py");
  ASSERT_THAT(found, HasReason(rpc::v1::ERROR_REASON_SYMBOL_AMBIGUOUS));
  EXPECT_THAT(std::string(found.status().message()),
              ::testing::AllOf(::testing::HasSubstr("run[0]"),
                               ::testing::HasSubstr("a.py:2")));
  EXPECT_THAT(Find("run[1]", "a.py"), IsOk());
}

TEST_F(FindReferencingSymbolsTest, AnUnknownNameIsNotFoundAndSaysInWhatDoubt) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->readiness_value = ReadinessState::kIndexing;
  const auto found = Find("walk", "a.py");
  ASSERT_THAT(found, HasReason(rpc::v1::ERROR_REASON_SYMBOL_NOT_FOUND));
  EXPECT_THAT(std::string(found.status().message()),
              ::testing::HasSubstr("indexing"));
}

TEST_F(FindReferencingSymbolsTest, AServerThatCannotIsAnErrorNotEmpty) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python");
  EXPECT_THAT(Find("run", "a.py"),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
}

TEST_F(FindReferencingSymbolsTest, AnAnswerDuringIndexingIsMarked) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->readiness_value = ReadinessState::kIndexing;
  Names(*server, json::array());
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.py"));
  EXPECT_THAT(Reasons(found), ElementsAre("python indexing"));
}

TEST_F(FindReferencingSymbolsTest, AMissingModuleFileMeansNotInProject) {
  folder_.Write("a.go", "def Run()\n");
  OpenRoot();
  const auto server = AddServer("go");
  Names(*server, json::array());
  ASSERT_OK_AND_ASSIGN(const Response outside, Find("Run", "a.go"));
  EXPECT_THAT(Reasons(outside), ElementsAre("go not_in_project"));
  folder_.Write("go.mod", "module m\n");
  ASSERT_OK_AND_ASSIGN(const Response inside, Find("Run", "a.go"));
  EXPECT_THAT(inside.incomplete(), IsEmpty());
}

TEST_F(FindReferencingSymbolsTest,
       ChangesOnDiskReachTheServerBeforeTheQuestion) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  Names(*server, json::array());
  ASSERT_THAT(Find("run", "a.py"), IsOk());
  folder_.Write("b.py", "run()\n");
  std::vector<std::string> told_before_question;
  server->On("textDocument/references",
             [&](const json&) -> absl::StatusOr<json> {
               told_before_question = server->told();
               return json::array({LocationOf("b.py", 0, 0, 3)});
             });
  ASSERT_OK_AND_ASSIGN(const Response found, Find("run", "a.py"));
  EXPECT_THAT(Places(found), ElementsAre("b.py:1 "));
  EXPECT_THAT(told_before_question, Contains("textDocument/didOpen b.py"));
}

TEST_F(FindReferencingSymbolsTest, KindsChooseByTheContainingSymbol) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("b.py", "run()\ndef walk(): run()\n");
  OpenRoot();
  const auto server = AddServer("python");
  Names(*server, json::array({LocationOf("b.py", 0, 0, 3),
                              LocationOf("b.py", 1, 12, 15)}));
  ASSERT_OK_AND_ASSIGN(const Response functions,
                       Find("run", "a.py", [](auto& request) {
                         request.add_include_kinds("function");
                       }));
  EXPECT_THAT(Places(functions), ElementsAre("b.py:2 walk"));
  ASSERT_OK_AND_ASSIGN(const Response rest,
                       Find("run", "a.py", [](auto& request) {
                         request.add_exclude_kinds("function");
                       }));
  EXPECT_THAT(Places(rest), ElementsAre("b.py:1 "));
}

// TypeScript 7: a plain import is a declaration to it, an alias is not.
TEST_F(FindReferencingSymbolsTest,
       ImportsThatCountAsDeclarationsAreReferences) {
  folder_.Write("a.ts", "def Dog\n");
  folder_.Write("use.ts", "import { Dog } from './a';\nnew Dog();\n");
  folder_.Write("all.ts", "export { Dog } from './a';\n");
  folder_.Write("b.ts", "declare Dog\n");
  OpenRoot();
  const auto server = AddServer("typescript");
  server->On("textDocument/references",
             [this](const json& params) -> absl::StatusOr<json> {
               json places = json::array({LocationOf("use.ts", 1, 4, 7)});
               if (params["context"]["includeDeclaration"] == true) {
                 places.push_back(LocationOf("a.ts", 0, 4, 7));
                 places.push_back(LocationOf("use.ts", 0, 9, 12));
                 places.push_back(LocationOf("all.ts", 0, 9, 12));
                 places.push_back(LocationOf("b.ts", 0, 8, 11));
               }
               return places;
             });
  ASSERT_OK_AND_ASSIGN(
      const Response found,
      Find("Dog", "a.ts", [](lsp::v1::FindReferencingSymbolsRequest& request) {
        request.set_include_imports(true);
      }));
  EXPECT_THAT(Places(found),
              ElementsAre("all.ts:1 ", "use.ts:1 ", "use.ts:2 "));
  EXPECT_TRUE(found.references(1).is_import());
  EXPECT_FALSE(found.references(2).is_import());
  EXPECT_THAT(found.text_only(), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const Response without, Find("Dog", "a.ts"));
  EXPECT_THAT(Places(without), ElementsAre("use.ts:2 "));
}

TEST_F(FindReferencingSymbolsTest, AnAnswerThatIsNoListIsTheServersFault) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  Names(*AddServer("python"), json({{"x", 1}}));
  EXPECT_THAT(Find("run", "a.py"),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
}

// Both places are one symbol, and no caller can name only one of them.
TEST_F(FindReferencingSymbolsTest, WhatCppDeclaresAndDefinesIsOneSymbol) {
  folder_.Write("a.h", "int go();\n");
  folder_.Write("a.cc", "int go() {\n  return 1;\n}\n");
  OpenRoot();
  const auto server = AddServer("cpp");
  server->On(
      "textDocument/documentSymbol",
      [](const json& params) -> absl::StatusOr<json> {
        const std::string uri = params["textDocument"]["uri"];
        return json::array({SymbolOf("go", 12, 0, 4, json::array(),
                                     absl::EndsWith(uri, ".cc") ? 2 : -1)});
      });
  server->On("textDocument/definition",
             [this](const json& params) -> absl::StatusOr<json> {
               const std::string uri = params["textDocument"]["uri"];
               return LocationOf(absl::EndsWith(uri, ".h") ? "a.cc" : "a.h", 0,
                                 4, 6);
             });
  Names(*server, json::array());
  ASSERT_OK_AND_ASSIGN(const Response found, Find("go", ""));
  EXPECT_EQ(found.symbol().relative_path(), "a.cc");
  // Two functions of one name are two.
  server->On("textDocument/definition",
             [this](const json& params) -> absl::StatusOr<json> {
               const std::string uri = params["textDocument"]["uri"];
               return LocationOf(absl::EndsWith(uri, ".h") ? "a.h" : "a.cc", 0,
                                 4, 6);
             });
  EXPECT_THAT(Find("go", ""),
              HasReason(rpc::v1::ERROR_REASON_SYMBOL_AMBIGUOUS));
}

}  // namespace
}  // namespace banyan::lspd
