// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/json_envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace banyan::lspd {
namespace {

TEST(JsonEnvelopeTest, TheMembersOfEachKindOfMessageAreFound) {
  const auto answer = ScanEnvelope(
      R"( {"jsonrpc" : "2.0", "id": 7, "result": [1, {"a":"]"}]} )");
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->IsResponse());
  EXPECT_EQ(answer->IntegerId(), 7);
  EXPECT_EQ(answer->result, R"([1, {"a":"]"}])");

  const auto request =
      ScanEnvelope(R"({"id":"x","method":"a\/b","params":{}})");
  EXPECT_TRUE(request->IsRequest());
  EXPECT_EQ(request->id, "\"x\"");
  EXPECT_EQ(request->IntegerId(), std::nullopt);
  EXPECT_EQ(request->MethodName(), "a/b");
  EXPECT_EQ(request->params, "{}");

  EXPECT_TRUE(ScanEnvelope(R"({"method":"m"})")->IsNotification());
  EXPECT_EQ(ScanEnvelope(R"({"id":1,"error":null})")->error, "null");
}

TEST(JsonEnvelopeTest, NamesInsideValuesAreNotMembers) {
  const auto envelope = ScanEnvelope(
      R"({"params":{"id":1,"method":"inner"},"x":"\"id\":2","id":3})");
  EXPECT_EQ(envelope->id, "3");
  EXPECT_TRUE(envelope->method.empty());
}

TEST(JsonEnvelopeTest, EscapedQuotesAndBackslashesDoNotEndAString) {
  const auto envelope =
      ScanEnvelope(R"({"id":1,"result":"a\\\"}b\\","error":null})");
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->result, R"("a\\\"}b\\")");
}

TEST(JsonEnvelopeTest, WhatIsNoObjectIsNothing) {
  for (const char* text :
       {"", " ", "null", "[]", "[{\"id\":1}]", "{", "{\"id\"}", "{\"id\":}",
        "{\"id\":1", "{\"id\":1,}", "{\"id\":1}x", "{\"id\":\"open}", "{1:2}",
        "{\"a\":[1}", "{\"a\":\"\\\"}", "\xFF\xFE"}) {
    EXPECT_FALSE(ScanEnvelope(text).has_value()) << text;
  }
}

TEST(JsonEnvelopeTest, DeepNestingNeedsNoStack) {
  const std::string deep = std::string(5'000'000, '[') + "]";
  EXPECT_FALSE(ScanEnvelope("{\"result\":" + deep + "}").has_value());
}

TEST(ParseLenientTest, BytesThatAreNotUtf8AreReplaced) {
  const auto json = ParseLenient("{\"text\":\"caf\xE9 \xF0\x9F\"}");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["text"], "caf\xEF\xBF\xBD \xEF\xBF\xBD");
}

// Copying or writing such a value ended the process.
TEST(ParseLenientTest, NestingThreeHundredThousandDeepIsRefused) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_FALSE(ParseLenient(nested(300'000)).has_value());
  EXPECT_FALSE(ParseLenient(nested(kDeepestJson + 1)).has_value());
  EXPECT_TRUE(ParseLenient(nested(kDeepestJson)).has_value());
  EXPECT_FALSE(ParseLenient(std::string(300'000, '[')).has_value());
  EXPECT_FALSE(ParseLenient("{\"a\\\"\":" + nested(300'000) + "}").has_value());
  // Brackets of a text are none.
  EXPECT_TRUE(ParseLenient("\"\\\"" + nested(300'000) + "\"").has_value());
}

TEST(ParseLenientTest, BrokenJsonIsNothingAndAnAbsentMemberIsNull) {
  EXPECT_FALSE(ParseLenient("{\"a\":").has_value());
  EXPECT_TRUE(ParseLenient("").value().is_null());
}

}  // namespace
}  // namespace banyan::lspd
