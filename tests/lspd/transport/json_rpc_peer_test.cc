// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/json_rpc_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lspd/sandbox/guardian.h"
#include "lspd/transport/json_rpc_error.h"
#include "tests/support/fake_server_script.h"
#include "tests/support/processes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Far more than anything here takes: a test that reaches it has hung.
rpc::CallContext Patiently() {
  return {.deadline = absl::Now() + absl::Seconds(60)};
}

rpc::CallContext For(absl::Duration patience) {
  return {.deadline = absl::Now() + patience};
}

json Params(int number) { return {{"number", number}}; }

class JsonRpcPeerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    guardian_ = *Guardian::Start({.program = BANYAN_GUARDIAN});
  }
  static void TearDownTestSuite() { guardian_.reset(); }

  void Start(JsonRpcPeer::Options options = {}) {
    auto child = guardian_->Spawn({.argv = script_.Command()});
    ASSERT_THAT(child, IsOk());
    options.server_name = "fake";
    if (handlers_.on_closed == nullptr) {
      handlers_.on_closed = [this](const absl::Status& reason) {
        std::lock_guard<std::mutex> lock(mutex_);
        close_reasons_.push_back(reason);
        closed_.notify_all();
      };
    }
    peer_ =
        JsonRpcPeer::Start(*std::move(child), std::move(options), handlers_);
  }

  absl::StatusOr<json> Ask(const std::string& method,
                           const json& params = json::object()) {
    return peer_->Request(method, params, Patiently());
  }

  void Initialize() {
    ASSERT_THAT(
        Ask("initialize", {{"capabilities", json::object()}, {"processId", 1}}),
        IsOk());
    ASSERT_THAT(peer_->Notify("initialized", json::object()), IsOk());
  }

  absl::Status AwaitClose() {
    std::unique_lock<std::mutex> lock(mutex_);
    closed_.wait_for(lock, std::chrono::seconds(60),
                     [this] { return !close_reasons_.empty(); });
    return close_reasons_.empty() ? absl::OkStatus() : close_reasons_.front();
  }

  TempWorkspace workspace_;
  FakeServerScript script_{workspace_.PathOf("fake")};
  JsonRpcPeer::Handlers handlers_;
  std::mutex mutex_;
  std::condition_variable closed_;
  std::vector<absl::Status> close_reasons_;
  std::unique_ptr<JsonRpcPeer> peer_;

  static std::unique_ptr<Guardian> guardian_;
};

std::unique_ptr<Guardian> JsonRpcPeerTest::guardian_;

// Conversation.

TEST_F(JsonRpcPeerTest, AnswersReachWhoeverAsked) {
  script_.Answer("echo", {fake::EchoParams()});
  Start();
  std::vector<std::thread> callers;
  std::atomic<int> right = 0;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 50; ++i) {
        const json params = Params(caller * 1000 + i);
        const auto answer = Ask("echo", params);
        if (answer.ok() && *answer == params) ++right;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 400);
  EXPECT_EQ(peer_->in_flight(), 0);
}

TEST_F(JsonRpcPeerTest, RequestsArePipelined) {
  script_.Answer("slow", {fake::Sleep(300), fake::Result("slow")})
      .Answer("fast", {fake::Result("fast")});
  Start();
  auto slow = peer_->Send("slow", json::object());
  auto fast = peer_->Send("fast", json::object());
  EXPECT_EQ(*fast.Await(For(absl::Seconds(30))), "fast");
  EXPECT_EQ(peer_->in_flight(), 1);
  EXPECT_EQ(*slow.Await(Patiently()), "slow");
}

TEST_F(JsonRpcPeerTest, ParamsThatAreNullAreLeftOut) {
  script_.Strict();
  Start();
  Initialize();
  EXPECT_THAT(Ask("shutdown", nullptr), IsOk());
  EXPECT_THAT(peer_->Notify("exit", nullptr), IsOk());
  ASSERT_TRUE(peer_->child().exit().WaitFor(absl::Seconds(30)));
  EXPECT_TRUE(peer_->child().exit().status()->IsSuccess());
  EXPECT_FALSE(script_.Received("shutdown")[0].contains("params"));
  EXPECT_THAT(script_.Violations(), IsEmpty());
}

TEST_F(JsonRpcPeerTest, ClosingTheInputComesAfterWhatIsQueued) {
  Start();
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(peer_->Notify("note", Params(i)), IsOk());
  }
  peer_->CloseInput();
  EXPECT_FALSE(AwaitClose().ok());
  EXPECT_THAT(script_.Received("note"), SizeIs(100));
}

TEST_F(JsonRpcPeerTest, TheTextOfAResultIsHandedOutAsItCame) {
  script_.OnStart({}).Answer("raw", {fake::EchoParams()});
  Start();
  auto call = peer_->Send("raw", {{"b", 1}});
  EXPECT_EQ(*call.AwaitText(Patiently()), R"({"b":1})");
}

TEST_F(JsonRpcPeerTest, TextThatIsNotUtf8ReachesTheServerRepaired) {
  script_.Answer("echo", {fake::EchoParams()});
  Start();
  EXPECT_EQ((*Ask("echo", {{"text", "caf\xE9"}}))["text"], "caf\xEF\xBF\xBD");
}

// Errors of the server.

TEST_F(JsonRpcPeerTest, AnErrorKeepsItsCodeTextAndData) {
  script_.Answer("fail", {fake::Error(-32803, "no identifier here",
                                      {{"retriggerRequest", false}})});
  Start();
  const auto answer = Ask("fail");
  EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("fake answered fail with error -32803: no identifier"));
  const auto error = JsonRpcErrorOf(answer.status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, kRequestFailed);
  EXPECT_EQ(error->data["retriggerRequest"], false);
}

TEST_F(JsonRpcPeerTest, ContentModifiedIsToldApartAndThenTheResultComes) {
  script_.Answer("hover", {fake::Error(-32801)}, {.times = 2})
      .Answer("hover", {fake::Result("text")});
  Start();
  for (int i = 0; i < 2; ++i) {
    const auto answer = Ask("hover");
    EXPECT_TRUE(IsContentModified(answer.status()));
    EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  }
  EXPECT_EQ(*Ask("hover"), "text");
}

TEST_F(JsonRpcPeerTest, ResultAndErrorInOneIsAnError) {
  script_.Answer("both", {fake::ResultAndError("x")});
  Start();
  EXPECT_EQ(JsonRpcErrorOf(Ask("both").status())->message, "both");
}

TEST_F(JsonRpcPeerTest, AnAnswerWithNeitherResultNorErrorIsAnError) {
  script_.Answer("neither", {fake::Raw("Content-Length: 24\r\n\r\n"
                                       R"({"jsonrpc":"2.0","id":1})")});
  Start();
  EXPECT_EQ(JsonRpcErrorOf(Ask("neither").status())->code, kInternalError);
}

TEST_F(JsonRpcPeerTest, AnErrorOfAnOddShapeIsStillAnError) {
  for (const char* error : {R"("text")", R"({"code":"x","message":7})", "[]"}) {
    const std::string body =
        absl::StrCat(R"({"jsonrpc":"2.0","id":1,"error":)", error, "}");
    script_ = FakeServerScript(workspace_.PathOf("fake"));
    script_.Answer("odd",
                   {fake::Raw(absl::StrCat("Content-Length: ", body.size(),
                                           "\r\n\r\n", body))});
    peer_.reset();
    Start();
    EXPECT_THAT(Ask("odd"), HasReason(rpc::v1::ERROR_REASON_UNSUPPORTED));
  }
}

TEST_F(JsonRpcPeerTest, DuplicateAndUnknownAnswersAreDroppedAndCounted) {
  script_.Answer(
      "twice", {fake::ResultTwice("x"), fake::AnswerTo(987654, "nobody asked"),
                fake::AnswerTo("text id", "nobody asked"),
                fake::AnswerTo(nullptr, "nobody asked")});
  Start();
  EXPECT_EQ(*Ask("twice"), "x");
  EXPECT_THAT(Ask("next"), IsOk());
  EXPECT_EQ(peer_->statistics().unknown_answers, 4);
}

// Requests and notifications of the server.

TEST_F(JsonRpcPeerTest, ServerRequestsAreAnsweredWithTheIdAsItCame) {
  handlers_.on_request = [](const std::string& method,
                            const json& params) -> absl::StatusOr<json> {
    return json{{"method", method}, {"params", params}};
  };
  script_.Strict().Answer(
      "initialized",
      {fake::Request("a string", "m1", Params(1)),
       fake::Request(-7, "m2", Params(2)),
       fake::Request(9007199254740993, "m3", nullptr),
       fake::Request("7", "m4", json::array()), fake::AwaitAnswer("a string"),
       fake::AwaitAnswer(-7), fake::AwaitAnswer(9007199254740993),
       fake::AwaitAnswer("7"), fake::Notify("done", json::object())});
  std::atomic<bool> done = false;
  handlers_.on_notification = [&](const std::string&, const json&) {
    done = true;
  };
  Start();
  Initialize();
  EXPECT_TRUE(Eventually([&] { return done.load(); }));
  EXPECT_THAT(script_.Violations(), IsEmpty());
}

TEST_F(JsonRpcPeerTest, UnknownServerRequestsAreMethodNotFoundAtOnce) {
  script_.Answer("ask", {fake::Request(1, "custom/thing", Params(1)),
                         fake::AwaitAnswer(1), fake::Result("answered")});
  Start();
  EXPECT_EQ(*Ask("ask"), "answered");
  const auto received = script_.Received();
  EXPECT_EQ(received.back()["error"]["code"], kMethodNotFound);
}

TEST_F(JsonRpcPeerTest, AHandlersErrorReachesTheServer) {
  handlers_.on_request = [](const std::string&,
                            const json&) -> absl::StatusOr<json> {
    return absl::InvalidArgumentError("no such token");
  };
  script_.Answer("ask", {fake::Request(1, "m", nullptr), fake::AwaitAnswer(1),
                         fake::Result(nullptr)});
  Start();
  EXPECT_THAT(Ask("ask"), IsOk());
  EXPECT_EQ(script_.Received().back()["error"]["code"], kInvalidParams);
  EXPECT_EQ(script_.Received().back()["error"]["message"], "no such token");
}

TEST_F(JsonRpcPeerTest, AFloodOfNotificationsComesInOrderBeforeTheAnswer) {
  std::atomic<int> heard = 0;
  handlers_.on_notification = [&](const std::string&, const json&) { ++heard; };
  script_.Answer("flood", {fake::Flood("textDocument/publishDiagnostics",
                                       Params(1), 20'000),
                           fake::Result("end")});
  Start();
  EXPECT_EQ(*Ask("flood"), "end");
  EXPECT_EQ(heard, 20'000);
}

TEST_F(JsonRpcPeerTest, MessagesBeforeTheInitializeAnswerAreHeard) {
  std::vector<std::string> heard;
  handlers_.on_notification = [&](const std::string& method, const json&) {
    heard.push_back(method);
  };
  script_.OnStart({fake::Notify("window/logMessage", json::object()),
                   fake::Notify("window/showMessage", json::object())});
  Start();
  Initialize();
  EXPECT_THAT(heard, ElementsAre("window/logMessage", "window/showMessage"));
}

// Giving up.

TEST_F(JsonRpcPeerTest, AnAnswerThatNeverComesIsADeadlineAndACancel) {
  script_.Answer("never", {fake::Never()});
  Start();
  const auto answer =
      peer_->Request("never", nullptr, For(absl::Milliseconds(50)));
  EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  EXPECT_THAT(Ask("next"), IsOk());
  const auto cancels = script_.Received("$/cancelRequest");
  ASSERT_THAT(cancels, SizeIs(1));
  EXPECT_EQ(cancels[0]["params"]["id"], script_.Received("never")[0]["id"]);
  EXPECT_EQ(peer_->in_flight(), 1) << "the id is kept until its answer";
}

TEST_F(JsonRpcPeerTest, AnAnswerAfterTheCancelIsLateNotUnknown) {
  script_.Answer("late", {fake::AwaitCancel(), fake::Error(-32800)});
  Start();
  EXPECT_THAT(peer_->Request("late", nullptr, For(absl::Milliseconds(20))),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  EXPECT_TRUE(Eventually([&] { return peer_->in_flight() == 0; }));
  EXPECT_EQ(peer_->statistics().late_answers, 1);
  EXPECT_EQ(peer_->statistics().unknown_answers, 0);
}

TEST_F(JsonRpcPeerTest, ACallerWhoCancelsIsFreeWithinAMoment) {
  script_.Answer("never", {fake::Never()});
  Start();
  std::atomic<bool> cancelled = false;
  rpc::CallContext context = Patiently();
  context.is_cancelled = [&] { return cancelled.load(); };
  std::thread caller([&] {
    EXPECT_THAT(peer_->Request("never", nullptr, context),
                HasReason(rpc::v1::ERROR_REASON_CANCELLED));
  });
  EXPECT_TRUE(Eventually([&] { return peer_->in_flight() == 1; }));
  const absl::Time before = absl::Now();
  cancelled = true;
  caller.join();
  EXPECT_LT(absl::Now() - before, absl::Seconds(1));
  EXPECT_TRUE(Eventually(
      [&] { return script_.Received("$/cancelRequest").size() == 1; }));
}

TEST_F(JsonRpcPeerTest, ACallThatNobodyAwaitsIsCancelled) {
  script_.Answer("never", {fake::Never()});
  Start();
  peer_->Send("never", nullptr);
  EXPECT_THAT(Ask("next"), IsOk());
  EXPECT_THAT(script_.Received("$/cancelRequest"), SizeIs(1));
}

TEST_F(JsonRpcPeerTest, ACallMayOutliveItsPeer) {
  script_.Answer("never", {fake::Never()});
  Start();
  auto awaited = peer_->Send("never", nullptr);
  auto dropped = peer_->Send("never", nullptr);
  peer_.reset();
  EXPECT_THAT(awaited.Await(Patiently()),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
}

// The end of the server.

TEST_F(JsonRpcPeerTest, EveryEndOfTheProcessFailsWhatWaitsAtOnce) {
  const struct {
    fake::Json how;
    std::string told;
  } kEnds[] = {{fake::Exit(0), "exited with code 0"},
               {fake::Exit(1), "exited with code 1"},
               {fake::Signal(SIGSEGV), "was killed by signal 11"},
               {fake::Signal(SIGKILL), "was killed by signal 9"}};
  int number = 0;
  for (const auto& end : kEnds) {
    script_ =
        FakeServerScript(workspace_.PathOf(absl::StrCat("end", number++)));
    script_.Answer("never", {fake::Never()}).Answer("die", {end.how});
    peer_.reset();
    Start();
    auto waiting = peer_->Send("never", nullptr);
    const absl::Time before = absl::Now();
    const auto dying = Ask("die");
    EXPECT_THAT(dying, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
    EXPECT_THAT(std::string(dying.status().message()),
                HasSubstr(absl::StrCat("fake ", end.told)));
    EXPECT_THAT(waiting.Await(Patiently()),
                HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
    EXPECT_LT(absl::Now() - before, absl::Seconds(2));
    EXPECT_FALSE(peer_->IsOpen());
    EXPECT_THAT(Ask("later"), HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
    EXPECT_THAT(peer_->Notify("later", nullptr),
                HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  }
}

TEST_F(JsonRpcPeerTest, WhatWasWrittenBeforeTheEndStillCounts) {
  script_.Answer("last", {fake::Result("word"), fake::Exit(1)});
  Start();
  EXPECT_EQ(*Ask("last"), "word");
}

TEST_F(JsonRpcPeerTest, WritingToAServerThatDiesDoesNotHideHowItEnded) {
  for (int round = 0; round < 5; ++round) {
    script_ = FakeServerScript(workspace_.PathOf(absl::StrCat("d", round)));
    script_.Answer("die", {fake::Exit(3)});
    peer_.reset();
    Start();
    auto dying = peer_->Send("die", nullptr);
    while (peer_->Notify("note", Params(1)).ok()) {
    }
    EXPECT_THAT(std::string(dying.Await(Patiently()).status().message()),
                HasSubstr("exited with code 3"));
  }
}

TEST_F(JsonRpcPeerTest, OutputThatClosesWhileTheProcessStaysIsAnEnd) {
  script_.Answer("close", {fake::CloseStdout()});
  Start();
  const auto answer = Ask("close");
  EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("closed its output"));
  EXPECT_TRUE(peer_->child().IsRunning());
}

TEST_F(JsonRpcPeerTest, AGrandchildThatHoldsTheOutputDoesNotHideTheEnd) {
  script_.Answer("die",
                 {fake::Helper({.new_session = true,
                                .holds_stdout = true,
                                .pid_file = workspace_.PathOf("helper")}),
                  fake::Exit(1)});
  Start();
  EXPECT_THAT(Ask("die"), HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  const pid_t helper = PidFrom(workspace_.PathOf("helper"));
  EXPECT_TRUE(Eventually([&] { return IsGone(helper); }));
}

TEST_F(JsonRpcPeerTest, WhatIsAskedAfterTheCloseDoesNotReachTheServer) {
  Start();
  EXPECT_THAT(Ask("before"), IsOk());
  peer_->Close("was closed by a test");
  EXPECT_THAT(Ask("after"), HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  peer_->CloseInput();
  ASSERT_TRUE(peer_->child().exit().WaitFor(absl::Seconds(60)));
  EXPECT_THAT(script_.Received("before"), SizeIs(1));
  EXPECT_THAT(script_.Received("after"), IsEmpty());
}

TEST_F(JsonRpcPeerTest, TheCloseIsToldOnceWithItsReason) {
  script_.Answer("die", {fake::Exit(3)});
  Start();
  EXPECT_THAT(Ask("die"), HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_THAT(std::string(AwaitClose().message()),
              HasSubstr("exited with code 3"));
  peer_->Close("again");
  peer_.reset();
  EXPECT_THAT(close_reasons_, SizeIs(1));
}

TEST_F(JsonRpcPeerTest, DestroyingThePeerKillsTheServer) {
  Start();
  EXPECT_THAT(Ask("hello"), IsOk());
  const pid_t pid = peer_->child().pid();
  peer_.reset();
  EXPECT_TRUE(Eventually([&] { return IsGone(pid); }));
}

// A server that does not read, or writes nonsense.

TEST_F(JsonRpcPeerTest, AServerThatStopsReadingBlocksNobodyAndIsGivenUp) {
  script_.Answer("stop", {fake::StopReading(), fake::Result("stopped")});
  Start({.write_stall_limit = absl::Seconds(1)});
  EXPECT_EQ(*Ask("stop"), "stopped");
  const absl::Time before = absl::Now();
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(peer_->Notify("note", std::string(100'000, 'x')), IsOk());
  }
  EXPECT_LT(absl::Now() - before, absl::Milliseconds(900)) << "Notify blocks";
  const auto answer = Ask("hover");
  EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("has not read its input"));
}

TEST_F(JsonRpcPeerTest, AQueueThatGrowsTooLargeGivesTheServerUp) {
  script_.Answer("stop", {fake::StopReading(), fake::Result("stopped")});
  Start({.max_queued_bytes = 1 << 20});
  EXPECT_EQ(*Ask("stop"), "stopped");
  for (int i = 0; i < 20; ++i) {
    peer_->Notify("note", std::string(100'000, 'x')).IgnoreError();
  }
  EXPECT_THAT(std::string(AwaitClose().message()),
              HasSubstr("reads too slowly"));
}

TEST_F(JsonRpcPeerTest, AMessageLargerThanThePipeReachesAServerThatReads) {
  script_.Answer("echo", {fake::EchoParams()});
  Start();
  const json params = {{"text", std::string(3 << 20, 'x')}};
  EXPECT_TRUE(*Ask("echo", params) == params);
}

TEST_F(JsonRpcPeerTest, EveryHarmlessFormOfFramingIsUnderstood) {
  for (const char* form :
       {"lower_case", "content_type", "bare_lf", "split", "coalesced"}) {
    script_ = FakeServerScript(workspace_.PathOf(form));
    script_.Answer("ask",
                   {fake::Framing(form), fake::Notify("note", json::object()),
                    fake::Result(form), fake::Framing("plain")});
    peer_.reset();
    Start();
    EXPECT_EQ(*Ask("ask"), form);
  }
}

TEST_F(JsonRpcPeerTest, GarbageBeforeAHeaderIsSkippedAndCounted) {
  script_.OnStart({fake::Raw("Picked up JAVA_TOOL_OPTIONS\n")})
      .Answer("ask", {fake::Raw("loading..."), fake::Result(1)});
  Start();
  EXPECT_EQ(*Ask("ask"), 1);
  EXPECT_TRUE(
      Eventually([&] { return peer_->statistics().skipped_bytes == 38; }));
}

TEST_F(JsonRpcPeerTest, AMessageWithoutALengthIsSkippedTheNextIsHeard) {
  script_.Answer(
      "ask", {fake::Framing("no_length"), fake::Notify("lost", json::object()),
              fake::Framing("plain"), fake::Result("heard")});
  Start();
  EXPECT_EQ(*Ask("ask"), "heard");
}

TEST_F(JsonRpcPeerTest, AWrongLengthIsTheEndWithAReason) {
  for (const char* form : {"too_long", "too_short"}) {
    script_ = FakeServerScript(workspace_.PathOf(form));
    script_.Answer("ask", {fake::Framing(form), fake::Result("text"),
                           fake::Notify("next", json::object())});
    peer_.reset();
    Start();
    const auto answer = Ask("ask");
    EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN)) << form;
    EXPECT_THAT(std::string(answer.status().message()),
                HasSubstr("no JSON object"));
  }
}

TEST_F(JsonRpcPeerTest, ABodyOverTheLimitIsTheEndWithAReason) {
  script_.Answer("big", {fake::BigResult(2 << 20)});
  Start({.limits = {.body_bytes = 1 << 20}});
  const auto answer = Ask("big");
  EXPECT_THAT(answer, HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("1048576 are allowed"));
}

TEST_F(JsonRpcPeerTest, AResultOfTenMegabytesArrivesWhole) {
  script_.Answer("big", {fake::BigResult(10 << 20)});
  Start();
  const auto answer = Ask("big");
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->get_ref<const std::string&>().size(), 10u << 20);
}

TEST_F(JsonRpcPeerTest, AFloodOnStandardErrorDoesNotStopTheAnswer) {
  script_.Answer("ask", {fake::Stderr(std::string(1000, 'e') + "\n", 5000),
                         fake::Result("answered")});
  Start();
  EXPECT_EQ(*Ask("ask"), "answered");
  EXPECT_TRUE(
      Eventually([&] { return !peer_->child().RecentErrors().empty(); }));
}

TEST_F(JsonRpcPeerTest, TheStrictServerFindsNothingToComplainAbout) {
  script_.Strict().Answer(
      "initialized",
      {fake::Request("t1", "window/workDoneProgress/create", Params(1))});
  Start();
  Initialize();
  EXPECT_THAT(Ask("textDocument/hover",
                  {{"textDocument", {{"uri", "file:///a"}}},
                   {"position", {{"line", 0}, {"character", 0}}}}),
              IsOk());
  EXPECT_THAT(Ask("shutdown", nullptr), IsOk());
  EXPECT_THAT(peer_->Notify("exit", nullptr), IsOk());
  EXPECT_FALSE(AwaitClose().ok());
  EXPECT_THAT(script_.Violations(), IsEmpty());
}

}  // namespace
}  // namespace banyan::lspd
