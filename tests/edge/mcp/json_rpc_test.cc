// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/json_rpc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

// 0 when the text is taken.
int CodeOf(absl::string_view body, const JsonLimits& limits = {}) {
  const auto parsed = ParseJson(body, limits);
  const auto* error = std::get_if<RpcError>(&parsed);
  return error == nullptr ? 0 : error->code;
}

std::string Nested(int depth) {
  return absl::StrCat(std::string(depth, '['), std::string(depth, ']'));
}

TEST(JsonRpcTest, WhatIsNoJsonIsAParseError) {
  for (const absl::string_view body :
       {"", "{", "nul", "{\"a\":1}}", "{'a':1}", "[1,]", "NaN", "01", "1e999",
        "{\"a\":1} x", "\"unterminated", "// comment\n{}", "\xEF\xBB"}) {
    EXPECT_EQ(CodeOf(body), kParseError) << body;
  }
}

TEST(JsonRpcTest, InvalidUtf8AndLoneSurrogatesAreAParseError) {
  for (const absl::string_view body :
       {"\"\xff\"", "\"\xc3\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"", "\"\\ud800\"", "\"\\udc00\\ud800\""}) {
    EXPECT_EQ(CodeOf(body), kParseError) << body;
  }
  EXPECT_EQ(CodeOf("\"\\ud83d\\ude00\""), 0);
}

TEST(JsonRpcTest, BytesBehindANulAreNotOverlooked) {
  EXPECT_EQ(CodeOf(absl::string_view("{}\0{\"method\":\"x\"}", 17)),
            kParseError);
}

TEST(JsonRpcTest, NestingIsBounded) {
  EXPECT_EQ(CodeOf(Nested(64)), 0);
  EXPECT_EQ(CodeOf(Nested(65)), kInvalidRequest);
  EXPECT_EQ(CodeOf(Nested(1000000)), kInvalidRequest);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_EQ(CodeOf(objects), kInvalidRequest);
}

TEST(JsonRpcTest, TheNumberOfValuesIsBounded) {
  const JsonLimits limits{.max_nodes = 4};
  EXPECT_EQ(CodeOf("[1,2,3]", limits), 0);
  EXPECT_EQ(CodeOf("[1,2,3,4]", limits), kInvalidRequest);
  EXPECT_EQ(CodeOf("{\"a\":{\"b\":{\"c\":{\"d\":1}}}}", limits),
            kInvalidRequest);
}

TEST(JsonRpcTest, AMemberNamedTwiceIsRefused) {
  EXPECT_EQ(CodeOf("{\"method\":\"a\",\"method\":\"b\"}"), kInvalidRequest);
  EXPECT_EQ(CodeOf("{\"p\":{\"n\":1,\"\\u006e\":2}}"), kInvalidRequest);
  EXPECT_EQ(CodeOf("[{\"a\":1},{\"a\":2}]"), 0);
}

TEST(JsonRpcTest, HugeNumbersDoNoHarm) {
  const auto parsed = ParseJson(absl::StrCat("[", std::string(400, '9'), "]"));
  // Past a double's range: no JSON that we can hold.
  EXPECT_TRUE(std::holds_alternative<RpcError>(parsed));
  EXPECT_EQ(CodeOf("[123456789012345678901234567890,1e300,-0]"), 0);
}

int CodeOfMessage(const json& value) {
  const auto message = ToMessage(value);
  const auto* malformed = std::get_if<MalformedMessage>(&message);
  return malformed == nullptr ? 0 : malformed->error.code;
}

TEST(JsonRpcTest, IdsAreStringsOrIntegersAndKeepTheirType) {
  for (const json& id : {json("a"), json(""), json(0), json(-7),
                         json(9007199254740993), json("1")}) {
    const auto read =
        ToMessage({{"jsonrpc", "2.0"}, {"id", id}, {"method", "ping"}});
    ASSERT_TRUE(std::holds_alternative<RpcMessage>(read)) << id;
    EXPECT_EQ(std::get<RpcMessage>(read).id, id);
    EXPECT_EQ(json::parse(ResultText(id, json::object()))["id"], id);
  }
  for (const json& id :
       {json(nullptr), json(1.5), json(true), json::array(), json::object()}) {
    EXPECT_EQ(CodeOfMessage({{"jsonrpc", "2.0"}, {"id", id}, {"method", "m"}}),
              kInvalidRequest)
        << id;
  }
}

TEST(JsonRpcTest, APreparedMemberReadsLikeAnyOther) {
  PreparedResult result{
      .name = "tools",
      .text = std::make_shared<const std::string>(R"([{"name":"a"}])")};
  const json tools = {{{"name", "a"}}};
  EXPECT_EQ(json::parse(PreparedText(7, result)),
            json::parse(ResultText(7, json{{"tools", tools}})));
  result.members["ttlMs"] = 0;
  EXPECT_EQ(json::parse(PreparedText("x", result)),
            json::parse(ResultText("x", json{{"tools", tools}, {"ttlMs", 0}})));
  EXPECT_FALSE(json::parse(PreparedText(nullptr, result)).contains("id"));
}

TEST(JsonRpcTest, WhatIsNoMessageIsRefusedWithItsIdIfReadable) {
  EXPECT_EQ(CodeOfMessage(json("x")), kInvalidRequest);
  EXPECT_EQ(CodeOfMessage(json::object()), kInvalidRequest);
  EXPECT_EQ(CodeOfMessage({{"id", 1}, {"method", "m"}}), kInvalidRequest);
  EXPECT_EQ(CodeOfMessage({{"jsonrpc", "1.0"}, {"id", 1}, {"method", "m"}}),
            kInvalidRequest);
  EXPECT_EQ(CodeOfMessage({{"jsonrpc", 2.0}, {"id", 1}, {"method", "m"}}),
            kInvalidRequest);
  const auto read = ToMessage({{"jsonrpc", "2.0"}, {"id", 5}, {"method", 7}});
  EXPECT_EQ(std::get<MalformedMessage>(read).id, 5);
}

TEST(JsonRpcTest, KindsAreToldApart) {
  const auto kind = [](const json& value) {
    return std::get<RpcMessage>(ToMessage(value)).kind;
  };
  EXPECT_EQ(kind({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "m"}}),
            RpcMessage::Kind::kRequest);
  EXPECT_EQ(kind({{"jsonrpc", "2.0"}, {"method", "m"}}),
            RpcMessage::Kind::kNotification);
  EXPECT_EQ(kind({{"jsonrpc", "2.0"}, {"id", 1}, {"result", nullptr}}),
            RpcMessage::Kind::kResponse);
  EXPECT_EQ(kind({{"jsonrpc", "2.0"}, {"id", 1}, {"error", {{"code", 1}}}}),
            RpcMessage::Kind::kResponse);
}

TEST(JsonRpcTest, MetaOfTheWrongTypeIsNone) {
  RpcMessage message;
  for (const json& params :
       {json(nullptr), json(1), json::array({1}), json({{"_meta", "x"}}),
        json({{"_meta", {1, 2}}})}) {
    message.params = params;
    EXPECT_TRUE(message.Meta().is_null()) << params;
  }
  message.params = {{"_meta", {{"a", 1}}}};
  EXPECT_EQ(message.Meta()["a"], 1);
}

TEST(JsonRpcTest, AnErrorWithoutReadableIdLeavesItOut) {
  EXPECT_EQ(ErrorText(nullptr, {.code = -32700, .message = "m", .data = {}}),
            R"({"error":{"code":-32700,"message":"m"},"jsonrpc":"2.0"})");
  EXPECT_EQ(ErrorText("a", {.code = 1, .message = "m", .data = {{"k", 1}}}),
            R"({"error":{"code":1,"data":{"k":1},"message":"m"},"id":"a",)"
            R"("jsonrpc":"2.0"})");
}

TEST(JsonRpcTest, TextsAreCompactAndNeverThrow) {
  const std::string text = ResultText(1, {{"bad", "\xff"}});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_THAT(text, testing::HasSubstr("\xEF\xBF\xBD"));
}

}  // namespace
}  // namespace banyan::edge
