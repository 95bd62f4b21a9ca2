// SPDX-License-Identifier: Apache-2.0
//
// The strict fake server is only worth something if it does see breaches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lspd/sandbox/guardian.h"
#include "lspd/transport/json_rpc_peer.h"
#include "tests/support/fake_server_script.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FakeLanguageServerTest : public testing::Test {
 protected:
  void SetUp() override {
    script_.Strict();
    guardian_ = *Guardian::Start({.program = BANYAN_GUARDIAN});
    peer_ = JsonRpcPeer::Start(*guardian_->Spawn({.argv = script_.Command()}),
                               {}, {});
  }

  void Initialize() {
    Ask("initialize",
        {{"capabilities", json::object()},
         {"processId", nullptr},
         {"workspaceFolders", {{{"uri", "file:///a"}, {"name", "a"}}}}});
    Tell("initialized", json::object());
  }
  void Ask(const std::string& method, const json& params) {
    EXPECT_THAT(peer_->Request(method, params,
                               {.deadline = absl::Now() + absl::Seconds(60)}),
                IsOk());
  }
  void Tell(const std::string& method, const json& params) {
    EXPECT_THAT(peer_->Notify(method, params), IsOk());
  }
  void Open(int version) {
    Tell("textDocument/didOpen", {{"textDocument",
                                   {{"uri", "file:///a/x"},
                                    {"languageId", "cpp"},
                                    {"version", version},
                                    {"text", ""}}}});
  }
  void Change(const std::string& uri, int version) {
    Tell("textDocument/didChange",
         {{"textDocument", {{"uri", uri}, {"version", version}}},
          {"contentChanges", {{{"text", "x"}}}}});
  }
  // All that was said so far has been looked at once this is answered.
  std::vector<std::string> Violations() {
    Ask("workspace/symbol", {{"query", ""}});
    return script_.Violations();
  }

  TempWorkspace workspace_;
  FakeServerScript script_{workspace_.PathOf("fake")};
  std::unique_ptr<Guardian> guardian_;
  std::unique_ptr<JsonRpcPeer> peer_;
};

TEST_F(FakeLanguageServerTest, APoliteClientIsNotAccused) {
  Initialize();
  Open(1);
  Change("file:///a/x", 2);
  Change("file:///a/x", 7);
  EXPECT_THAT(Violations(), IsEmpty());
}

TEST_F(FakeLanguageServerTest, TalkBeforeInitializedIsSeen) {
  Tell("textDocument/didSave", {{"textDocument", {{"uri", "file:///a/x"}}}});
  EXPECT_THAT(Violations(), Contains(HasSubstr("before initialized")));
}

TEST_F(FakeLanguageServerTest, ADoubleOpenIsSeen) {
  Initialize();
  Open(1);
  Open(2);
  EXPECT_THAT(Violations(), Contains(HasSubstr("double open")));
}

TEST_F(FakeLanguageServerTest, AVersionThatDoesNotIncreaseIsSeen) {
  Initialize();
  Open(3);
  Change("file:///a/x", 3);
  EXPECT_THAT(Violations(), Contains(HasSubstr("does not increase")));
}

TEST_F(FakeLanguageServerTest, AChangeOfAnUnopenedDocumentIsSeen) {
  Initialize();
  Change("file:///a/other", 1);
  EXPECT_THAT(Violations(), Contains(HasSubstr("unopened")));
}

TEST_F(FakeLanguageServerTest, FoldersAddedTwiceOrRemovedUnknownAreSeen) {
  Initialize();
  Tell("workspace/didChangeWorkspaceFolders",
       {{"event",
         {{"added", {{{"uri", "file:///a"}, {"name", "a"}}}},
          {"removed", {{{"uri", "file:///b"}, {"name", "b"}}}}}}});
  const auto violations = Violations();
  EXPECT_THAT(violations, Contains(HasSubstr("double add")));
  EXPECT_THAT(violations, Contains(HasSubstr("unknown folder")));
}

TEST_F(FakeLanguageServerTest, ASecondInitializeIsSeen) {
  Initialize();
  Ask("initialize", {{"capabilities", json::object()}, {"processId", 1}});
  EXPECT_THAT(Violations(), Contains("initialize twice"));
}

}  // namespace
}  // namespace banyan::lspd
