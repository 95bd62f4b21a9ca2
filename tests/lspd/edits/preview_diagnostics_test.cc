// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/preview_diagnostics.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "tests/lspd/edits/edit_fixture.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Complains about each of some words that stand in the text.
std::vector<LspDiagnostic> Complaints(const std::string& text) {
  std::vector<LspDiagnostic> found;
  for (const char* word : {"stays", "mended", "broken"}) {
    if (text.find(word) == std::string::npos) continue;
    LspDiagnostic diagnostic;
    diagnostic.severity = 1;
    diagnostic.message = word;
    found.push_back(diagnostic);
  }
  return found;
}

class PreviewDiagnosticsTest : public EditTest {
 protected:
  std::shared_ptr<FakeLanguageServer> AddOwnServer() {
    const std::string own = FakeServerPool::OwnOf("python");
    auto server = std::make_shared<FakeLanguageServer>(
        *catalog_.ServersOf("python").front());
    server->diagnose = Complaints;
    pool_.Set(own, server);
    return server;
  }

  absl::StatusOr<Response> Preview(Request request) {
    request.set_is_dry_run(true);
    request.set_with_diagnostics(true);
    return Apply(request);
  }

  static std::vector<std::string> Messages(
      const google::protobuf::RepeatedPtrField<lsp::v1::Diagnostic>& list) {
    std::vector<std::string> messages;
    for (const lsp::v1::Diagnostic& each : list) {
      messages.push_back(
          absl::StrCat(each.relative_path(), " ", each.message()));
    }
    return messages;
  }
};

TEST_F(PreviewDiagnosticsTest, TellsWhatItWouldBreakAndMend) {
  folder_.Write("a.py", "stays mended\n");
  OpenRoot();
  AddOwnServer();
  ASSERT_OK_AND_ASSIGN(const Response shown,
                       Preview(Replace("a.py", "mended", "broken")));
  EXPECT_THAT(Messages(shown.new_diagnostics()), ElementsAre("a.py broken"));
  EXPECT_THAT(Messages(shown.fixed_diagnostics()), ElementsAre("a.py mended"));
  EXPECT_THAT(shown.incomplete(), IsEmpty());
  EXPECT_EQ(Text("a.py"), "stays mended\n");
}

TEST_F(PreviewDiagnosticsTest,
       NoServerThatOthersAskSeesTheTextThatWasNotSaved) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto shared = AddServer("python");
  const auto own = AddOwnServer();
  Request request;
  auto& operation = *request.add_operations();
  operation.set_relative_path("a.py");
  auto& symbol = *operation.mutable_edit_symbol();
  symbol.set_kind(lsp::v1::SYMBOL_EDIT_KIND_INSERT_AFTER);
  symbol.set_name_path("run");
  symbol.set_body("broken");
  ASSERT_OK_AND_ASSIGN(const Response shown, Preview(request));
  EXPECT_THAT(Messages(shown.new_diagnostics()), ElementsAre("a.py broken"));
  for (const auto& [uri, text] : shared->texts()) {
    EXPECT_EQ(text, "def run():\n") << uri;
  }
  EXPECT_TRUE(shared->is_alive());
  EXPECT_FALSE(own->is_alive());
  EXPECT_EQ(pool_.held, 0);
}

TEST_F(PreviewDiagnosticsTest, AFileThatIsToBeMadeIsLookedAtToo) {
  folder_.Write("a.py", "stays\n");
  OpenRoot();
  AddOwnServer();
  Request request;
  auto& create = *request.add_operations();
  create.set_relative_path("b.py");
  create.mutable_create_file()->set_content("broken\n");
  *request.add_operations() = Replace("a.py", "stays", "stay").operations(0);
  ASSERT_OK_AND_ASSIGN(const Response shown, Preview(request));
  EXPECT_THAT(Messages(shown.new_diagnostics()), ElementsAre("b.py broken"));
  EXPECT_THAT(Messages(shown.fixed_diagnostics()), ElementsAre("a.py stays"));
  EXPECT_EQ(Text("b.py"), "(none)");
}

TEST_F(PreviewDiagnosticsTest, WithoutAServerThePreviewStandsAndSaysSo) {
  folder_.Write("a.py", "one\n");
  OpenRoot();
  ASSERT_OK_AND_ASSIGN(const Response shown,
                       Preview(Replace("a.py", "one", "two")));
  EXPECT_THAT(shown.results(0).unified_diff(), HasSubstr("+two"));
  EXPECT_THAT(Reasons(shown), ElementsAre("python server_missing"));
}

TEST_F(PreviewDiagnosticsTest, AServerThatFailsIsEndedAllTheSame) {
  folder_.Write("a.py", "one\n");
  OpenRoot();
  const auto own = AddOwnServer();
  own->diagnostics_failure =
      rpc::Error(rpc::v1::ERROR_REASON_DEADLINE, "too slow");
  ASSERT_OK_AND_ASSIGN(const Response shown,
                       Preview(Replace("a.py", "one", "two")));
  EXPECT_THAT(Reasons(shown), ElementsAre("python deadline"));
  EXPECT_FALSE(own->is_alive());
}

}  // namespace
}  // namespace banyan::lspd
