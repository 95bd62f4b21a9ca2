// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/era.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr char kModern[] = "2026-07-28";

EraRules Rules() {
  return {.is_modern_method =
              [](absl::string_view method) {
                return method == "tools/call" || method == "tools/list" ||
                       method == "server/discover";
              },
          .mirrored_arguments =
              [](absl::string_view tool) {
                std::vector<MirroredArgument> mirrored;
                if (tool == "find_symbol") {
                  mirrored.push_back({"Workspace", {"workspace"}});
                }
                if (tool == "typed") {
                  mirrored.push_back({"Count", {"range", "count"}});
                  mirrored.push_back({"Whole", {"whole"}});
                }
                return mirrored;
              }};
}

McpRequest Post(const std::string& body, const Headers& headers) {
  McpRequest request;
  request.method = "POST";
  request.headers = {{"content-type", "application/json"}};
  request.headers.insert(request.headers.end(), headers.begin(), headers.end());
  request.body = body;
  return request;
}

// The outcome in one line: "400/-32020 id=7", "modern", "202", "initialize",
// "legacy s1", "batch s1".
std::string Outcome(const McpRequest& request) {
  const Classification outcome = Classify(request, Rules());
  if (const auto* rejected = std::get_if<Rejected>(&outcome)) {
    return absl::StrCat(rejected->status, "/", rejected->error.code,
                        rejected->id.is_null()
                            ? std::string()
                            : absl::StrCat(" id=", rejected->id.dump()));
  }
  if (std::holds_alternative<ModernRequest>(outcome)) return "modern";
  if (std::holds_alternative<StrayNotification>(outcome)) return "202";
  if (std::holds_alternative<LegacyInitialize>(outcome)) return "initialize";
  if (const auto* legacy = std::get_if<LegacyMessages>(&outcome)) {
    return absl::StrCat(legacy->is_batch ? "batch " : "legacy ",
                        legacy->session_id);
  }
  if (const auto* stream = std::get_if<LegacyStream>(&outcome)) {
    return absl::StrCat("stream ", stream->session_id);
  }
  return absl::StrCat("end ", std::get<LegacyEnd>(outcome).session_id);
}

json Meta(const json& version = kModern,
          const json& capabilities = json::object()) {
  return {{"io.modelcontextprotocol/protocolVersion", version},
          {"io.modelcontextprotocol/clientCapabilities", capabilities}};
}

std::string Body(const std::string& method, json params, const json& id = 7) {
  json body = {{"jsonrpc", "2.0"}, {"method", method}, {"params", params}};
  if (!id.is_null()) body["id"] = id;
  return body.dump();
}

std::string ModernBody(const std::string& method, json params = json::object(),
                       const json& meta = Meta(), const json& id = 7) {
  params["_meta"] = meta;
  return Body(method, std::move(params), id);
}

Headers ModernHeaders(const std::string& method, Headers more = {}) {
  Headers headers = {{"mcp-protocol-version", kModern}, {"mcp-method", method}};
  headers.insert(headers.end(), more.begin(), more.end());
  return headers;
}

std::string Base64Value(const std::string& text) {
  return absl::StrCat("=?base64?", absl::Base64Escape(text), "?=");
}

json CallParams(const std::string& tool, const json& arguments) {
  return {{"name", tool}, {"arguments", arguments}};
}

struct Rung {
  std::string name;
  std::string expected;
  std::string body;
  Headers headers;
};

void ExpectAll(const std::vector<Rung>& rungs) {
  for (const Rung& rung : rungs) {
    EXPECT_EQ(Outcome(Post(rung.body, rung.headers)), rung.expected)
        << rung.name;
  }
}

TEST(EraTest, Rung1OtherMethodsAreLegacy) {
  McpRequest request;
  request.method = "GET";
  EXPECT_EQ(Outcome(request), "stream ");
  request.headers = {{"mcp-session-id", "s1"}};
  EXPECT_EQ(Outcome(request), "stream s1");
  request.method = "DELETE";
  EXPECT_EQ(Outcome(request), "end s1");
  request.headers.clear();
  EXPECT_EQ(Outcome(request), "400/-32600");
}

TEST(EraTest, Rung2ContentTypeAndJson) {
  McpRequest request = Post(Body("ping", json::object()), {});
  for (const char* type : {"text/plain", "", "application/jsonx",
                           "application/x-www-form-urlencoded"}) {
    request.headers = {{"content-type", type}};
    EXPECT_EQ(Outcome(request), "415/-32600") << type;
  }
  request.headers.clear();
  EXPECT_EQ(Outcome(request), "415/-32600");
  request.headers = {{"content-type", "Application/JSON; charset=utf-8"},
                     {"mcp-session-id", "s1"}};
  EXPECT_EQ(Outcome(request), "legacy s1");
  ExpectAll(
      {{"no JSON", "400/-32700", "{", {}},
       {"a scalar", "400/-32600", "7", {}},
       {"empty object", "400/-32600", "{}", {}},
       {"id that is none",
        "400/-32600",
        R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
        {}},
       {"readable id", "400/-32600 id=3", R"({"id":3,"method":"ping"})", {}}});
}

TEST(EraTest, Rung3Batches) {
  const Headers session = {{"mcp-session-id", "s1"}};
  const std::string ping = Body("ping", json::object());
  const std::string modern = ModernBody("tools/list");
  std::string many = "[" + ping;
  for (int i = 0; i < 100; ++i) many += "," + ping;
  ExpectAll({
      {"legacy", "batch s1", "[" + ping + "," + ping + "]", session},
      {"no session", "400/-32600", "[" + ping + "]", {}},
      {"empty", "400/-32600", "[]", session},
      {"one modern", "400/-32600", "[" + ping + "," + modern + "]", session},
      {"only modern", "400/-32600", "[" + modern + "]",
       ModernHeaders("tools/list")},
      {"101", "400/-32600", many + "]", session},
      {"scalars are read later", "batch s1", "[1,2]", session},
  });
}

TEST(EraTest, Rung4AnswersNeedASession) {
  const std::string answer = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  ExpectAll({{"with", "legacy s1", answer, {{"mcp-session-id", "s1"}}},
             {"without", "400/-32600 id=1", answer, {}}});
}

TEST(EraTest, Rung5TheModernKeyInItsOrder) {
  const std::string list = ModernBody("tools/list");
  ExpectAll({
      {"good", "modern", list, ModernHeaders("tools/list")},
      {"a: version no string",
       "400/-32602 id=7",
       ModernBody("tools/list", {}, Meta(7)),
       {}},
      {"a: version null",
       "400/-32602 id=7",
       ModernBody("tools/list", {}, Meta(nullptr)),
       {}},
      {"a: no capabilities", "400/-32602 id=7",
       ModernBody("tools/list", {},
                  {{"io.modelcontextprotocol/protocolVersion", kModern}}),
       ModernHeaders("tools/list")},
      {"a: capabilities no object", "400/-32602 id=7",
       ModernBody("tools/list", {}, Meta(kModern, json::array())),
       ModernHeaders("tools/list")},
      {"b: header missing",
       "400/-32020 id=7",
       list,
       {{"mcp-method", "tools/list"}}},
      {"b: header differs",
       "400/-32020 id=7",
       list,
       {{"mcp-method", "tools/list"}, {"mcp-protocol-version", "2025-11-25"}}},
      {"b: header twice", "400/-32020 id=7", list,
       ModernHeaders("tools/list", {{"mcp-protocol-version", "2025-11-25"}})},
      {"b before c", "400/-32020 id=7",
       ModernBody("tools/list", {}, Meta("2027-03-01")),
       ModernHeaders("tools/list")},
      {"c: version not served",
       "400/-32022 id=7",
       ModernBody("tools/list", {}, Meta("2027-03-01")),
       {{"mcp-protocol-version", "2027-03-01"}}},
      {"c: an enveloped old version",
       "400/-32022 id=7",
       ModernBody("tools/list", {}, Meta("2025-11-25")),
       {{"mcp-protocol-version", "2025-11-25"}}},
      {"d: method missing",
       "400/-32020 id=7",
       list,
       {{"mcp-protocol-version", kModern}}},
      {"d: method differs", "400/-32020 id=7", list,
       ModernHeaders("tools/call")},
      {"d: case matters in values", "400/-32020 id=7", list,
       ModernHeaders("Tools/List")},
      {"f: unknown method", "404/-32601 id=7", ModernBody("no/such"),
       ModernHeaders("no/such")},
      {"f: initialize", "404/-32601 id=7", ModernBody("initialize"),
       ModernHeaders("initialize")},
      {"f: ping", "404/-32601 id=7", ModernBody("ping"), ModernHeaders("ping")},
      {"g: a session id is ignored", "modern", list,
       ModernHeaders("tools/list", {{"mcp-session-id", "s1"}})},
      {"notification",
       "202",
       ModernBody("notifications/cancelled", {}, Meta(), nullptr),
       {}},
      {"string id",
       "400/-32020 id=\"x\"",
       ModernBody("tools/list", {}, Meta(), "x"),
       {}},
  });
}

TEST(EraTest, Rung5eNamesAreDecodedAndCompared) {
  const std::string method = "tools/call";
  const std::string call = ModernBody(method, CallParams("read_file", {}));
  const std::string wide = ModernBody(method, CallParams("süß", {}));
  const auto named = [&](const std::string& name) {
    return ModernHeaders(method, {{"mcp-name", name}});
  };
  ExpectAll({
      {"plain", "modern", call, named("read_file")},
      {"base64", "modern", call, named(Base64Value("read_file"))},
      {"wide base64", "modern", wide, named(Base64Value("süß"))},
      {"missing", "400/-32020 id=7", call, ModernHeaders(method)},
      {"differs", "400/-32020 id=7", call, named("find_symbol")},
      {"base64 of another", "400/-32020 id=7", call,
       named(Base64Value("find_symbol"))},
      {"bad alphabet", "400/-32020 id=7", call, named("=?base64?cm$h?=")},
      {"padding left out", "400/-32020 id=7", call,
       named("=?base64?cmVhZF9maWxlMQ?=")},
      {"only a prefix is literal", "400/-32020 id=7", call,
       named("=?base64?cmVhZF9maWxl")},
      {"marker in capitals is literal", "400/-32020 id=7", call,
       named("=?BASE64?cmVhZF9maWxl?=")},
      {"twice", "400/-32020 id=7", call,
       ModernHeaders(method,
                     {{"mcp-name", "read_file"}, {"mcp-name", "find_symbol"}})},
      {"header without a name", "400/-32020 id=7",
       ModernBody(method, {{"arguments", json::object()}}), named("read_file")},
      {"neither: the method says so", "modern",
       ModernBody(method, {{"arguments", json::object()}}),
       ModernHeaders(method)},
      {"a uri for resources/read", "400/-32020 id=7",
       ModernBody("resources/read", {{"uri", "code://x"}}),
       ModernHeaders("resources/read", {{"mcp-name", "code://y"}})},
      {"and then the unknown method", "404/-32601 id=7",
       ModernBody("resources/read", {{"uri", "code://x"}}),
       ModernHeaders("resources/read", {{"mcp-name", "code://x"}})},
  });
}

TEST(EraTest, Rung5eTheWorkspaceIsMirroredWhereTheToolSaysSo) {
  const std::string method = "tools/call";
  const auto body = [&](const std::string& tool, const json& workspace) {
    return ModernBody(method, CallParams(tool, {{"workspace", workspace}}));
  };
  const auto headers = [&](const std::string& tool, const Headers& more) {
    Headers all = ModernHeaders(method, {{"mcp-name", tool}});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string tool = "find_symbol";
  ExpectAll({
      {"same", "modern", body(tool, "ws_a"),
       headers(tool, {{"mcp-param-workspace", "ws_a"}})},
      {"base64", "modern", body(tool, "ws ä"),
       headers(tool, {{"mcp-param-workspace", Base64Value("ws ä")}})},
      {"missing", "400/-32020 id=7", body(tool, "ws_a"), headers(tool, {})},
      {"differs", "400/-32020 id=7", body(tool, "ws_a"),
       headers(tool, {{"mcp-param-workspace", "ws_b"}})},
      {"header alone", "400/-32020 id=7",
       ModernBody(method, CallParams(tool, json::object())),
       headers(tool, {{"mcp-param-workspace", "ws_a"}})},
      {"null is absent", "modern", body(tool, nullptr), headers(tool, {})},
      {"null with a header", "400/-32020 id=7", body(tool, nullptr),
       headers(tool, {{"mcp-param-workspace", "ws_a"}})},
      {"no arguments at all", "modern", ModernBody(method, {{"name", tool}}),
       headers(tool, {})},
      {"a tool without it", "modern", body("list_projects", "ws_a"),
       headers("list_projects", {})},
      {"a number is mirrored too", "400/-32020 id=7", body(tool, 5),
       headers(tool, {})},
      {"a number that is", "modern", body(tool, 5),
       headers(tool, {{"mcp-param-workspace", "5"}})},
      {"what no header can say is the tool's to refuse", "modern",
       body(tool, json::array({5})), headers(tool, {})},
  });
}

TEST(EraTest, Rung6AModernHeaderWithoutTheKey) {
  const Headers modern = {{"mcp-protocol-version", kModern},
                          {"mcp-session-id", "s1"}};
  ExpectAll({
      {"initialize", "400/-32020 id=7", Body("initialize", json::object()),
       modern},
      {"request", "400/-32602 id=7", Body("tools/list", json::object()),
       modern},
      {"_meta of the wrong type", "400/-32602 id=7",
       Body("tools/list", {{"_meta", "x"}}), modern},
      {"params of the wrong type", "400/-32602 id=7",
       Body("tools/list", json::array()), modern},
      {"notification", "202", Body("notifications/x", {}, nullptr), modern},
      {"a later version too",
       "400/-32602 id=7",
       Body("tools/list", json::object()),
       {{"mcp-protocol-version", "2031-01-01"}}},
  });
}

TEST(EraTest, Rung7InitializeTakesAnyLegacyHeader) {
  const std::string initialize =
      Body("initialize", {{"protocolVersion", "2099-01-01"}});
  ExpectAll({
      {"none", "initialize", initialize, {}},
      {"old",
       "initialize",
       initialize,
       {{"mcp-protocol-version", "2025-06-18"}}},
      {"nonsense",
       "initialize",
       initialize,
       {{"mcp-protocol-version", "latest"}}},
      {"an old session id",
       "initialize",
       initialize,
       {{"mcp-session-id", "gone"}}},
      {"as a notification it opens nothing",
       "400/-32600",
       Body("initialize", {}, nullptr),
       {}},
  });
}

// Field report 23.
TEST(EraTest, Rung8EverythingElseBelongsToASession) {
  const std::string ping = Body("ping", json::object());
  ExpectAll({
      {"with", "legacy s1", ping, {{"mcp-session-id", "s1"}}},
      {"without", "400/-32600 id=7", ping, {}},
      {"empty", "400/-32600 id=7", ping, {{"mcp-session-id", ""}}},
      {"two",
       "400/-32600 id=7",
       ping,
       {{"mcp-session-id", "s1"}, {"mcp-session-id", "s2"}}},
      {"a served version",
       "legacy s1",
       ping,
       {{"mcp-session-id", "s1"}, {"mcp-protocol-version", "2025-03-26"}}},
      {"one that is not",
       "400/-32600 id=7",
       ping,
       {{"mcp-session-id", "s1"}, {"mcp-protocol-version", "2024-11-05"}}},
      {"no date",
       "400/-32600 id=7",
       ping,
       {{"mcp-session-id", "s1"}, {"mcp-protocol-version", "x"}}},
      {"modern headers are not demanded",
       "legacy s1",
       Body("tools/call", {{"name", "read_file"}}),
       {{"mcp-session-id", "s1"}, {"mcp-protocol-version", "2025-11-25"}}},
  });
}

TEST(EraTest, AnUnservedVersionNamesTheServedOnes) {
  const auto outcome = Classify(
      Post(ModernBody("tools/list", json::object(), Meta("2027-03-01")),
           {{"mcp-protocol-version", "2027-03-01"}}),
      Rules());
  EXPECT_EQ(std::get<Rejected>(outcome).error.data,
            json({{"supported", {kModern}}, {"requested", "2027-03-01"}}));
}

}  // namespace
}  // namespace banyan::edge
