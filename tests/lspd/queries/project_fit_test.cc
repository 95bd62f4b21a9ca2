// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/project_fit.h"

#include <gmock/gmock.h>

#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

class ProjectFitTest : public QueryTest {
 protected:
  bool Says(lsp::v1::IncompleteReason reason, const std::string& language,
            const std::string& path) {
    Question question(tools_, asker_, call_, true);
    AddProjectFit(question, language, path);
    return question.completeness().Has(reason);
  }
  bool IsOutside(const std::string& language, const std::string& path) {
    return Says(lsp::v1::INCOMPLETE_REASON_NOT_IN_PROJECT, language, path);
  }
  bool LacksDependencies(const std::string& path) {
    return Says(lsp::v1::INCOMPLETE_REASON_DEPENDENCIES_MISSING, "typescript",
                path);
  }
};

TEST_F(ProjectFitTest, GoAndRustNeedTheirManifestAboveTheFile) {
  folder_.Write("in/go.mod", "module m\n");
  folder_.Write("in/deep/a.go", "");
  folder_.Write("out/a.go", "");
  folder_.Write("out/a.rs", "");
  folder_.Write("crate/Cargo.toml", "");
  OpenRoot();
  EXPECT_FALSE(IsOutside("go", "in/deep/a.go"));
  EXPECT_TRUE(IsOutside("go", "out/a.go"));
  EXPECT_TRUE(IsOutside("rust", "out/a.rs"));
  EXPECT_FALSE(IsOutside("rust", "crate/src/a.rs"));
  EXPECT_FALSE(IsOutside("python", "out/a.py"));
}

TEST_F(ProjectFitTest, TypeScriptIsJudgedByTheNearestConfiguration) {
  folder_.Write("tsconfig.json",
                "{ // as editors write it\n  \"include\": [\"src\", "
                "\"./tools/**/*.ts\",],\n}\n");
  OpenRoot();
  EXPECT_FALSE(IsOutside("typescript", "src/deep/a.ts"));
  EXPECT_FALSE(IsOutside("typescript", "tools/x/a.ts"));
  EXPECT_TRUE(IsOutside("typescript", "scripts/a.ts"));
  EXPECT_TRUE(IsOutside("typescript", "src-old/a.ts"));
}

TEST_F(ProjectFitTest, AConfigurationThatSaysNothingIncludesEverything) {
  folder_.Write("plain/tsconfig.json", "{}");
  folder_.Write("bad/tsconfig.json", "{{{");
  folder_.Write("extended/tsconfig.json",
                "{\"extends\": \"../base.json\", \"include\": [\"src\"]}");
  folder_.Write("files/tsconfig.json", "{\"files\": [\"a.ts\"]}");
  OpenRoot();
  EXPECT_FALSE(IsOutside("typescript", "plain/a.ts"));
  EXPECT_FALSE(IsOutside("typescript", "bad/a.ts"));
  EXPECT_FALSE(IsOutside("typescript", "extended/a.ts"));
  EXPECT_FALSE(IsOutside("typescript", "files/a.ts"));
  EXPECT_TRUE(IsOutside("typescript", "files/b.ts"));
  EXPECT_FALSE(IsOutside("typescript", "none/a.ts"));
}

TEST_F(ProjectFitTest, DependenciesThatAreNamedMustBeThere) {
  folder_.Write("app/package.json", "{\"dependencies\": {\"x\": \"1\"}}");
  folder_.Write("none/package.json", "{\"dependencies\": {}}");
  OpenRoot();
  EXPECT_TRUE(LacksDependencies("app/src/a.ts"));
  EXPECT_FALSE(LacksDependencies("none/a.ts"));
  EXPECT_FALSE(LacksDependencies("elsewhere/a.ts"));
  std::filesystem::create_directories(folder_.PathOf("node_modules"));
  EXPECT_FALSE(LacksDependencies("app/src/a.ts"));
}

}  // namespace
}  // namespace banyan::lspd
