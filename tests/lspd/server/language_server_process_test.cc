// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/language_server_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "lspd/protocol/file_uri.h"
#include "lspd/server/process_tree.h"
#include "lspd/server/quirks.h"
#include "tests/support/fake_server_script.h"
#include "tests/support/server_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class LanguageServerProcessTest : public testing::Test {
 protected:
  LanguageServerProcessTest()
      // Helpers of the fake server have this name in their command line too.
      : script_(folder_.PathOf("tsserver.js")),
        guardian_(StartTestGuardian(folder_.PathOf("data"))) {
    entry_.set_id("fake");
    entry_.set_language("x");
    entry_.mutable_readiness()->set_kind(lsp::v1::READINESS_KIND_PROGRESS);
    entry_.mutable_readiness()->set_grace_ms(60'000);
    auto* document = entry_.add_documents();
    document->set_id("xlang");
    document->add_extensions(".x");
    script_.Strict();
  }

  // A strict server notes what the client did wrong.
  ~LanguageServerProcessTest() override {
    server_.reset();
    EXPECT_THAT(script_.Violations(), IsEmpty());
  }

  LaunchRequest Launch() {
    LaunchRequest request;
    request.installed.entry = &entry_;
    request.installed.command = script_.Command();
    request.installed.version = "1.0";
    request.roots = {root_.path()};
    request.private_dir = folder_.PathOf("private");
    request.search_path = "/usr/bin:/bin";
    request.start_limit = absl::Seconds(20);
    return request;
  }

  absl::Status TryStart(LaunchRequest request) {
    absl::StatusOr<std::unique_ptr<LanguageServer>> server =
        StartLanguageServer(*guardian_, std::move(request));
    if (server.ok()) server_ = *std::move(server);
    return server.status();
  }

  void Start() { ASSERT_THAT(TryStart(Launch()), IsOk()); }

  static rpc::CallContext Call() { return CallFor(absl::Seconds(20)); }

  TempWorkspace folder_;
  TempWorkspace root_;
  FakeServerScript script_;
  ServerEntry entry_;
  std::unique_ptr<Guardian> guardian_;
  std::unique_ptr<LanguageServer> server_;
};

TEST_F(LanguageServerProcessTest, SaysEverythingThatServersNeedToKnow) {
  Start();
  ASSERT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              IsOk());
  const std::vector<json> sent = script_.Received("initialize");
  ASSERT_THAT(sent, SizeIs(1));
  const json& params = sent[0]["params"];
  EXPECT_EQ(params["processId"], getpid());
  EXPECT_EQ(params["rootUri"], FileUri(root_.path()));
  EXPECT_EQ(params["rootPath"], root_.path());
  EXPECT_EQ(params["workspaceFolders"][0]["uri"], FileUri(root_.path()));
  EXPECT_EQ(params["initializationOptions"], json::object());
  const json& can = params["capabilities"];
  EXPECT_EQ(can["general"]["positionEncodings"], json({"utf-8", "utf-16"}));
  EXPECT_EQ(can["offsetEncoding"], json({"utf-8", "utf-16"}));
  EXPECT_EQ(can["window"]["workDoneProgress"], true);
  EXPECT_EQ(can["experimental"]["serverStatusNotification"], true);
  EXPECT_EQ(can["textDocument"]["documentSymbol"]
               ["hierarchicalDocumentSymbolSupport"],
            true);
}

TEST_F(LanguageServerProcessTest, ShutsDownInOrderAndWithoutParams) {
  Start();
  const pid_t pid = server_->pid();
  server_->Stop(absl::Seconds(10));
  EXPECT_FALSE(server_->is_alive());
  EXPECT_FALSE(IsRunning(pid));
  const std::vector<json> shutdowns = script_.Received("shutdown");
  ASSERT_THAT(shutdowns, SizeIs(1));
  EXPECT_FALSE(shutdowns[0].contains("params"));
  ASSERT_THAT(script_.Received("exit"), SizeIs(1));
  EXPECT_FALSE(script_.Received("exit")[0].contains("params"));
}

TEST_F(LanguageServerProcessTest, KillsAServerThatDoesNotShutDown) {
  script_.Answer("shutdown", {fake::Never()});
  Start();
  const pid_t pid = server_->pid();
  const absl::Time start = absl::Now();
  server_->Stop(absl::Seconds(1));
  EXPECT_LT(absl::Now() - start, absl::Seconds(8));
  EXPECT_FALSE(IsRunning(pid));
}

TEST_F(LanguageServerProcessTest, AServerThatDoesNotInitializeIsAnErrorInTime) {
  script_.Answer("initialize", {fake::Stderr("no licence\n"), fake::Never()});
  LaunchRequest request = Launch();
  request.start_limit = absl::Milliseconds(500);
  const absl::Status status = TryStart(std::move(request));
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no licence"));
}

TEST_F(LanguageServerProcessTest, AServerThatRefusesToInitializeIsAnError) {
  script_.Answer("initialize", {fake::Error(-32603, "bad folder")});
  const absl::Status status = TryStart(Launch());
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_THAT(std::string(status.message()), HasSubstr("bad folder"));
}

TEST_F(LanguageServerProcessTest, AServerThatDiesAtOnceSaysItsLastWords) {
  script_.OnStart({fake::Stderr("cannot find libx\n"), fake::Exit(3)});
  const absl::Status status = TryStart(Launch());
  EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot find libx"));
}

TEST_F(LanguageServerProcessTest, AProgramThatIsNotThereIsMissing) {
  LaunchRequest request = Launch();
  request.installed.command = {"/no/such/server"};
  EXPECT_THAT(TryStart(std::move(request)),
              HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
}

// Servers ask before they answer, and wait for the answers.
TEST_F(LanguageServerProcessTest, AnswersEveryQuestionOfTheServer) {
  (*entry_.mutable_settings()->mutable_fields())["fake"]
      .mutable_struct_value()
      ->mutable_fields()
      ->insert({"home", google::protobuf::Value()});
  (*(*entry_.mutable_settings()->mutable_fields())["fake"]
        .mutable_struct_value()
        ->mutable_fields())["home"]
      .set_string_value("${root}/x");
  const json items = {
      {"items",
       {{{"section", "fake.home"}},
        {{"section", "other"}},
        {{"section", ""}, {"scopeUri", FileUri(root_.path())}}}}};
  script_.Answer(
      "textDocument/hover",
      {fake::Request("c", "workspace/configuration", items),
       fake::Request(-7, "workspace/workspaceFolders", nullptr),
       fake::Request("p", "window/workDoneProgress/create", {{"token", 1}}),
       fake::Request(
           "m", "window/showMessageRequest",
           {{"type", 1}, {"message", "x"}, {"actions", json::array()}}),
       fake::Request("d", "window/showDocument", {{"uri", "file:///x"}}),
       fake::Request("e", "workspace/applyEdit", {{"edit", json::object()}}),
       fake::Request("r", "workspace/semanticTokens/refresh", nullptr),
       fake::Request("u", "window/unheardOf", json::object()),
       fake::AwaitAnswer("c"), fake::AwaitAnswer(-7), fake::AwaitAnswer("p"),
       fake::AwaitAnswer("m"), fake::AwaitAnswer("d"), fake::AwaitAnswer("e"),
       fake::AwaitAnswer("r"), fake::AwaitAnswer("u"),
       fake::Result({{"contents", "done"}})});
  Start();
  ASSERT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              IsOk());
  std::map<std::string, json> answers;
  for (const json& message : script_.Received()) {
    if (!message.contains("method")) answers[message["id"].dump()] = message;
  }
  EXPECT_EQ(answers["\"c\""]["result"],
            json({root_.path() + "/x",
                  nullptr,
                  {{"fake", {{"home", root_.path() + "/x"}}}}}));
  EXPECT_EQ(answers["-7"]["result"][0]["uri"], FileUri(root_.path()));
  for (const char* id : {"\"p\"", "\"m\"", "\"r\""}) {
    EXPECT_TRUE(answers[id].contains("result")) << id;
    EXPECT_TRUE(answers[id]["result"].is_null()) << id;
  }
  EXPECT_EQ(answers["\"d\""]["result"]["success"], false);
  EXPECT_EQ(answers["\"e\""]["result"]["applied"], false);
  EXPECT_EQ(answers["\"u\""]["error"]["code"], -32601);
}

TEST_F(LanguageServerProcessTest, AsksAgainWhenTheContentWasModified) {
  script_.Answer("textDocument/hover", {fake::Error(-32801)}, {.times = 2})
      .Answer("textDocument/hover", {fake::Result({{"contents", "int"}})});
  Start();
  ASSERT_OK_AND_ASSIGN(
      const json answer,
      server_->Request("textDocument/hover", json::object(), Call()));
  EXPECT_EQ(answer["contents"], "int");
  EXPECT_THAT(script_.Received("textDocument/hover"), SizeIs(3));
}

TEST_F(LanguageServerProcessTest, GivesUpOnContentThatIsAlwaysModified) {
  script_.Answer("textDocument/hover", {fake::Error(-32801)});
  Start();
  EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_THAT(script_.Received("textDocument/hover"), SizeIs(4));
}

TEST_F(LanguageServerProcessTest, RemembersWhatTheServerDoesNotKnow) {
  script_.Answer("textDocument/hover", {fake::Error(-32601)});
  Start();
  for (int i = 0; i < 3; ++i) {
    const absl::Status status =
        server_->Request("textDocument/hover", json::object(), Call()).status();
    EXPECT_THAT(status, HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("fake 1.0"), HasSubstr("instead")));
  }
  EXPECT_THAT(script_.Received("textDocument/hover"), SizeIs(1));
  EXPECT_FALSE(server_->Supports("textDocument/hover"));
  // Another process may serve another project, and knows by itself.
  Start();
  EXPECT_TRUE(server_->Supports("textDocument/hover"));
}

TEST_F(LanguageServerProcessTest, NeverAsksForWhatIsNotAnnounced) {
  script_.Capabilities({{"hoverProvider", true}});
  Start();
  EXPECT_THAT(server_->Request("textDocument/references", {}, Call()),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  EXPECT_THAT(script_.Received("textDocument/references"), IsEmpty());
}

TEST_F(LanguageServerProcessTest, AKilledServerFailsWhatWaitsAtOnce) {
  script_.Answer("textDocument/hover", {fake::Never()});
  Start();
  std::atomic<int> deaths = 0;
  server_->OnDeath([&](const std::string&) { ++deaths; });
  std::thread killer([this] {
    Eventually([this] { return server_->in_flight() == 1; });
    kill(server_->pid(), SIGKILL);
  });
  const absl::Time start = absl::Now();
  EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
  killer.join();
  EXPECT_THAT(server_->WaitUntilReady(Call()),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_TRUE(Eventually([&] { return deaths == 1; }));
  EXPECT_FALSE(server_->is_alive());
}

TEST_F(LanguageServerProcessTest, DeathIsToldToWhoAsksLate) {
  Start();
  kill(server_->pid(), SIGKILL);
  ASSERT_TRUE(Eventually([this] { return !server_->is_alive(); }));
  std::atomic<bool> told = false;
  server_->OnDeath([&](const std::string&) { told = true; });
  EXPECT_TRUE(Eventually([&] { return told.load(); }));
}

TEST_F(LanguageServerProcessTest, StoppingIsNoDeath) {
  Start();
  std::atomic<bool> told = false;
  server_->OnDeath([&](const std::string&) { told = true; });
  server_->Stop(absl::Seconds(10));
  EXPECT_FALSE(told);
}

TEST_F(LanguageServerProcessTest, AnswersThatWaitFailWhenItIsStopped) {
  script_.Answer("textDocument/hover", {fake::Never()});
  Start();
  std::thread asker([this] {
    EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
                HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  });
  Eventually([this] { return server_->in_flight() == 1; });
  server_->Stop(absl::Seconds(10));
  asker.join();
}

TEST_F(LanguageServerProcessTest, ADeadlineTellsTheServerToStop) {
  script_.Answer("textDocument/hover", {fake::Never()});
  Start();
  EXPECT_THAT(server_->Request("textDocument/hover", json::object(),
                               CallFor(absl::Milliseconds(100))),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  EXPECT_TRUE(Eventually(
      [this] { return script_.Received("$/cancelRequest").size() == 1; }));
  EXPECT_TRUE(server_->is_alive());
}

TEST_F(LanguageServerProcessTest, AServerThatAnswersNothingAnyMoreIsKilled) {
  script_.Answer("textDocument/hover", {fake::Never()});
  LaunchRequest request = Launch();
  request.stuck_after = absl::Milliseconds(1);
  ASSERT_THAT(TryStart(std::move(request)), IsOk());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(server_->is_alive()) << i;
    EXPECT_THAT(server_->Request("textDocument/hover", json::object(),
                                 CallFor(absl::Milliseconds(50))),
                HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  }
  EXPECT_FALSE(server_->is_alive());
  EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
}

// Slow is not dead.
TEST_F(LanguageServerProcessTest,
       TimeoutsOfAServerThatAnswersOthersKillNothing) {
  script_.Answer("textDocument/hover", {fake::Never()});
  script_.Answer("textDocument/references", {fake::Result(json::array())});
  LaunchRequest request = Launch();
  request.stuck_after = absl::Milliseconds(1);
  ASSERT_THAT(TryStart(std::move(request)), IsOk());
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(server_->Request("textDocument/hover", json::object(),
                                 CallFor(absl::Milliseconds(50))),
                HasReason(rpc::v1::ERROR_REASON_DEADLINE));
    EXPECT_THAT(
        server_->Request("textDocument/references", json::object(), Call()),
        IsOk());
  }
  EXPECT_TRUE(server_->is_alive());
}

json Progress(const char* token, const char* kind) {
  return {{"token", token}, {"value", {{"kind", kind}, {"title", "indexing"}}}};
}

TEST_F(LanguageServerProcessTest, WaitsUntilTheServerSaysThatItIsReady) {
  script_.Answer(
      "initialized",
      {fake::Notify("$/progress", Progress("t", "begin")), fake::Sleep(300),
       fake::Notify("$/progress", Progress("t", "end"))});
  Start();
  EXPECT_EQ(server_->readiness(), ReadinessState::kIndexing);
  ASSERT_OK_AND_ASSIGN(
      ReadinessState state,
      server_->WaitUntilReady(CallFor(absl::Milliseconds(20))));
  EXPECT_EQ(state, ReadinessState::kIndexing);
  ASSERT_OK_AND_ASSIGN(state, server_->WaitUntilReady(Call()));
  EXPECT_EQ(state, ReadinessState::kReady);
}

TEST_F(LanguageServerProcessTest, AWaitEndsWhenItsCallerLeaves) {
  Start();
  rpc::CallContext call = Call();
  call.is_cancelled = [] { return true; };
  EXPECT_THAT(server_->WaitUntilReady(call),
              HasReason(rpc::v1::ERROR_REASON_CANCELLED));
}

TEST_F(LanguageServerProcessTest, LogLinesAndServerStatusAreSignalsToo) {
  entry_.mutable_readiness()->set_kind(lsp::v1::READINESS_KIND_LOG_MESSAGE);
  entry_.mutable_readiness()->set_pattern("^Found \\d+");
  script_.Answer("initialized",
                 {fake::Notify("window/logMessage",
                               {{"type", 3}, {"message", "Found 3 files"}})});
  Start();
  ASSERT_OK_AND_ASSIGN(ReadinessState state, server_->WaitUntilReady(Call()));
  EXPECT_EQ(state, ReadinessState::kReady);
}

TEST_F(LanguageServerProcessTest, PullsDiagnosticsWhereTheyAreOffered) {
  script_.Capabilities(
      {{"diagnosticProvider", json::object()}, {"textDocumentSync", 1}});
  script_.Answer("textDocument/diagnostic",
                 {fake::Result({{"kind", "full"},
                                {"items",
                                 {{{"range",
                                    {{"start", {{"line", 1}, {"character", 0}}},
                                     {"end", {{"line", 1}, {"character", 2}}}}},
                                   {"message", "wrong"}}}}})});
  Start();
  ASSERT_OK_AND_ASSIGN(const DocumentPin pin,
                       server_->documents().Sync("/r/a.x", "text", "h"));
  ASSERT_OK_AND_ASSIGN(const auto diagnostics,
                       server_->Diagnostics(pin, Call()));
  ASSERT_THAT(diagnostics, SizeIs(1));
  EXPECT_EQ(diagnostics[0].message, "wrong");
}

TEST_F(LanguageServerProcessTest, WaitsForThePushOfTheRightVersion) {
  const std::string uri = FileUri("/r/a.x");
  const auto push = [&](int version, const char* message) {
    return fake::Notify("textDocument/publishDiagnostics",
                        {{"uri", uri},
                         {"version", version},
                         {"diagnostics",
                          {{{"range",
                             {{"start", {{"line", 0}, {"character", 0}}},
                              {"end", {{"line", 0}, {"character", 1}}}}},
                            {"message", message}}}}});
  };
  script_.Answer("textDocument/didOpen", {push(1, "old")});
  script_.Answer("textDocument/didChange", {fake::Sleep(100), push(2, "new")});
  Start();
  ASSERT_THAT(server_->documents().Sync("/r/a.x", "1", "1"), IsOk());
  ASSERT_OK_AND_ASSIGN(const DocumentPin pin,
                       server_->documents().Sync("/r/a.x", "2", "2"));
  ASSERT_OK_AND_ASSIGN(const auto diagnostics,
                       server_->Diagnostics(pin, Call()));
  ASSERT_THAT(diagnostics, SizeIs(1));
  EXPECT_EQ(diagnostics[0].message, "new");
}

TEST_F(LanguageServerProcessTest, FoldersAreToldOnceAndOnlyWhereTheyMatter) {
  TempWorkspace second;
  script_.Capabilities(
      {{"textDocumentSync", 1},
       {"workspace",
        {{"workspaceFolders",
          {{"supported", true}, {"changeNotifications", true}}}}}});
  Start();
  ASSERT_THAT(server_->AddRoot(second.path()), IsOk());
  ASSERT_THAT(server_->AddRoot(second.path()), IsOk());
  ASSERT_THAT(server_->AddRoot(root_.path()), IsOk());
  ASSERT_THAT(server_->documents().Sync(second.PathOf("b.x"), "", ""), IsOk());
  ASSERT_THAT(server_->RemoveRoot(second.path()), IsOk());
  ASSERT_THAT(server_->RemoveRoot(second.path()), IsOk());
  server_->Stop(absl::Seconds(10));
  const std::vector<json> changes =
      script_.Received("workspace/didChangeWorkspaceFolders");
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0]["params"]["event"]["added"][0]["uri"],
            FileUri(second.path()));
  EXPECT_EQ(changes[1]["params"]["event"]["removed"][0]["uri"],
            FileUri(second.path()));
  EXPECT_THAT(script_.Received("textDocument/didClose"), SizeIs(1));
}

// tsserver is dead, and its parent goes on answering "nothing found".
TEST_F(LanguageServerProcessTest, ALostTsserverIsADeath) {
  entry_.add_quirks(kQuirkTsserverIsVital);
  const std::string pid_file = folder_.PathOf("helper.pid");
  script_.Answer("initialized", {fake::Helper({.pid_file = pid_file})});
  script_.Answer("textDocument/references", {fake::Result(json::array())});
  Start();
  std::atomic<bool> is_dead = false;
  server_->OnDeath([&](const std::string&) { is_dead = true; });
  std::string pid;
  ASSERT_TRUE(Eventually([&] {
    std::ifstream(pid_file) >> pid;
    return !pid.empty();
  }));
  ASSERT_THAT(
      server_->Request("textDocument/references", json::object(), Call()),
      IsOk());
  kill(std::stoi(pid), SIGKILL);
  ASSERT_TRUE(Eventually([&] { return !IsRunning(std::stoi(pid)); }));
  EXPECT_THAT(
      server_->Request("textDocument/references", json::object(), Call()),
      HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_TRUE(Eventually([&] { return is_dead.load(); }));
}

// Each of these ended the whole process when it was copied or written.
TEST_F(LanguageServerProcessTest, SurvivesJsonNestedThreeHundredThousandDeep) {
  const std::string deep =
      std::string(300'000, '[') + std::string(300'000, ']');
  const auto raw = [](const std::string& body) {
    return fake::Raw("Content-Length: " + std::to_string(body.size()) +
                     "\r\n\r\n" + body);
  };
  // `initialize` is the first question, hover the second; an error that cannot
  // be read is asked again, as the third.
  script_.Answer(
      "textDocument/hover",
      {raw(R"({"jsonrpc":"2.0","method":"$/progress","params":{"token":)" +
           deep + R"(,"value":{"kind":"begin"}}})"),
       raw(R"({"jsonrpc":"2.0","method":"textDocument/publishDiagnostics",)"
           R"("params":{"uri":"file:///a","diagnostics":)" +
           deep + "}}"),
       raw(R"({"jsonrpc":"2.0","id":2,"error":{"code":-32803,"message":"m",)"
           R"("data":)" +
           deep + "}}")},
      {.times = 1});
  script_.Answer("textDocument/hover",
                 {raw(R"({"jsonrpc":"2.0","id":3,"result":)" + deep + "}")},
                 {.times = 1});
  script_.Answer("textDocument/hover", {fake::Result({{"contents", "int"}})});
  Start();
  EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              IsOk());
}

// yaml-language-server pushes nothing for a file that is right, and so does a
// server that was stopped with SIGSTOP.
TEST_F(LanguageServerProcessTest, SilenceOfAServerThatHangsIsNoEmptyList) {
  entry_.mutable_readiness()->set_kind(lsp::v1::READINESS_KIND_IMMEDIATE);
  script_.Answer("textDocument/documentSymbol", {fake::Never()}, {.times = 1});
  LaunchRequest request = Launch();
  request.diagnostics_silence = absl::Milliseconds(200);
  ASSERT_THAT(TryStart(std::move(request)), IsOk());
  ASSERT_OK_AND_ASSIGN(const DocumentPin pin,
                       server_->documents().Sync("/r/a.x", "1", "1"));
  EXPECT_THAT(server_->Diagnostics(pin, Call()),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  // The second time it answers.
  ASSERT_OK_AND_ASSIGN(const auto diagnostics,
                       server_->Diagnostics(pin, Call()));
  EXPECT_THAT(diagnostics, IsEmpty());
}

TEST_F(LanguageServerProcessTest, WhatIsPushedDuringTheQuestionCounts) {
  entry_.mutable_readiness()->set_kind(lsp::v1::READINESS_KIND_IMMEDIATE);
  script_.Answer("textDocument/documentSymbol",
                 {fake::Notify("textDocument/publishDiagnostics",
                               {{"uri", FileUri("/r/a.x")},
                                {"version", 1},
                                {"diagnostics",
                                 {{{"range",
                                    {{"start", {{"line", 0}, {"character", 0}}},
                                     {"end", {{"line", 0}, {"character", 1}}}}},
                                   {"message", "late"}}}}}),
                  fake::Result(json::array())});
  LaunchRequest request = Launch();
  request.diagnostics_silence = absl::Milliseconds(100);
  ASSERT_THAT(TryStart(std::move(request)), IsOk());
  ASSERT_OK_AND_ASSIGN(const DocumentPin pin,
                       server_->documents().Sync("/r/a.x", "1", "1"));
  ASSERT_OK_AND_ASSIGN(const auto diagnostics,
                       server_->Diagnostics(pin, Call()));
  ASSERT_THAT(diagnostics, SizeIs(1));
  EXPECT_EQ(diagnostics[0].message, "late");
}

// pyright, started after a kill, may refuse references for all its life.
TEST_F(LanguageServerProcessTest, AProcessThatNeverAnsweredWellIsReplaced) {
  script_.Answer("textDocument/hover", {fake::Error(-32603, "not a function")});
  Start();
  EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_FALSE(server_->is_alive());
  // Where a start was no cure, no other is tried.
  LaunchRequest request = Launch();
  request.follows_a_broken_one = true;
  ASSERT_THAT(TryStart(std::move(request)), IsOk());
  for (int i = 0; i < 4; ++i) {
    EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
                HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  }
}

TEST_F(LanguageServerProcessTest, AnInternalErrorOfAMomentIsAskedAgain) {
  script_.Answer("textDocument/hover", {fake::Error(-32603)}, {.times = 1});
  script_.Answer("textDocument/hover", {fake::Result({{"contents", "int"}})});
  Start();
  EXPECT_THAT(server_->Request("textDocument/hover", json::object(), Call()),
              IsOk());
}

// clangd reads its compile database once, and keeps what it made of it.
TEST_F(LanguageServerProcessTest, IsOutdatedOnceItsCompileDatabaseIsAnother) {
  entry_.add_quirks(kQuirkCompileDatabase);
  root_.Write("a.cc", "");
  Start();
  EXPECT_FALSE(server_->IsOutdated());
  EXPECT_THAT(server_->Caveats(), SizeIs(1));
  const std::string before = server_->fingerprint();
  root_.Write("build/compile_commands.json",
              R"([{"directory": "..", "file": "a.cc", "command": "cc"}])");
  EXPECT_TRUE(server_->IsOutdated());
  EXPECT_THAT(server_->Caveats(), SizeIs(1)) << "it knows nothing of the new";
  Start();
  EXPECT_FALSE(server_->IsOutdated());
  EXPECT_THAT(server_->Caveats(), IsEmpty());
  EXPECT_NE(server_->fingerprint(), before);
}

// A database in which nothing is found is none.
TEST_F(LanguageServerProcessTest, AnEmptyCompileDatabaseIsACaveat) {
  entry_.add_quirks(kQuirkCompileDatabase);
  root_.Write("compile_commands.json", "[");
  Start();
  EXPECT_THAT(server_->Caveats(), SizeIs(1));
}

}  // namespace
}  // namespace banyan::lspd
