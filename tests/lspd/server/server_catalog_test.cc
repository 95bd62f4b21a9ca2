// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/server_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kRows[] = R"({"servers": [
  {"id": "a", "language": "cpp", "isDefault": true, "command": ["a"],
   "documents": [{"id": "cpp", "extensions": [".cc", ".h"]},
                 {"id": "c", "extensions": [".c"]}]},
  {"id": "b", "language": "cpp", "isDefault": true, "command": ["b"],
   "documents": [{"id": "cpp", "extensions": [".cc"]}]},
  {"id": "other", "language": "cpp", "command": ["o"],
   "documents": [{"id": "cpp", "extensions": [".cc", ".odd"]}]},
  {"id": "ts", "language": "typescript", "isDefault": true, "command": ["t"],
   "documents": [{"id": "typescript", "extensions": [".ts"]},
                 {"id": "declarations", "extensions": [".d.ts"]},
                 {"id": "jakefile", "fileNames": ["Jakefile"]}]}
]})";

ServerCatalog Rows() {
  absl::StatusOr<ServerCatalog> catalog = ServerCatalog::Parse(kRows);
  EXPECT_THAT(catalog, IsOk());
  return *std::move(catalog);
}

std::string MessageFor(const std::string& row) {
  return std::string(
      ServerCatalog::Parse(R"({"servers": [)" + row + "]}").status().message());
}

TEST(ServerCatalogTest, FindsTheLanguageByExtensionInAnyCase) {
  const ServerCatalog catalog = Rows();
  const auto language = catalog.LanguageOf("src/deep/Main.CC");
  ASSERT_TRUE(language.has_value());
  EXPECT_EQ(language->language, "cpp");
  EXPECT_EQ(language->document_id, "cpp");
  EXPECT_EQ(catalog.LanguageOf("x.c")->document_id, "c");
}

TEST(ServerCatalogTest, TakesTheLongestExtensionAndTheNameFirst) {
  const ServerCatalog catalog = Rows();
  EXPECT_EQ(catalog.LanguageOf("lib.d.ts")->document_id, "declarations");
  EXPECT_EQ(catalog.LanguageOf("a.b.ts")->document_id, "typescript");
  EXPECT_EQ(catalog.LanguageOf("dir.ts/Jakefile")->document_id, "jakefile");
}

TEST(ServerCatalogTest, KnowsNothingOfOtherFiles) {
  const ServerCatalog catalog = Rows();
  EXPECT_FALSE(catalog.LanguageOf("README").has_value());
  EXPECT_FALSE(catalog.LanguageOf("folder.cc/README").has_value());
  EXPECT_FALSE(catalog.LanguageOf("").has_value());
}

TEST(ServerCatalogTest, LeavesRowsThatOnlyAProjectMayChooseToTheProject) {
  const ServerCatalog catalog = Rows();
  std::vector<std::string> ids;
  for (const ServerEntry* entry : catalog.ServersOf("cpp")) {
    ids.push_back(entry->id());
  }
  EXPECT_THAT(ids, ElementsAre("a", "b"));
  EXPECT_FALSE(catalog.LanguageOf("x.odd").has_value());
  ASSERT_NE(catalog.Find("other"), nullptr);
  EXPECT_EQ(DocumentIdOf(*catalog.Find("other"), "x.odd"), "cpp");
  EXPECT_THAT(catalog.Languages(), ElementsAre("cpp", "typescript"));
  EXPECT_THAT(catalog.ServersOf("cobol"), IsEmpty());
}

TEST(ServerCatalogTest, NamesTheFieldThatItDoesNotKnow) {
  EXPECT_THAT(MessageFor(R"({"id": "a", "comand": ["x"]})"),
              HasSubstr("comand"));
}

TEST(ServerCatalogTest, NamesTheRowThatIsWrong) {
  EXPECT_THAT(MessageFor(R"({"id": "a", "language": "x"})"),
              HasSubstr("\"a\": command"));
  EXPECT_THAT(MessageFor(R"({"id": "a", "language": "x", "command": ["x"],
      "documents": [{"id": "x", "extensions": ["cc"]}]})"),
              HasSubstr("\"cc\""));
  EXPECT_THAT(MessageFor(R"({"id": "a", "language": "x", "command": ["x"],
      "documents": [{"id": "x"}], "quirks": ["flies"]})"),
              HasSubstr("flies"));
  EXPECT_THAT(MessageFor(R"({"id": "a", "language": "x", "command": ["x"],
      "documents": [{"id": "x"}], "readiness": {"pattern": "("}})"),
              HasSubstr("readiness.pattern"));
}

TEST(ServerCatalogTest, RefusesOneIdTwice) {
  const std::string row = R"({"id": "a", "language": "x", "command": ["x"],
      "documents": [{"id": "x"}]})";
  EXPECT_THAT(MessageFor(row + "," + row), HasSubstr("twice"));
}

// The catalogue that we ship.
TEST(ServerCatalogTest, ReadsTheShippedCatalogue) {
  ASSERT_OK_AND_ASSIGN(const ServerCatalog catalog,
                       ServerCatalog::Load(BANYAN_SERVER_CATALOG));
  for (const char* language : {"cpp", "python", "typescript", "go", "rust",
                               "bash", "yaml", "json", "html", "css"}) {
    EXPECT_FALSE(catalog.ServersOf(language).empty()) << language;
    for (const ServerEntry* entry : catalog.ServersOf(language)) {
      EXPECT_FALSE(entry->install().hint().empty()) << entry->id();
      EXPECT_FALSE(entry->version_command().empty()) << entry->id();
    }
  }
  EXPECT_EQ(catalog.LanguageOf("a.tsx")->document_id, "typescriptreact");
  EXPECT_EQ(catalog.LanguageOf("a.sh")->document_id, "shellscript");
  EXPECT_EQ(catalog.LanguageOf("a.h")->language, "cpp");
}

}  // namespace
}  // namespace banyan::lspd
