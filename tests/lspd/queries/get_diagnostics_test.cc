// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/get_diagnostics.h"

#include <gmock/gmock.h>

#include "lspd/queries/get_symbols_overview.h"
#include "tests/lspd/queries/fake_servers.h"
#include "tests/support/git_repo.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GetDiagnosticsTest : public QueryTest {
 protected:
  absl::StatusOr<lsp::v1::GetDiagnosticsResponse> Check(
      const std::string& path, lsp::v1::DiagnosticSeverity least =
                                   lsp::v1::DIAGNOSTIC_SEVERITY_UNSPECIFIED) {
    lsp::v1::GetDiagnosticsRequest request;
    request.set_relative_path(path);
    request.set_min_severity(least);
    return GetDiagnostics(tools_, asker_, call_, request);
  }

  static LspDiagnostic At(int line, int severity, const std::string& message) {
    LspDiagnostic diagnostic;
    diagnostic.range = {{line, 0}, {line, 3}};
    diagnostic.severity = severity;
    diagnostic.message = message;
    return diagnostic;
  }
};

TEST_F(GetDiagnosticsTest, TellsWarningsAndWorseWithTheirSymbol) {
  folder_.Write("a.py", "x = 1\ndef run():\n");
  OpenRoot();
  AddServer("python")->diagnostics = {At(1, 2, "unused"), At(0, 1, "broken"),
                                      At(0, 3, "by the way")};
  ASSERT_OK_AND_ASSIGN(const auto found, Check("a.py"));
  ASSERT_EQ(found.diagnostics_size(), 2);
  EXPECT_EQ(found.diagnostics(0).message(), "broken");
  EXPECT_EQ(found.diagnostics(0).containing_symbol(), "");
  EXPECT_EQ(found.diagnostics(1).message(), "unused");
  EXPECT_EQ(found.diagnostics(1).containing_symbol(), "run");
  EXPECT_EQ(found.diagnostics(1).severity(),
            lsp::v1::DIAGNOSTIC_SEVERITY_WARNING);
  EXPECT_EQ(found.files_checked(), 1);
  ASSERT_OK_AND_ASSIGN(const auto all,
                       Check("a.py", lsp::v1::DIAGNOSTIC_SEVERITY_HINT));
  EXPECT_EQ(all.diagnostics_size(), 3);
}

TEST_F(GetDiagnosticsTest, AFolderIsCheckedFileByFile) {
  folder_.Write("in/a.py", "x\n");
  folder_.Write("in/b.py", "x\n");
  folder_.Write("in/notes.txt", "x\n");
  folder_.Write("out.py", "x\n");
  OpenRoot();
  AddServer("python")->diagnostics = {At(0, 1, "broken")};
  ASSERT_OK_AND_ASSIGN(const auto found, Check("in"));
  EXPECT_EQ(found.files_checked(), 2);
  EXPECT_EQ(found.diagnostics(0).relative_path(), "in/a.py");
  EXPECT_EQ(found.diagnostics(1).relative_path(), "in/b.py");
}

TEST_F(GetDiagnosticsTest, TooManyFilesAreCountedAsLeftOut) {
  for (int i = 0; i < 103; ++i) folder_.Write(absl::StrCat(i, ".py"), "x\n");
  OpenRoot();
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto found, Check(""));
  EXPECT_EQ(found.files_checked(), 100);
  EXPECT_THAT(Reasons(found), ElementsAre(" result_cap"));
  EXPECT_EQ(found.incomplete(0).count(), 3);
}

TEST_F(GetDiagnosticsTest, NoDiagnosticsOfAnUnreadyServerIsNoCleanBill) {
  folder_.Write("a.py", "x\n");
  OpenRoot();
  AddServer("python")->readiness_value = ReadinessState::kIndexing;
  ASSERT_OK_AND_ASSIGN(const auto found, Check("a.py"));
  EXPECT_THAT(found.diagnostics(), IsEmpty());
  EXPECT_THAT(Reasons(found), ElementsAre("python indexing"));
}

class GetSymbolsOverviewTest : public QueryTest {
 protected:
  absl::StatusOr<lsp::v1::GetSymbolsOverviewResponse> Overview(
      const std::string& path) {
    lsp::v1::GetSymbolsOverviewRequest request;
    request.set_relative_path(path);
    return GetSymbolsOverview(tools_, asker_, call_, request);
  }
};

TEST_F(GetSymbolsOverviewTest, TellsTheTopOfOneFileAndItsHash) {
  folder_.Write("a.py", "def run():\ndef walk():\n");
  OpenRoot();
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto found, Overview("a.py"));
  ASSERT_EQ(found.symbols_size(), 2);
  EXPECT_EQ(found.symbols(1).name_path(), "walk");
  EXPECT_EQ(found.hash(), HashOf("def run():\ndef walk():\n"));
}

TEST_F(GetSymbolsOverviewTest, RefusesWhatIsNoFileOrOfNoLanguage) {
  folder_.Write("in/a.py", "x\n");
  folder_.Write("notes.txt", "x\n");
  OpenRoot();
  EXPECT_THAT(Overview("in"), HasReason(rpc::v1::ERROR_REASON_NOT_A_FILE));
  EXPECT_THAT(Overview(""), HasReason(rpc::v1::ERROR_REASON_NOT_A_FILE));
  EXPECT_THAT(Overview("gone.py"),
              HasReason(rpc::v1::ERROR_REASON_FILE_NOT_FOUND));
  EXPECT_THAT(Overview("notes.txt"),
              HasReason(rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN));
  EXPECT_THAT(Overview("in/a.py"),
              HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
}

TEST_F(GetDiagnosticsTest, AFolderOfIgnoredFilesIsNotAFolderWithoutFaults) {
  Git(folder_.path(), "init -q");
  folder_.Write(".gitignore", "secret/\n");
  folder_.Write("secret/a.py", "x\n");
  OpenRoot();
  AddServer("python");
  ASSERT_OK_AND_ASSIGN(const auto checked, Check("secret"));
  EXPECT_EQ(checked.files_checked(), 0);
  EXPECT_THAT(Reasons(checked), ElementsAre(" files_not_searched"));
}

}  // namespace
}  // namespace banyan::lspd
