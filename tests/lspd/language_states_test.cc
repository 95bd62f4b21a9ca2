// SPDX-License-Identifier: Apache-2.0
#include "lspd/language_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/lspd/pool/fake_servers.h"
#include "tests/support/server_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TEST(CountLanguagesTest, EndingsAndWholeNamesAddUpByLanguage) {
  ASSERT_OK_AND_ASSIGN(const ServerCatalog catalog, ServerCatalog::Parse(R"({
    "servers": [
      {"id": "clangd", "language": "cpp", "command": ["clangd"], "is_default": true,
       "documents": [{"id": "cpp", "extensions": [".cc", ".h"]}]},
      {"id": "bash-ls", "language": "bash", "command": ["bash-ls"], "is_default": true,
       "documents": [{"id": "shellscript", "extensions": [".sh"],
                      "file_names": [".bashrc"]}]}]})"));
  EXPECT_THAT(CountLanguages(catalog, {{".cc", 3},
                                       {".h", 2},
                                       {".sh", 1},
                                       {".unknown", 9},
                                       {"makefile", 1}}),
              ElementsAre(Pair("bash", 1), Pair("cpp", 5)));
}

class LanguageStatesTest : public testing::Test {
 protected:
  LanguageStatesTest() {
    folder_.Write("a.s", "x\n");
    ServerPoolOptions options;
    options.sweep_interval = absl::ZeroDuration();
    pool_ = NewServerPool(installed_, std::make_unique<FakeStarter>(book_),
                          options);
    states_ = std::make_unique<LanguageStates>(installed_, *pool_,
                                               LanguageStates::Options());
  }

  Asker AskerOver(Workspace::Options options = {}) {
    return {.workspace = std::make_shared<Workspace>(
                *RootDirectory::Open(folder_.path(), {}), folder_.path(), 1,
                std::move(options)),
            .trust_domain = "d",
            .session_public_id = "aaaa1111"};
  }

  const TempWorkspace folder_;
  const ServerCatalog catalog_ = *ServerCatalog::Parse(R"json({"servers": [
    {"id": "solo", "language": "solo", "isDefault": true,
     "command": ["/bin/sh"],
     "documents": [{"id": "solo", "extensions": [".s"]}],
     "policy": "POOLING_POLICY_ISOLATED_PROCESS"},
    {"id": "other", "language": "other", "isDefault": true,
     "command": ["/bin/sh"],
     "documents": [{"id": "other", "extensions": [".o"]}]}]})json");
  InstalledServers installed_{catalog_, {}};
  StartBook book_;
  std::unique_ptr<ServerPool> pool_;
  std::unique_ptr<LanguageStates> states_;
};

// Each element of the array started a thread, and a server if it was known.
TEST_F(LanguageStatesTest, TenThousandNamesToPrewarmAreOneStart) {
  std::vector<std::string> names(10'000, "solo");
  names.insert(names.end(), {"other", "cobol"});
  const LanguageReport report = states_->Of(AskerOver(), names);
  ASSERT_THAT(report.states, SizeIs(1));
  EXPECT_EQ(report.states[0].language(), "solo");
  EXPECT_THAT(report.warnings, IsEmpty());
  EXPECT_TRUE(Eventually([&] { return book_.begun() == 1; }));
  states_.reset();  // Waits for the rest.
  EXPECT_EQ(book_.begun(), 1);
}

TEST_F(LanguageStatesTest, PrewarmingAgainWaitsForTheSameStart) {
  book_.Block(true);
  const Asker asker = AskerOver();
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(states_->Of(asker, {"solo"}).warnings, IsEmpty());
  }
  book_.Block(false);
  states_.reset();
  EXPECT_EQ(book_.begun(), 1);
}

// An empty list would mean that there are none.
TEST_F(LanguageStatesTest, AListingThatFailsIsAWarning) {
  Workspace::Options options;
  options.proposals.ripgrep = "/no/such/rg";
  const LanguageReport report = states_->Of(AskerOver(options), {});
  EXPECT_THAT(report.states, IsEmpty());
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("not complete")));
}

}  // namespace
}  // namespace banyan::lspd
