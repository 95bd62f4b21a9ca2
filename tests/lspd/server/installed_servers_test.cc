// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/installed_servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>
#include <vector>

#include "lspd/server/run_program.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kRows[] = R"json({"servers": [
  {"id": "first", "language": "x", "isDefault": true,
   "command": ["first", "--stdio"], "versionCommand": ["first", "--version"],
   "documents": [{"id": "x", "extensions": [".x"]}],
   "install": {"hint": "get first"}},
  {"id": "second", "language": "x", "isDefault": true,
   "programs": ["second-9"],
   "command": ["second"], "versionCommand": ["second", "--version"],
   "versionPattern": "version ([7-9]\\.[0-9]+)",
   "documents": [{"id": "x", "extensions": [".x"]}],
   "install": {"hint": "get second"}}
]})json";

class InstalledServersTest : public testing::Test {
 protected:
  // A program that says `output` and exits with `code`.
  void Install(const std::string& path, const std::string& output,
               int code = 0) {
    folder_.Write(path, "#!/bin/sh\necho '" + output + "'\nexit " +
                            std::to_string(code) + "\n");
    ASSERT_EQ(chmod(folder_.PathOf(path).c_str(), 0755), 0);
  }

  InstalledServers::Options Options() {
    InstalledServers::Options options;
    options.tools_dir = folder_.PathOf("tools");
    options.path = folder_.PathOf("bin") + ":/usr/bin:/bin";
    options.now = [this] { return now_; };
    return options;
  }

  TempWorkspace folder_;
  absl::Time now_ = absl::UnixEpoch();
  const ServerCatalog catalog_ = *ServerCatalog::Parse(kRows);
};

TEST_F(InstalledServersTest, TakesTheFirstThatWorks) {
  Install("bin/first", "first 1.0");
  Install("bin/second", "version 8.1");
  InstalledServers servers(catalog_, Options());
  ASSERT_OK_AND_ASSIGN(const InstalledServer server, servers.ForLanguage("x"));
  EXPECT_EQ(server.entry->id(), "first");
  EXPECT_EQ(server.version, "first 1.0");
  EXPECT_THAT(server.command,
              ElementsAre(folder_.PathOf("bin/first"), "--stdio"));
}

// rust-analyzer without its component: on the path, executable, of no use.
TEST_F(InstalledServersTest, PassesOverAStubThatFails) {
  Install("bin/first", "Unknown binary", 1);
  Install("bin/second", "version 8.1");
  InstalledServers servers(catalog_, Options());
  ASSERT_OK_AND_ASSIGN(const InstalledServer server, servers.ForLanguage("x"));
  EXPECT_EQ(server.entry->id(), "second");
  EXPECT_EQ(server.version, "8.1");
}

TEST_F(InstalledServersTest, PassesOverAVersionThatDoesNotDo) {
  Install("bin/second-9", "version 5.9");
  Install("bin/second", "version 7.0");
  InstalledServers servers(catalog_, Options());
  ASSERT_OK_AND_ASSIGN(const InstalledServer server, servers.ById("second"));
  EXPECT_EQ(server.command[0], folder_.PathOf("bin/second"));
}

TEST_F(InstalledServersTest, LooksIntoTheToolsFolderFirst) {
  Install("bin/first", "from the path");
  Install("tools/node_modules/.bin/first", "from the tools");
  InstalledServers servers(catalog_, Options());
  ASSERT_OK_AND_ASSIGN(const InstalledServer server, servers.ForLanguage("x"));
  EXPECT_EQ(server.version, "from the tools");
}

TEST_F(InstalledServersTest, SaysHowToInstallWhatIsMissing) {
  Install("bin/first", "cannot open shared object", 127);
  InstalledServers servers(catalog_, Options());
  const absl::Status status = servers.ForLanguage("x").status();
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
  EXPECT_THAT(
      std::string(status.message()),
      testing::AllOf(HasSubstr("server for x"), HasSubstr("exits with 127"),
                     HasSubstr("get first"), HasSubstr("get second")));
  EXPECT_THAT(rpc::DetailOf(status).alternatives(),
              ElementsAre("first", "second"));
}

TEST_F(InstalledServersTest, AsksAgainAfterAWhileOnlyWhatFailed) {
  int runs = 0;
  InstalledServers::Options options = Options();
  options.run =
      [&](const std::vector<std::string>&) -> absl::StatusOr<std::string> {
    if (++runs < 2) return absl::UnknownError("not yet");
    return "1.0";
  };
  Install("bin/first", "");
  InstalledServers servers(catalog_, options);
  EXPECT_THAT(servers.ById("first"),
              HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
  now_ += absl::Seconds(29);
  EXPECT_THAT(servers.ById("first"),
              HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
  EXPECT_EQ(runs, 1);
  now_ += absl::Seconds(2);
  EXPECT_THAT(servers.ById("first"), IsOk());
  now_ += absl::Hours(9);
  EXPECT_THAT(servers.ById("first"), IsOk());
  EXPECT_EQ(runs, 2);
}

TEST_F(InstalledServersTest, DoesNotLookIntoRelativeFoldersOfThePath) {
  InstalledServers::Options options = Options();
  options.tools_dir = "";
  options.path = ".::bin";
  InstalledServers servers(catalog_, options);
  EXPECT_THAT(servers.ForLanguage("x"),
              HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
}

TEST_F(InstalledServersTest, KnowsOnlyLanguagesOfTheCatalogue) {
  InstalledServers servers(catalog_, Options());
  EXPECT_THAT(servers.ForLanguage("cobol"),
              HasReason(rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN));
  EXPECT_THAT(servers.ById("cobol"),
              HasReason(rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN));
}

TEST(InstalledServerTest, FingerprintChangesWithProgramVersionAndArguments) {
  InstalledServer one = {nullptr, {"/bin/x", "--a"}, "/bin/x", "1"};
  InstalledServer other = one;
  EXPECT_EQ(one.Fingerprint(), other.Fingerprint());
  other.version = "2";
  EXPECT_NE(one.Fingerprint(), other.Fingerprint());
  other = one;
  other.command[1] = "--b";
  EXPECT_NE(one.Fingerprint(), other.Fingerprint());
}

TEST(RunProgramTest, KillsWhatDoesNotEnd) {
  const absl::Time start = absl::Now();
  EXPECT_THAT(RunProgram({"/bin/sleep", "60"}, {}, absl::Milliseconds(100)),
              HasCode(absl::StatusCode::kDeadlineExceeded));
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
}

TEST(RunProgramTest, CutsWhatNeverStopsTalking) {
  ASSERT_OK_AND_ASSIGN(
      const std::string output,
      RunProgram({"/bin/sh", "-c", "head -c 1000000 /dev/zero"},
                 {"PATH=/usr/bin:/bin"}, absl::Seconds(20)));
  EXPECT_EQ(output.size(), 64u << 10);
}

TEST(RunProgramTest, SaysThatAProgramIsNotThere) {
  EXPECT_THAT(RunProgram({"/no/such/program"}, {}, absl::Seconds(5)),
              HasCode(absl::StatusCode::kNotFound));
}

TEST_F(InstalledServersTest, ManyCallersRunAVersionCommandOnce) {
  Install("bin/first", "first 1.0");
  std::atomic<int> runs = 0;
  InstalledServers::Options options = Options();
  options.run = [&](const std::vector<std::string>&) {
    ++runs;
    std::this_thread::yield();
    return std::string("first 1.0");
  };
  InstalledServers servers(catalog_, options);
  std::vector<std::thread> callers;
  for (int i = 0; i < 50; ++i) {
    callers.emplace_back(
        [&] { EXPECT_THAT(servers.ForLanguage("x"), IsOk()); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace banyan::lspd
