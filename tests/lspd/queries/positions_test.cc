// SPDX-License-Identifier: Apache-2.0
//
// The queries that ask about one place: declaration, implementations, hover.
#include <gmock/gmock.h>

#include "lspd/queries/find_declaration.h"
#include "lspd/queries/find_implementations.h"
#include "lspd/queries/get_symbol_info.h"
#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PositionsTest : public QueryTest {
 protected:
  absl::StatusOr<lsp::v1::FindDeclarationResponse> Declare(
      const std::function<void(lsp::v1::Position&)>& change,
      bool include_body = false) {
    lsp::v1::FindDeclarationRequest request;
    request.mutable_position()->set_relative_path("a.py");
    request.set_include_body(include_body);
    change(*request.mutable_position());
    return FindDeclaration(tools_, asker_, call_, request);
  }

  absl::StatusOr<lsp::v1::FindDeclarationResponse> DeclareRegex(
      const std::string& expression, const std::string& container = "") {
    return Declare([&](lsp::v1::Position& position) {
      position.set_regex(expression);
      position.set_containing_symbol_name_path(container);
    });
  }

  // Answers with where it was asked, as a location of that place.
  void Echo(FakeLanguageServer& server, const std::string& method) {
    server.On(method, [](const json& params) -> absl::StatusOr<json> {
      return json{
          {"uri", params["textDocument"]["uri"]},
          {"range",
           {{"start", params["position"]}, {"end", params["position"]}}}};
    });
  }

  static TextPosition StartOf(const lsp::v1::FindDeclarationResponse& found) {
    return {found.symbols(0).selection_range().start_line(),
            found.symbols(0).selection_range().start_column()};
  }
};

TEST_F(PositionsTest, ARegexNamesThePlaceByItsGroup) {
  folder_.Write("a.py", "# 😀 e\xcc\x81\nx = 😀(walk)\n");
  OpenRoot();
  Echo(*AddServer("python"), "textDocument/definition");
  ASSERT_OK_AND_ASSIGN(const auto found, DeclareRegex("\\((\\w+)\\)"));
  EXPECT_EQ(StartOf(found), (TextPosition{2, 7}));
}

TEST_F(PositionsTest, ARegexMustHaveOneGroupAndMatchOnce) {
  folder_.Write("a.py", "run\nrun\n");
  OpenRoot();
  Echo(*AddServer("python"), "textDocument/definition");
  for (const char* expression :
       {"run", "(r)(un)", "(run)", "(walk)", "(run", "(?:run)"}) {
    EXPECT_THAT(DeclareRegex(expression),
                HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID))
        << expression;
  }
  EXPECT_THAT(std::string(DeclareRegex("(run)").status().message()),
              HasSubstr("1, 2"));
}

TEST_F(PositionsTest, AContainingSymbolSaysWhereTheRegexMayMatch) {
  folder_.Write("a.py", "def one(): run\ndef two(): run\n");
  OpenRoot();
  Echo(*AddServer("python"), "textDocument/definition");
  ASSERT_OK_AND_ASSIGN(const auto found, DeclareRegex("(run)", "two"));
  EXPECT_EQ(StartOf(found), (TextPosition{2, 12}));
}

TEST_F(PositionsTest, ANamePathNamesThePlaceOfTheName) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  Echo(*AddServer("python"), "textDocument/definition");
  ASSERT_OK_AND_ASSIGN(const auto found, Declare([](auto& position) {
                         position.set_name_path("run");
                       }));
  EXPECT_EQ(found.symbols(0).name_path(), "run");
}

TEST_F(PositionsTest, LinesAndColumnsAreOneBasedAndChecked) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  Echo(*AddServer("python"), "textDocument/definition");
  const auto at = [&](int line, int column) {
    return Declare([&](auto& position) {
      position.set_line(line);
      position.set_column(column);
    });
  };
  ASSERT_OK_AND_ASSIGN(const auto found, at(1, 5));
  EXPECT_EQ(found.symbols(0).name_path(), "run");
  EXPECT_THAT(at(9, 1), HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_THAT(at(0, 0), HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_THAT(at(1, 0), HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST_F(PositionsTest, ADefinitionOutsideTheRootIsExternalWithoutItsText) {
  folder_.Write("a.py", "import json\n");
  OpenRoot();
  const auto server = AddServer("python");
  json outside = LocationOf("a.py", 41, 4, 9);
  outside["uri"] = "file:///usr/lib/python3/json.py";
  server->On("textDocument/definition",
             [outside](const json&) -> absl::StatusOr<json> {
               return json::array({outside});
             });
  ASSERT_OK_AND_ASSIGN(const auto found, DeclareRegex("import (json)"));
  ASSERT_EQ(found.symbols_size(), 1);
  EXPECT_TRUE(found.symbols(0).is_external());
  EXPECT_EQ(found.symbols(0).name_path(), found.symbols(0).name());
  EXPECT_EQ(found.symbols(0).name(), "json");
  EXPECT_EQ(found.symbols(0).relative_path(), "/usr/lib/python3/json.py");
  EXPECT_EQ(found.symbols(0).range().start_line(), 42);
  EXPECT_EQ(found.symbols(0).body(), "");
}

TEST_F(PositionsTest, ALinkOutOfTheRootIsExternalToo) {
  folder_.Write("a.py", "import json\n");
  std::filesystem::create_symlink("/etc", folder_.PathOf("way_out"));
  OpenRoot();
  const auto server = AddServer("python");
  json through_link = LocationOf("way_out/passwd", 0, 0, 4);
  server->On("textDocument/definition",
             [through_link](const json&) -> absl::StatusOr<json> {
               return through_link;
             });
  ASSERT_OK_AND_ASSIGN(const auto found, DeclareRegex("import (json)"));
  ASSERT_EQ(found.symbols_size(), 1);
  EXPECT_TRUE(found.symbols(0).is_external());
  EXPECT_EQ(found.symbols(0).body(), "");
}

TEST_F(PositionsTest, ALocalHasNoKindAndItsLineAsBody) {
  folder_.Write("a.py", "def run(): local = 1\n");
  OpenRoot();
  const auto server = AddServer("python");
  const json local = LocationOf("a.py", 0, 11, 16);
  server->On("textDocument/definition",
             [local](const json&) -> absl::StatusOr<json> { return local; });
  ASSERT_OK_AND_ASSIGN(
      const auto found,
      Declare([](auto& position) { position.set_name_path("run"); },
              /*include_body=*/true));
  EXPECT_EQ(found.symbols(0).name(), "local");
  EXPECT_EQ(found.symbols(0).kind(), "");
  EXPECT_EQ(found.symbols(0).body(), "def run(): local = 1");
}

TEST_F(PositionsTest, ImplementationsComeFromInsideAndOutsideIsCounted) {
  folder_.Write("a.py", "def Shape():\ndef Circle():\n");
  OpenRoot();
  const auto server = AddServer("python");
  json outside = LocationOf("a.py", 0, 0, 1);
  outside["uri"] = "file:///usr/lib/shapes.py";
  const json inside = LocationOf("a.py", 1, 4, 10);
  server->On("textDocument/implementation",
             [=](const json&) -> absl::StatusOr<json> {
               return json::array({outside, inside});
             });
  lsp::v1::FindImplementationsRequest request;
  request.set_name_path("Shape");
  request.set_relative_path("a.py");
  ASSERT_OK_AND_ASSIGN(const auto found,
                       FindImplementations(tools_, asker_, call_, request));
  ASSERT_EQ(found.symbols_size(), 1);
  EXPECT_EQ(found.symbols(0).name_path(), "Circle");
  EXPECT_THAT(Reasons(found), ElementsAre("python outside_root"));
}

TEST_F(PositionsTest, ImplementationsThatAreNotOfferedAreAnError) {
  folder_.Write("a.py", "def Shape():\n");
  OpenRoot();
  AddServer("python");
  lsp::v1::FindImplementationsRequest request;
  request.set_name_path("Shape");
  request.set_relative_path("a.py");
  const auto found = FindImplementations(tools_, asker_, call_, request);
  ASSERT_THAT(found, HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("fake 1.0"));
}

TEST_F(PositionsTest, InfoIsTheHoverOfTheNamedSymbol) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  AddServer("python")->On("textDocument/hover",
                          [](const json&) -> absl::StatusOr<json> {
                            return json{{"contents", "runs"}};
                          });
  lsp::v1::GetSymbolInfoRequest request;
  request.mutable_position()->set_name_path("run");
  request.mutable_position()->set_relative_path("a.py");
  ASSERT_OK_AND_ASSIGN(const auto found,
                       GetSymbolInfo(tools_, asker_, call_, request));
  EXPECT_EQ(found.info(), "runs");
  EXPECT_EQ(found.symbol().name_path(), "run");
  EXPECT_THAT(found.incomplete(), IsEmpty());
}

}  // namespace
}  // namespace banyan::lspd
