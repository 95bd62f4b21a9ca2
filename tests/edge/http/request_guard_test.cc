// SPDX-License-Identifier: Apache-2.0
#include "edge/http/request_guard.h"

#include <gmock/gmock.h>

#include <string>

namespace banyan::edge {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

RequestGuard Loopback() { return RequestGuard({.port = 8420}); }

RequestGuard Public() {
  return RequestGuard(
      {.port = 8420,
       .allowed_hosts = {"mcp.example.com", "Fixed.example.com:8443"},
       .allowed_origins = {"https://inspector.example.com"},
       .trusted_proxies = {"10.0.0.7"}});
}

TEST(RequestGuardTest, LoopbackNamesAreServedOnOurPortOnly) {
  const struct {
    const char* host;
    bool is_allowed;
  } cases[] = {
      {"localhost:8420", true},
      {"LOCALHOST:8420", true},
      {"127.0.0.1:8420", true},
      {"127.8.8.8:8420", true},
      {"[::1]:8420", true},
      {"localhost", false},
      {"localhost:8421", false},
      {"localhost:", false},
      {"localhost:8420x", false},
      {"localhost:08420x", false},
      {"localhost:8420:8420", false},
      {"localhost.evil.example:8420", false},
      {"127.0.0.1.evil.example:8420", false},
      {"evil.example:8420", false},
      {"0.0.0.0:8420", false},
      {"[::]:8420", false},
      {"[::1:8420", false},
      {"128.0.0.1:8420", false},
      {":8420", false},
      {"", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Loopback().IsHostAllowed(c.host), c.is_allowed) << c.host;
  }
}

TEST(RequestGuardTest, ThePortOfTheSchemeMayBeLeftOut) {
  const RequestGuard guard({.port = 80});
  EXPECT_TRUE(guard.IsHostAllowed("localhost"));
  EXPECT_TRUE(guard.IsHostAllowed("localhost:80"));
  EXPECT_FALSE(guard.IsHostAllowed("localhost:81"));
}

TEST(RequestGuardTest, AdminPagesMayBeReachedThroughATunnel) {
  const RequestGuard guard({.port = 8421, .is_any_loopback_port = true});
  EXPECT_TRUE(guard.IsHostAllowed("localhost:9999"));
  EXPECT_TRUE(guard.IsOriginAllowed("http://localhost:9999", "localhost:9999"));
  EXPECT_FALSE(guard.IsHostAllowed("evil.example:9999"));
}

TEST(RequestGuardTest, APageOfAnotherLoopbackPortMayNotReadAdminPages) {
  const RequestGuard guard({.port = 8421, .is_any_loopback_port = true});
  for (const char* host : {"localhost:8421", "127.0.0.1:8421", ""}) {
    EXPECT_FALSE(guard.IsOriginAllowed("http://localhost:3000", host)) << host;
  }
  EXPECT_TRUE(guard.IsOriginAllowed("http://localhost:8421", "127.0.0.1:8421"));
  // The page of a rebound name is of its own origin, and not ours.
  EXPECT_FALSE(
      guard.IsOriginAllowed("http://evil.example:1", "evil.example:1"));
}

TEST(RequestGuardTest, AnAllowedOriginThatIsNoneIsRefusedAtTheStart) {
  EXPECT_TRUE(CheckAllowedOrigins({}).ok());
  EXPECT_TRUE(
      CheckAllowedOrigins({"https://a.example", "http://localhost:3000"}).ok());
  for (const char* origin : {"*", "", "null", "https://*.example.com",
                             "a.example", "https://a.example/", "https://"}) {
    EXPECT_THAT(std::string(CheckAllowedOrigins({origin}).message()),
                testing::HasSubstr("--allowed_origins"))
        << origin;
  }
}

TEST(RequestGuardTest, ConfiguredHostsAreServedOnTheirPorts) {
  const struct {
    const char* host;
    bool is_allowed;
  } cases[] = {
      {"mcp.example.com", true},      {"MCP.Example.com:443", true},
      {"mcp.example.com:8420", true}, {"fixed.example.com:8443", true},
      {"fixed.example.com", false},   {"fixed.example.com:8420", false},
      {"example.com", false},         {"xmcp.example.com", false},
      {"localhost:8420", true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Public().IsHostAllowed(c.host), c.is_allowed) << c.host;
  }
}

TEST(RequestGuardTest, AnOriginIsOursWhenItsHostAndPortAre) {
  const struct {
    const char* origin;
    bool is_allowed;
  } cases[] = {
      {"http://localhost:8420", true},
      {"http://127.0.0.1:8420", true},
      {"http://[::1]:8420", true},
      {"https://localhost:8420", true},
      {"https://mcp.example.com", true},
      {"HTTPS://inspector.example.com", true},
      {"https://inspector.example.com:8443", false},
      {"http://inspector.example.com", false},
      {"http://localhost", false},
      {"http://localhost:3000", false},
      {"http://evil.example", false},
      {"http://localhost:8420.evil.example", false},
      {"http://localhost:8420/", false},
      {"http://localhost:8420@evil.example", false},
      {"file://localhost:8420", false},
      {"localhost:8420", false},
      {"null", false},
      {"", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Public().IsOriginAllowed(c.origin, "localhost:8420"),
              c.is_allowed)
        << c.origin;
  }
}

// Field report 14.
TEST(RequestGuardTest, RefusalsNameTheFlagThatWouldHelp) {
  const auto host =
      Loopback().Check({.headers = {{"host", "mcp.example.com"}}}, "127.0.0.1");
  ASSERT_TRUE(host.has_value());
  EXPECT_EQ(host->status, 403);
  EXPECT_THAT(host->message, HasSubstr("--allowed_hosts=mcp.example.com"));

  const auto origin =
      Loopback().Check({.headers = {{"host", "localhost:8420"},
                                    {"origin", "http://localhost:3000"}}},
                       "127.0.0.1");
  ASSERT_TRUE(origin.has_value());
  EXPECT_EQ(origin->status, 403);
  EXPECT_THAT(origin->message,
              HasSubstr("--allowed_origins=http://localhost:3000"));
}

TEST(RequestGuardTest, NoHostIsABadRequest) {
  const auto refusal = Loopback().Check({}, "127.0.0.1");
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->status, 400);
}

TEST(RequestGuardTest, NoOriginIsFine) {
  EXPECT_FALSE(
      Loopback()
          .Check({.headers = {{"host", "localhost:8420"}}}, "127.0.0.1")
          .has_value());
}

// Field report 14.
TEST(RequestGuardTest, AForwardedHostIsBelievedFromListedProxiesOnly) {
  const HttpRequest good = {
      .headers = {{"host", "backend:1"},
                  {"x-forwarded-host", "mcp.example.com"}}};
  EXPECT_FALSE(Public().Check(good, "10.0.0.7").has_value());
  EXPECT_TRUE(Public().Check(good, "10.0.0.8").has_value());

  const HttpRequest bad = {.headers = {{"host", "mcp.example.com"},
                                       {"x-forwarded-host", "evil.example"}}};
  EXPECT_TRUE(Public().Check(bad, "10.0.0.7").has_value());
  EXPECT_FALSE(Public().Check(bad, "10.0.0.8").has_value());
}

TEST(RequestGuardTest, OfAForwardedListTheProxysOwnWordCounts) {
  const HttpRequest head = {
      .headers = {{"host", "b"},
                  {"x-forwarded-host", "mcp.example.com, evil.example"}}};
  EXPECT_TRUE(Public().Check(head, "10.0.0.7").has_value());
}

TEST(RequestGuardTest, CorsHeadersNameTheOriginOnlyWhenItIsAllowed) {
  const RequestGuard guard = Public();
  EXPECT_THAT(guard.CorsHeaders({}), ElementsAre(Pair("Vary", "Origin")));
  EXPECT_THAT(guard.CorsHeaders({.headers = {{"origin", "http://evil"}}}),
              ElementsAre(Pair("Vary", "Origin")));
  const auto headers =
      guard.CorsHeaders({.headers = {{"origin", "https://mcp.example.com"}}});
  EXPECT_THAT(headers, Contains(Pair("Access-Control-Allow-Origin",
                                     "https://mcp.example.com")));
  EXPECT_THAT(headers, Contains(Pair("Access-Control-Expose-Headers",
                                     "Mcp-Session-Id, WWW-Authenticate")));
  EXPECT_THAT(headers, Not(Contains(Key("Access-Control-Allow-Credentials"))));
}

TEST(RequestGuardTest, APreflightIsAnOptionsRequestThatAsksForAMethod) {
  HttpRequest head = {.method = "OPTIONS", .headers = {{"origin", "http://a"}}};
  EXPECT_FALSE(IsPreflight(head));
  head.headers.emplace_back("access-control-request-method", "POST");
  EXPECT_TRUE(IsPreflight(head));
  head.method = "POST";
  EXPECT_FALSE(IsPreflight(head));
}

TEST(RequestGuardTest, PreflightAllowsEveryHeaderThatMcpUses) {
  std::string allowed;
  for (const auto& [name, value] : PreflightHeaders()) {
    if (name == "Access-Control-Allow-Headers") allowed = value;
  }
  for (const char* name :
       {"Authorization", "Content-Type", "Accept", "Mcp-Session-Id",
        "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID",
        "Mcp-Param-Workspace"}) {
    EXPECT_THAT(allowed, HasSubstr(name));
  }
}

}  // namespace
}  // namespace banyan::edge
