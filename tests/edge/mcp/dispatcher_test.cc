// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "edge/tools/all_tools.h"
#include "proto/rpc/event_log.h"
#include "tests/support/fake_lsp_client.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/recording_sink.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class NoEvents final : public EventSink {
 public:
  bool Open() override { return false; }
  bool OpenToStay() override { return false; }
  bool Send(absl::string_view, absl::string_view) override { return false; }
  bool Prime(absl::string_view, absl::Duration) override { return false; }
  void Close(absl::string_view) override {}
  void OnEnd(std::function<void()>) override {}
};

class DispatcherTest : public testing::Test {
 protected:
  DispatcherTest()
      : keys_(sessions_),
        tools_(*ToolRegistry::Create(AllTools({sessions_, lsp_}, "1.2.3"))),
        dispatcher_({.sessions = sessions_,
                     .tools = tools_,
                     .resources = resources_,
                     .prompts = prompts_,
                     .keys = keys_,
                     .ring = *ring_,
                     .standing = standing_,
                     .subscriptions = subscriptions_},
                    {.identity = {.name = "banyan", .version = "1.2.3"}}) {}

  McpResponse Send(McpRequest request) {
    return dispatcher_.Handle(request, std::make_shared<NoEvents>());
  }

  static McpRequest Request(const std::string& method,
                            const std::string& body = "") {
    McpRequest request;
    request.method = method;
    request.body = body;
    request.headers = {{"content-type", "application/json"}};
    request.principal.set_issuer("local");
    request.principal.set_subject("1000");
    request.principal.add_scopes("code:read");
    return request;
  }

  static json Message(const std::string& method, const json& params,
                      const json& id = 1) {
    json message = {{"jsonrpc", "2.0"}, {"method", method}};
    if (!params.is_null()) message["params"] = params;
    if (!id.is_null()) message["id"] = id;
    return message;
  }

  McpResponse Legacy(const std::string& session, const json& message) {
    McpRequest request = Request("POST", message.dump());
    request.headers.emplace_back("mcp-session-id", session);
    return Send(std::move(request));
  }

  static McpRequest ModernRequest(const std::string& method, json params) {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json::object();
    McpRequest request = Request("POST", Message(method, params, "m-1").dump());
    request.headers.emplace_back("mcp-protocol-version", "2026-07-28");
    request.headers.emplace_back("mcp-method", method);
    if (params.contains("name")) {
      request.headers.emplace_back("mcp-name", params["name"]);
    }
    return request;
  }
  McpResponse Modern(const std::string& method, json params) {
    return Send(ModernRequest(method, std::move(params)));
  }

  McpResponse Initialize(const std::string& version) {
    return Send(Request(
        "POST", Message("initialize",
                        {{"protocolVersion", version},
                         {"capabilities", {{"roots", json::object()}}},
                         {"clientInfo", {{"name", "c"}, {"version", "9"}}}})
                    .dump()));
  }

  static std::string HeaderOf(const McpResponse& response,
                              const std::string& name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }
  static json ResultOf(const McpResponse& response) {
    const json body = json::parse(response.body, nullptr, false);
    EXPECT_TRUE(body.contains("result")) << response.body;
    return body.value("result", json());
  }
  static int CodeOf(const McpResponse& response) {
    const json body = json::parse(response.body, nullptr, false);
    return body.contains("error") ? body["error"]["code"].get<int>() : 0;
  }

  FakeSessionClient sessions_;
  FakeLspClient lsp_;
  EdgeKeys keys_;
  ToolRegistry tools_;
  Resources resources_{{}};
  Prompts prompts_{{}};
  const std::unique_ptr<EventRing> ring_ = NewMemoryEventRing();
  StandingStreams standing_{*ring_};
  Subscriptions subscriptions_{standing_, {}};
  Dispatcher dispatcher_;
};

TEST_F(DispatcherTest, InitializeIsDurableBeforeItIsAnswered) {
  McpRequest request = Request(
      "POST",
      Message("initialize", {{"protocolVersion", "2025-11-25"},
                             {"capabilities", {{"roots", {{"x", 1}}}}},
                             {"clientInfo", {{"name", "c"}, {"version", "9"}}}})
          .dump());
  request.default_project = "frontend";
  request.default_access = "read-only";
  const McpResponse response = Send(std::move(request));
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(sessions_.Calls(),
              testing::ElementsAre("GenerateSession", "CreateSession"));
  EXPECT_EQ(HeaderOf(response, "Mcp-Session-Id"),
            sessions_.last_create.session_id());
  EXPECT_EQ(sessions_.last_create.client_name(), "c");
  EXPECT_EQ(sessions_.last_create.client_capabilities_json(),
            R"({"roots":{"x":1}})");
  EXPECT_EQ(sessions_.last_create.default_project(), "frontend");
  EXPECT_EQ(sessions_.last_create.default_access(),
            session::v1::ACCESS_READ_ONLY);
  const json result = ResultOf(response);
  EXPECT_EQ(result["capabilities"], json({{"tools", json::object()},
                                          {"prompts", json::object()},
                                          {"resources", json::object()},
                                          {"completions", json::object()},
                                          {"logging", json::object()}}));
  EXPECT_EQ(result["serverInfo"],
            json({{"name", "banyan"}, {"version", "1.2.3"}}));
  EXPECT_FALSE(result.contains("resultType"));
}

// Field report 18.
TEST_F(DispatcherTest, VersionsAreNegotiatedAndNeverEchoedUnseen) {
  for (const auto& [asked, answered] :
       std::vector<std::pair<std::string, std::string>>{
           {"2025-11-25", "2025-11-25"},
           {"2025-06-18", "2025-06-18"},
           {"2025-03-26", "2025-03-26"},
           {"2024-11-05", "2025-11-25"},
           {"2099-01-01", "2025-11-25"},
           {"2026-07-28", "2025-11-25"},
           {"latest", "2025-11-25"}}) {
    EXPECT_EQ(ResultOf(Initialize(asked))["protocolVersion"], answered)
        << asked;
    EXPECT_EQ(sessions_.last_create.protocol_version(), answered);
  }
}

TEST_F(DispatcherTest, InitializeWithUnusableParamsOpensNothing) {
  for (const json& params :
       {json(nullptr), json::array({1}), json::object(),
        json({{"protocolVersion", 3}}), json({{"protocolVersion", ""}})}) {
    const McpResponse response =
        Send(Request("POST", Message("initialize", params).dump()));
    EXPECT_EQ(CodeOf(response), -32602) << params;
  }
  EXPECT_TRUE(sessions_.Calls().empty());
}

TEST_F(DispatcherTest, ClientsThatNameThemselvesOddlyAreServed) {
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "é";
  for (const json& info : {json(nullptr), json("x"), json({{"name", 7}}),
                           json({{"name", wide}})}) {
    const McpResponse response = Send(Request(
        "POST", Message("initialize", {{"protocolVersion", "2025-11-25"},
                                       {"capabilities", "none"},
                                       {"clientInfo", info}})
                    .dump()));
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_LE(sessions_.last_create.client_name().size(), 200);
    EXPECT_EQ(sessions_.last_create.client_capabilities_json(), "{}");
  }
}

TEST_F(DispatcherTest, ATerminationBetweenTheTwoHalvesWins) {
  sessions_.failures["CreateSession"] =
      rpc::Error(rpc::v1::ERROR_REASON_SESSION_GONE, "terminated");
  const McpResponse response = Initialize("2025-11-25");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(HeaderOf(response, "Mcp-Session-Id"), "");
}

// Field report 8.
TEST_F(DispatcherTest, RequestsThatOvertakeInitializedAreServed) {
  const std::string session =
      HeaderOf(Initialize("2025-11-25"), "Mcp-Session-Id");
  std::vector<std::thread> threads;
  std::vector<int> statuses(64);
  for (size_t i = 0; i < statuses.size(); ++i) {
    threads.emplace_back([&, i] {
      const json message =
          i % 2 == 0 ? Message("tools/list", json::object())
                     : Message("notifications/initialized", nullptr, nullptr);
      statuses[i] = Legacy(session, message).status;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < statuses.size(); ++i) {
    EXPECT_EQ(statuses[i], i % 2 == 0 ? 200 : 202);
  }
}

// Field report 1.
TEST_F(DispatcherTest, AnUnknownSessionIs404OnEveryMethod) {
  const McpResponse post = Legacy("gone", Message("ping", nullptr));
  EXPECT_EQ(post.status, 404);
  EXPECT_EQ(json::parse(post.body)["id"], 1);
  for (const char* method : {"GET", "DELETE"}) {
    McpRequest request = Request(method);
    request.headers.emplace_back("mcp-session-id", "gone");
    EXPECT_EQ(Send(std::move(request)).status, 404) << method;
  }
  sessions_.failures["ValidateSession"] =
      rpc::Error(rpc::v1::ERROR_REASON_ID_MALFORMED, "no id of ours");
  EXPECT_EQ(Legacy("../../etc/passwd", Message("ping", nullptr)).status, 404);
}

TEST_F(DispatcherTest, UnreachableIs503WithARetryAndNever404) {
  const std::string session = sessions_.AddSession("2025-11-25");
  for (const auto reason : {rpc::v1::ERROR_REASON_STORE_UNREACHABLE,
                            rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE,
                            rpc::v1::ERROR_REASON_DEADLINE}) {
    sessions_.failures["ValidateSession"] = rpc::Error(reason, "x");
    sessions_.failures["GenerateSession"] = rpc::Error(reason, "x");
    for (const McpResponse& response :
         {Legacy(session, Message("tools/list", json::object())),
          Initialize("2025-11-25")}) {
      EXPECT_EQ(response.status, 503);
      const int seconds = std::stoi(HeaderOf(response, "Retry-After"));
      EXPECT_GE(seconds, 1);
      EXPECT_LE(seconds, 10);
    }
  }
}

TEST_F(DispatcherTest, TooManySessionsAre429) {
  sessions_.failures["GenerateSession"] =
      rpc::Error(rpc::v1::ERROR_REASON_SESSION_LIMIT, "no place");
  const McpResponse response = Initialize("2025-11-25");
  EXPECT_EQ(response.status, 429);
  EXPECT_NE(HeaderOf(response, "Retry-After"), "");
}

TEST_F(DispatcherTest, DeleteEndsTheSession) {
  const std::string session = sessions_.AddSession("2025-11-25");
  McpRequest request = Request("DELETE");
  request.headers.emplace_back("mcp-session-id", session);
  EXPECT_EQ(Send(request).status, 200);
  EXPECT_EQ(Send(request).status, 404);
  EXPECT_EQ(Legacy(session, Message("ping", nullptr)).status, 404);
}

// Field report 6.
TEST_F(DispatcherTest, AGetWithoutASessionIsToldThatNoStreamIsOffered) {
  const McpResponse response = Send(Request("GET"));
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(HeaderOf(response, "Allow"), "POST, DELETE");
  EXPECT_FALSE(response.stays_open);
}

TEST_F(DispatcherTest, AGetOpensTheSessionsStreamUntilItEnds) {
  const std::string session = sessions_.AddSession("2025-06-18");
  McpRequest request = Request("GET");
  request.headers.emplace_back("mcp-session-id", session);
  const auto sink = std::make_shared<RecordingSink>();
  EXPECT_TRUE(dispatcher_.Handle(request, sink).stays_open);
  EXPECT_THAT(sink->Take(), ElementsAre("stay"));
  request.method = "DELETE";
  EXPECT_EQ(Send(request).status, 200);
  EXPECT_THAT(sink->Take(), ElementsAre("close"));
}

TEST_F(DispatcherTest, AListenStreamStaysOpenAndEndsByItsResponse) {
  const auto sink = std::make_shared<RecordingSink>();
  const McpResponse response =
      dispatcher_.Handle(ModernRequest("subscriptions/listen",
                                       {{"notifications", json::object()}}),
                         sink);
  EXPECT_TRUE(response.stays_open);
  EXPECT_THAT(sink->Take(),
              ElementsAre("stay", HasSubstr("subscriptions/acknowledged")));
  dispatcher_.Drain();
  EXPECT_THAT(sink->Take(),
              ElementsAre(HasSubstr("\"resultType\":\"complete\"")));
  EXPECT_EQ(Modern("subscriptions/listen", json::object()).status, 503);
}

TEST_F(DispatcherTest, AnUnknownResourceIsNamedAsItsEraDoes) {
  const std::string session = sessions_.AddSession("2025-11-25");
  const json params = {{"uri", "banyan://nowhere"}};
  EXPECT_EQ(CodeOf(Legacy(session, Message("resources/read", params))), -32002);
  McpRequest request = ModernRequest("resources/read", params);
  request.headers.emplace_back("mcp-name", "banyan://nowhere");
  const McpResponse response = Send(request);
  EXPECT_EQ(CodeOf(response), -32602);
  EXPECT_EQ(json::parse(response.body)["error"]["data"]["uri"],
            "banyan://nowhere");
}

TEST_F(DispatcherTest, ALogLevelIsKeptInTheSession) {
  const std::string session = sessions_.AddSession("2025-11-25");
  EXPECT_EQ(
      CodeOf(Legacy(session, Message("logging/setLevel", {{"level", "loud"}}))),
      -32602);
  EXPECT_EQ(ResultOf(Legacy(session,
                            Message("logging/setLevel", {{"level", "error"}}))),
            json::object());
  EXPECT_EQ(sessions_.last_update.log_level(), "error");
}

TEST_F(DispatcherTest, SubscriptionsAreKeptInTheSession) {
  const std::string session = sessions_.AddSession("2025-11-25");
  ResultOf(Legacy(session, Message("resources/subscribe", {{"uri", "u:1"}})));
  EXPECT_THAT(sessions_.last_update.add_subscriptions(), ElementsAre("u:1"));
  ResultOf(Legacy(session, Message("resources/unsubscribe", {{"uri", "u:1"}})));
  EXPECT_THAT(sessions_.last_update.remove_subscriptions(), ElementsAre("u:1"));
}

TEST_F(DispatcherTest, WhatTheModernEraRemovedIs404) {
  for (const char* method : {"ping", "logging/setLevel", "resources/subscribe",
                             "resources/unsubscribe", "initialize"}) {
    const McpResponse response = Modern(method, json::object());
    EXPECT_EQ(response.status, 404) << method;
    EXPECT_EQ(CodeOf(response), -32601) << method;
  }
}

// Field report 19.
TEST_F(DispatcherTest, NotificationsAndAnswersAre202AndNotOneByte) {
  const std::string session = sessions_.AddSession("2025-11-25");
  for (const json& message :
       {Message("notifications/initialized", nullptr, nullptr),
        Message("notifications/no/such", {{"x", 1}}, nullptr),
        json({{"jsonrpc", "2.0"}, {"id", 4}, {"result", json::object()}})}) {
    const McpResponse response = Legacy(session, message);
    EXPECT_EQ(response.status, 202);
    EXPECT_EQ(response.body, "");
  }
}

// Field report 20.
TEST_F(DispatcherTest, AnyAcceptIsServed) {
  const std::string session = sessions_.AddSession("2025-11-25");
  for (const char* accept :
       {"application/json", "text/event-stream", "*/*", "",
        "text/event-stream, application/json", "image/png"}) {
    McpRequest request = Request("POST", Message("ping", nullptr).dump());
    request.headers.emplace_back("mcp-session-id", session);
    request.headers.emplace_back("accept", accept);
    const McpResponse response = Send(std::move(request));
    EXPECT_EQ(response.status, 200) << accept;
    EXPECT_EQ(HeaderOf(response, "Content-Type"), "application/json");
  }
}

TEST_F(DispatcherTest, LegacyMethodsThatAreNotDeclaredAreUnknownWith200) {
  const std::string session = sessions_.AddSession("2025-11-25");
  for (const char* method : {"server/discover", "subscriptions/listen",
                             "tasks/get", "no/such", ""}) {
    const McpResponse response = Legacy(session, Message(method, nullptr));
    EXPECT_EQ(response.status, 200) << method;
    EXPECT_EQ(CodeOf(response), -32601) << method;
  }
}

TEST_F(DispatcherTest, ParamsOfTheWrongTypeAreInvalid) {
  const std::string session = sessions_.AddSession("2025-11-25");
  for (const json& params : {json(1), json("x"), json::array({1})}) {
    EXPECT_EQ(CodeOf(Legacy(session, Message("tools/call", params))), -32602);
  }
  for (const json& params :
       {json::object(), json({{"name", 7}}), json({{"name", nullptr}})}) {
    EXPECT_EQ(CodeOf(Legacy(session, Message("tools/call", params))), -32602);
  }
}

TEST_F(DispatcherTest, TheToolListIsTheSameEveryTimeInBothEras) {
  const std::string session = sessions_.AddSession("2025-11-25");
  const std::string list =
      ResultOf(Legacy(session, Message("tools/list", json::object())))["tools"]
          .dump();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ResultOf(Modern("tools/list", json::object()))["tools"].dump(),
              list);
  }
  const json tools = json::parse(list);
  EXPECT_EQ(tools[0]["name"], "list_projects");
  EXPECT_EQ(tools[0]["annotations"], json({{"title", "List projects"},
                                           {"readOnlyHint", true},
                                           {"openWorldHint", false}}));
}

TEST_F(DispatcherTest, TheOldestRevisionIsSpannedNoNewerShapes) {
  const std::string session = sessions_.AddSession("2025-03-26");
  const json tool =
      ResultOf(Legacy(session, Message("tools/list", nullptr)))["tools"][0];
  EXPECT_FALSE(tool.contains("outputSchema"));
  EXPECT_FALSE(tool.contains("title"));
}

TEST_F(DispatcherTest, ACursorThatWeNeverGaveIsInvalid) {
  const std::string session = sessions_.AddSession("2025-11-25");
  EXPECT_EQ(CodeOf(Legacy(session, Message("tools/list", {{"cursor", "x"}}))),
            -32602);
  EXPECT_EQ(CodeOf(Legacy(session, Message("tools/list", {{"cursor", 3}}))),
            -32602);
}

TEST_F(DispatcherTest, WithoutAScopeNoToolIsListed) {
  McpRequest request = ModernRequest("tools/list", json::object());
  request.principal.clear_scopes();
  EXPECT_EQ(ResultOf(Send(request))["tools"], json::array());
}

TEST_F(DispatcherTest, ModernListsSayHowLongTheyMayBeKept) {
  for (const char* method : {"tools/list", "server/discover"}) {
    const json result = ResultOf(Modern(method, json::object()));
    EXPECT_EQ(result["resultType"], "complete");
    EXPECT_GE(result["ttlMs"].get<int>(), 0);
    EXPECT_EQ(result["cacheScope"], "private");
    EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
              "banyan");
  }
}

TEST_F(DispatcherTest, DiscoverNamesModernVersionsAndWhatIsServed) {
  const json result = ResultOf(Modern("server/discover", json::object()));
  EXPECT_EQ(result["supportedVersions"], json({"2026-07-28"}));
  EXPECT_EQ(result["capabilities"], json({{"tools", json::object()},
                                          {"prompts", json::object()},
                                          {"resources", json::object()},
                                          {"completions", json::object()}}));
  EXPECT_FALSE(result.contains("serverInfo"));
}

TEST_F(DispatcherTest, AToolCallAnswersTheSameInBothEras) {
  const std::string session = sessions_.AddSession("2025-11-25");
  json legacy = ResultOf(
      Legacy(session, Message("tools/call", {{"name", "list_projects"}})));
  json modern = ResultOf(Modern("tools/call", {{"name", "list_projects"}}));
  EXPECT_EQ(legacy["structuredContent"], modern["structuredContent"]);
  EXPECT_EQ(legacy["content"], modern["content"]);
  EXPECT_FALSE(legacy.contains("resultType"));
  EXPECT_FALSE(legacy.contains("isError"));
  EXPECT_EQ(modern["resultType"], "complete");
  for (const json& result : {legacy, modern}) {
    EXPECT_GE(result["_meta"]["elapsed_ms"].get<int64_t>(), 0);
    EXPECT_GT(result["_meta"]["estimated_tokens"].get<int64_t>(), 10);
  }
  EXPECT_TRUE(modern["_meta"].contains("io.modelcontextprotocol/serverInfo"));
}

TEST_F(DispatcherTest, AnUnknownToolIsAnErrorAndItsNameIsEscaped) {
  const std::string session = sessions_.AddSession("2025-11-25");
  const McpResponse response =
      Legacy(session, Message("tools/call", {{"name", "no\n\u202Etool"}}));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(CodeOf(response), -32602);
  EXPECT_THAT(json::parse(response.body)["error"]["message"],
              testing::Not(HasSubstr("\n")));
}

TEST_F(DispatcherTest, BadArgumentsAreAResultThatTheModelReads) {
  const std::string session = sessions_.AddSession("2025-11-25");
  for (const json& arguments : {json(nullptr), json("x"), json::array(),
                                json({{"relative_path", 7}}), json::object()}) {
    const McpResponse response = Legacy(
        session, Message("tools/call",
                         {{"name", "read_file"}, {"arguments", arguments}}));
    EXPECT_EQ(response.status, 200);
    const json result = ResultOf(response);
    EXPECT_EQ(result["isError"], true) << arguments;
    EXPECT_EQ(result["structuredContent"]["error"]["reason"],
              "ARGUMENT_INVALID");
    EXPECT_TRUE(result["_meta"].contains("elapsed_ms"));
  }
}

TEST_F(DispatcherTest, OnceTheToolIsKnownEveryReasonGoesItsWay) {
  const std::string session = sessions_.AddSession("2025-11-25");
  const json call = Message(
      "tools/call",
      {{"name", "find_symbol"}, {"arguments", {{"name_path_pattern", "f"}}}});
  const auto* descriptor = rpc::v1::ErrorReason_descriptor();
  for (int i = 0; i < descriptor->value_count(); ++i) {
    const auto reason =
        static_cast<rpc::ErrorReason>(descriptor->value(i)->number());
    if (reason == rpc::v1::ERROR_REASON_UNSPECIFIED) continue;
    sessions_.failures["Authorize"] = rpc::Error(reason, "the next step");
    const McpResponse response = Legacy(session, call);
    const std::string name = rpc::ReasonName(reason);
    switch (reason) {
      case rpc::v1::ERROR_REASON_SESSION_GONE:
        EXPECT_EQ(response.status, 404);
        break;
      case rpc::v1::ERROR_REASON_SCOPE_MISSING:
        EXPECT_EQ(response.status, 403);
        EXPECT_THAT(HeaderOf(response, "WWW-Authenticate"),
                    HasSubstr("insufficient_scope"));
        break;
      case rpc::v1::ERROR_REASON_INTERNAL:
        EXPECT_EQ(CodeOf(response), -32603);
        EXPECT_THAT(response.body, testing::Not(HasSubstr("the next step")));
        break;
      default:
        EXPECT_EQ(response.status, 200) << name;
        EXPECT_EQ(ResultOf(response)["isError"], true) << name;
        EXPECT_EQ(ResultOf(response)["structuredContent"]["error"]["reason"],
                  name);
    }
  }
}

TEST_F(DispatcherTest, OurFaultsAreLoggedWithTheTraceAndNotShown) {
  const std::string session = sessions_.AddSession("2025-11-25");
  sessions_.failures["ListProjects"] = absl::InternalError("row 7 is bad");
  std::vector<rpc::LogEntry> lines;
  rpc::SetLogObserver(
      [&](const rpc::LogEntry& entry) { lines.push_back(entry); });
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const McpResponse response = Legacy(
      session,
      Message("tools/call",
              {{"name", "list_projects"},
               {"_meta",
                {{"traceparent",
                  absl::StrCat("00-", trace, "-00f067aa0ba902b7-01")}}}}));
  rpc::SetLogObserver(nullptr);
  EXPECT_EQ(CodeOf(response), -32603);
  EXPECT_THAT(response.body, testing::Not(HasSubstr("row 7")));
  EXPECT_THAT(response.body, HasSubstr(trace));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back().event, "internal_error");
  EXPECT_THAT(lines.back().message, HasSubstr("row 7 is bad"));
  EXPECT_EQ(lines.back().fields[0].second, trace);
}

// It opened a session in which no call could succeed.
TEST_F(DispatcherTest, AnAddressOfNoProjectIsRefusedAtInitialize) {
  sessions_.failures["CreateSession"] =
      rpc::Error(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN,
                 "no project is named nope; there are: web");
  const McpResponse response = Initialize("2025-11-25");
  EXPECT_EQ(CodeOf(response), -32602);
  EXPECT_THAT(response.body, HasSubstr("there are: web"));
  EXPECT_EQ(HeaderOf(response, "Mcp-Session-Id"), "");
}

TEST_F(DispatcherTest, WhatCameOfACallIsLogged) {
  const std::string session = sessions_.AddSession("2025-11-25");
  std::vector<rpc::LogEntry> lines;
  rpc::SetLogObserver(
      [&](const rpc::LogEntry& entry) { lines.push_back(entry); });
  const json call = Message("tools/call", {{"name", "list_projects"}});
  Legacy(session, call);
  EXPECT_EQ(lines.back().event, "tool_answered");
  EXPECT_THAT(lines.back().message,
              HasSubstr("Tool answered: list_projects (OK, "));
  sessions_.failures["ListProjects"] =
      rpc::Error(rpc::v1::ERROR_REASON_STORE_UNREACHABLE, "x");
  Legacy(session, call);
  rpc::SetLogObserver(nullptr);
  EXPECT_THAT(lines.back().message, HasSubstr("(STORE_UNREACHABLE, "));
}

TEST_F(DispatcherTest, TheTraceOfTheBodyGoesBeforeThatOfHttp) {
  const std::string body_trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const std::string http_trace = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  json params = {{"name", "list_projects"}};
  McpRequest request = ModernRequest("tools/call", params);
  request.traceparent = absl::StrCat("00-", http_trace, "-00f067aa0ba902b7-01");
  Send(request);
  EXPECT_EQ(sessions_.last_context.trace.TraceId(), http_trace);
  params["_meta"]["traceparent"] =
      absl::StrCat("00-", body_trace, "-00f067aa0ba902b7-01");
  McpRequest both = ModernRequest("tools/call", params);
  both.traceparent = request.traceparent;
  Send(both);
  EXPECT_EQ(sessions_.last_context.trace.TraceId(), body_trace);
}

// Field report 24.
TEST_F(DispatcherTest, OnlyAModernDisconnectionCancels) {
  McpRequest modern = ModernRequest("tools/call", {{"name", "list_projects"}});
  modern.is_peer_gone = [] { return true; };
  Send(modern);
  EXPECT_TRUE(sessions_.last_context.is_cancelled());

  McpRequest legacy = Request(
      "POST", Message("tools/call", {{"name", "list_projects"}}).dump());
  legacy.headers.emplace_back("mcp-session-id",
                              sessions_.AddSession("2025-11-25"));
  legacy.is_peer_gone = [] { return true; };
  Send(legacy);
  EXPECT_FALSE(sessions_.last_context.is_cancelled());
}

TEST_F(DispatcherTest, AListShowsWhatTheScopesAllow) {
  const auto count_for = [&](const char* scope) {
    McpRequest request = ModernRequest("tools/list", json::object());
    request.principal.clear_scopes();
    request.principal.add_scopes(scope);
    return ResultOf(Send(request))["tools"].size();
  };
  EXPECT_EQ(count_for("code:write"), tools_.entries().size());
  EXPECT_LT(count_for("code:read"), count_for("code:write"));
  EXPECT_GT(count_for("code:read"), 0u);
  EXPECT_EQ(count_for("admin"), 0u);
}

TEST_F(DispatcherTest, WhatIsWithdrawnIsCancelledInEitherEra) {
  const std::string session = sessions_.AddSession("2025-03-26");
  const json call = Message("tools/call", {{"name", "list_projects"}});
  for (const std::string& body : {call.dump(), json::array({call}).dump()}) {
    McpRequest legacy = Request("POST", body);
    legacy.headers.emplace_back("mcp-session-id", session);
    legacy.is_withdrawn = [] { return true; };
    Send(legacy);
    EXPECT_TRUE(sessions_.last_context.is_cancelled()) << body;
  }
}

TEST_F(DispatcherTest, ACallerWithTooManyStreamsIsToldSo) {
  McpRequest get = Request("GET");
  get.headers.emplace_back("mcp-session-id",
                           sessions_.AddSession("2025-06-18"));
  McpRequest listen = ModernRequest("subscriptions/listen",
                                    {{"notifications", json::object()}});
  for (McpRequest* request : {&get, &listen}) {
    request->may_stay = [] { return false; };
    const McpResponse response = Send(*request);
    EXPECT_EQ(response.status, 429) << request->method;
    EXPECT_NE(HeaderOf(response, "Retry-After"), "");
  }
}

// Field report 24.
TEST_F(DispatcherTest, ALegacyCallIsCancelledByItsOwnSessionOnly) {
  const std::string mine = sessions_.AddSession("2025-11-25");
  const std::string other = sessions_.AddSession("2025-11-25");
  const json cancel = Message("notifications/cancelled", {{"requestId", 1}},
                              /*id=*/nullptr);
  bool after_other = true;
  bool after_mine = false;
  sessions_.during_list_projects = [&](const rpc::CallContext& call) {
    EXPECT_EQ(Legacy(other, cancel).status, 202);
    after_other = call.is_cancelled();
    EXPECT_EQ(Legacy(mine, cancel).status, 202);
    after_mine = call.is_cancelled();
  };
  Legacy(mine, Message("tools/call", {{"name", "list_projects"}}, 1));
  EXPECT_FALSE(after_other);
  EXPECT_TRUE(after_mine);
}

TEST_F(DispatcherTest, AClientThatAskedHearsWhatItsCallWaitsFor) {
  json params = {{"name", "list_projects"}};
  const auto sink = std::make_shared<RecordingSink>();
  bool is_listened_to = true;
  sessions_.during_list_projects = [&](const rpc::CallContext& call) {
    is_listened_to = call.on_progress != nullptr;
    if (is_listened_to) call.on_progress("clangd: indexing");
  };
  dispatcher_.Handle(ModernRequest("tools/call", params), sink);
  EXPECT_FALSE(is_listened_to);
  EXPECT_THAT(sink->Take(), testing::IsEmpty());

  params["_meta"]["progressToken"] = "p";
  dispatcher_.Handle(ModernRequest("tools/call", params), sink);
  EXPECT_TRUE(is_listened_to);
  EXPECT_THAT(sink->Take(), testing::Contains(HasSubstr("clangd: indexing")));
}

TEST_F(DispatcherTest, AToolCallHasFiftySeconds) {
  const absl::Time before = absl::Now();
  Modern("tools/call", {{"name", "list_projects"}});
  EXPECT_GE(sessions_.last_context.deadline, before + absl::Seconds(50));
  EXPECT_LE(sessions_.last_context.deadline, absl::Now() + absl::Seconds(50));
}

TEST_F(DispatcherTest, TheCallerIsWhoeverWasAuthenticated) {
  const std::string session = sessions_.AddSession("2025-11-25");
  Legacy(session,
         Message("tools/call", {{"name", "find_symbol"},
                                {"arguments", {{"name_path_pattern", "f"}}}}));
  EXPECT_EQ(sessions_.last_authorize.principal().subject(), "1000");
  EXPECT_EQ(sessions_.last_authorize.session_id(), session);

  json params = {{"name", "find_symbol"},
                 {"arguments", {{"name_path_pattern", "f"}}}};
  McpRequest request = ModernRequest("tools/call", params);
  request.default_project = "frontend";
  request.headers.emplace_back("mcp-session-id", session);
  Send(request);
  EXPECT_EQ(sessions_.last_authorize.session_id(), "");
  EXPECT_EQ(sessions_.last_authorize.default_project(), "frontend");
}

TEST_F(DispatcherTest, BatchesAreServedForTheRevisionThatHadThem) {
  const std::string session = sessions_.AddSession("2025-03-26");
  const json batch = {
      Message("ping", nullptr, 1),
      Message("notifications/initialized", nullptr, nullptr),
      Message("no/such", nullptr, "b"), json(7),
      Message("initialize", {{"protocolVersion", "2025-03-26"}}, 4)};
  const McpResponse response = Legacy(session, batch);
  ASSERT_EQ(response.status, 200);
  const json answers = json::parse(response.body);
  ASSERT_EQ(answers.size(), 4);
  EXPECT_EQ(answers[0]["id"], 1);
  EXPECT_EQ(answers[0]["result"], json::object());
  EXPECT_EQ(answers[1]["error"]["code"], -32601);
  EXPECT_EQ(answers[2]["error"]["code"], -32600);
  EXPECT_FALSE(answers[2].contains("id"));
  EXPECT_EQ(answers[3]["error"]["code"], -32600);

  const McpResponse silent =
      Legacy(session, {Message("notifications/initialized", nullptr, nullptr)});
  EXPECT_EQ(silent.status, 202);
  EXPECT_EQ(silent.body, "");
}

// A hundred calls of 50 s each kept one worker for an hour.
TEST_F(DispatcherTest, TheCallsOfABatchShareOneDeadline) {
  const std::string session = sessions_.AddSession("2025-03-26");
  std::vector<absl::Time> deadlines;
  sessions_.during_list_projects = [&](const rpc::CallContext& call) {
    deadlines.push_back(call.deadline);
  };
  const json call = Message("tools/call", {{"name", "list_projects"}});
  Legacy(session, json::array({call, call, call}));
  ASSERT_EQ(deadlines.size(), 3);
  EXPECT_EQ(deadlines[0], deadlines[1]);
  EXPECT_EQ(deadlines[0], deadlines[2]);
  EXPECT_LE(deadlines[0], absl::Now() + absl::Seconds(50));
}

TEST_F(DispatcherTest, BatchesAreRefusedForLaterRevisions) {
  for (const char* version : {"2025-06-18", "2025-11-25"}) {
    const McpResponse response = Legacy(
        sessions_.AddSession(version), json::array({Message("ping", nullptr)}));
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(CodeOf(response), -32600);
  }
}

}  // namespace
}  // namespace banyan::edge
