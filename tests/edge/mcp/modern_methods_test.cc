// SPDX-License-Identifier: Apache-2.0
//
// Questions that end a request, through the whole of the modern era.
#include "edge/mcp/modern_methods.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "edge/mcp/conformance_fixtures.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/recording_sink.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr char kCapabilities[] = "io.modelcontextprotocol/clientCapabilities";

class ModernMethodsTest : public testing::Test {
 protected:
  ModernMethodsTest()
      : keys_(sessions_),
        tools_(*ToolRegistry::Create(ConformanceTools(subscriptions_))),
        features_(ToolCalls(tools_, keys_, {}), resources_, prompts_),
        methods_(features_, subscriptions_, keys_, {}) {
    principal_.set_issuer("i");
    principal_.set_subject("s");
    principal_.add_scopes("code:read");
  }

  MethodOutcome Call(const std::string& tool, json more = json::object()) {
    RpcMessage message;
    message.id = 1;
    message.method = "tools/call";
    message.params = std::move(more);
    message.params["name"] = "test_input_required_result_" + tool;
    message.params["_meta"][kCapabilities] = capabilities_;
    ToolCall call{.arguments = {}, .caller = {}, .context = {}};
    call.caller.principal = principal_;
    return methods_.Serve(message, std::move(call), sink_).outcome;
  }

  json Result(const std::string& tool, json more = json::object()) {
    const MethodOutcome outcome = Call(tool, std::move(more));
    const auto* result = std::get_if<json>(&outcome);
    EXPECT_NE(result, nullptr);
    return result == nullptr ? json::object() : *result;
  }

  int Code(const std::string& tool, json more = json::object()) {
    const MethodOutcome outcome = Call(tool, std::move(more));
    const auto* error = std::get_if<RpcError>(&outcome);
    return error == nullptr ? 0 : error->code;
  }

  static json Accept(const std::string& field, const std::string& value) {
    return {{"action", "accept"}, {"content", {{field, value}}}};
  }

  FakeSessionClient sessions_;
  EdgeKeys keys_;
  const std::unique_ptr<EventRing> ring_ = NewMemoryEventRing();
  StandingStreams standing_{*ring_};
  Subscriptions subscriptions_{standing_, {}};
  ToolRegistry tools_;
  Resources resources_{{}};
  Prompts prompts_{{}};
  FeatureMethods features_;
  ModernMethods methods_;
  session::v1::Principal principal_;
  json capabilities_ = {{"elicitation", json::object()},
                        {"sampling", json::object()},
                        {"roots", json::object()}};
  const std::shared_ptr<RecordingSink> sink_ =
      std::make_shared<RecordingSink>();
};

TEST_F(ModernMethodsTest, AQuestionEndsTheRequestAndItsAnswerGoesOn) {
  const json asked = Result("elicitation");
  EXPECT_EQ(asked["resultType"], "input_required");
  EXPECT_EQ(asked["inputRequests"]["user_name"]["method"],
            "elicitation/create");
  EXPECT_FALSE(asked.contains("ttlMs"));
  const json done =
      Result("elicitation",
             {{"requestState", asked["requestState"]},
              {"inputResponses", {{"user_name", Accept("name", "Ana")}}}});
  EXPECT_EQ(done["resultType"], "complete");
  EXPECT_THAT(done["content"][0]["text"].get<std::string>(), HasSubstr("Ana"));
}

TEST_F(ModernMethodsTest, LaterRoundsRememberEarlierAnswers) {
  const json first = Result("multi_round");
  const json second = Result(
      "multi_round", {{"requestState", first["requestState"]},
                      {"inputResponses", {{"step1", Accept("name", "one")}}}});
  EXPECT_TRUE(second["inputRequests"].contains("step2"));
  EXPECT_FALSE(second["inputRequests"].contains("step1"));
  EXPECT_NE(second["requestState"], first["requestState"]);
  const json done = Result(
      "multi_round", {{"requestState", second["requestState"]},
                      {"inputResponses", {{"step2", Accept("color", "two")}}}});
  EXPECT_EQ(done["resultType"], "complete");
}

TEST_F(ModernMethodsTest, MissingOrMisshapenAnswersAreAskedForAgain) {
  for (const json& answers :
       {json::object(), json{{"other", Accept("name", "x")}},
        json{{"user_name", 3}}, json{{"user_name", nullptr}},
        json{{"user_name", {{"action", "maybe"}}}},
        json{{"user_name", {{"action", "accept"}}}}}) {
    EXPECT_EQ(
        Result("elicitation", {{"inputResponses", answers}})["resultType"],
        "input_required")
        << answers;
  }
  EXPECT_EQ(Code("elicitation", {{"inputResponses", 3}}), kInvalidParams);
}

TEST_F(ModernMethodsTest, AStateThatIsNotOursIsAnError) {
  std::string state = Result("tampered_state")["requestState"];
  EXPECT_EQ(Code("tampered_state", {{"requestState", state + "x"}}),
            kInvalidParams);
  EXPECT_EQ(Code("tampered_state", {{"requestState", 7}}), kInvalidParams);
  principal_.set_subject("another");
  EXPECT_EQ(Code("tampered_state", {{"requestState", state}}), kInvalidParams);
}

TEST_F(ModernMethodsTest, WhatTheClientCannotAnswerIsNamed) {
  capabilities_ = json::object();
  const MethodOutcome outcome = Call("sampling");
  const auto* error = std::get_if<RpcError>(&outcome);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->code, kMissingClientCapability);
  EXPECT_EQ(error->data["requiredCapabilities"],
            (json{{"sampling", json::object()}}));
  capabilities_ = {{"sampling", json::object()}};
  const json asked = Result("capabilities");
  EXPECT_EQ(asked["inputRequests"].size(), 1U);
  EXPECT_TRUE(asked["inputRequests"].contains("model_says"));
}

TEST_F(ModernMethodsTest, ListsNeverAsk) {
  RpcMessage message;
  message.method = "tools/list";
  message.params = {{"requestState", "nonsense"},
                    {"_meta", {{kCapabilities, json::object()}}}};
  const MethodOutcome outcome =
      methods_
          .Serve(message, {.arguments = {}, .caller = {}, .context = {}}, sink_)
          .outcome;
  const auto* prepared = std::get_if<PreparedResult>(&outcome);
  ASSERT_NE(prepared, nullptr);
  const json answer = json::parse(PreparedText(1, *prepared));
  EXPECT_EQ(answer["result"]["resultType"], "complete");
  EXPECT_TRUE(answer["result"].contains("ttlMs"));
}

}  // namespace
}  // namespace banyan::edge
