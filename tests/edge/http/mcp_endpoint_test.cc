// SPDX-License-Identifier: Apache-2.0
#include "edge/http/mcp_endpoint.h"

#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "edge/auth/peer_uid.h"
#include "tests/support/raw_http_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RecordingMcpHandler : public McpHandler {
 public:
  McpResponse Handle(const McpRequest& request,
                     const std::shared_ptr<EventSink>& events) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      requests_.push_back(request);
    }
    if (script) return script(request, *events);
    return {.headers = {{"Content-Type", "application/json"},
                        {"Mcp-Session-Id", "s1"}},
            .body = "{}"};
  }

  std::vector<McpRequest> requests() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return requests_;
  }

  // Set before the first call.
  std::function<McpResponse(const McpRequest&, EventSink&)> script;

 private:
  std::mutex mutex_;
  std::vector<McpRequest> requests_;  // Guarded by mutex_.
};

class McpEndpointTest : public ::testing::Test {
 protected:
  void Start(McpEndpoint::Options options = {}) {
    options.server.listen = "127.0.0.1:0";
    auto endpoint =
        McpEndpoint::Start(std::move(options), *authenticator_, mcp_, metrics_);
    ASSERT_THAT(endpoint, IsOk());
    endpoint_ = *std::move(endpoint);
  }

  RawHttpResponse Ask(absl::string_view method, absl::string_view target,
                      absl::string_view headers = "",
                      absl::string_view body = "") {
    RawHttpClient client(endpoint_->port());
    client.SendRequest(method, target, headers, body);
    return client.Read(method == "HEAD");
  }

  // As Ask, with a Host header of its own.
  RawHttpResponse AskHost(absl::string_view host) {
    RawHttpClient client(endpoint_->port());
    client.Send(absl::StrCat("GET /mcp HTTP/1.1\r\nHost: ", host, "\r\n\r\n"));
    return client.Read();
  }

  std::string OwnOrigin() const {
    return absl::StrCat("http://localhost:", endpoint_->port());
  }

  int64_t Rejected(absl::string_view reason) {
    const std::string text =
        prometheus::TextSerializer().Serialize(registry_.Collect());
    const std::string line = absl::StrCat(
        "banyan_edge_http_rejected_total{reason=\"", reason, "\"} ");
    const size_t found = text.find(line);
    return found == std::string::npos
               ? -1
               : std::atoll(text.c_str() + found + line.size());
  }

  prometheus::Registry registry_;
  HttpMetrics metrics_{registry_};
  std::atomic<int> uid_lookups_ = 0;
  std::unique_ptr<Authenticator> authenticator_ = NewPeerUidAuthenticator(
      ::geteuid(), [this](const SocketAddress& peer, const SocketAddress& own) {
        ++uid_lookups_;
        return FindPeerUid(peer, own);
      });
  RecordingMcpHandler mcp_;
  std::unique_ptr<McpEndpoint> endpoint_;
};

TEST_F(McpEndpointTest, HandsARequestOnWithItsCaller) {
  Start();
  const RawHttpResponse response =
      Ask("POST", "/mcp",
          "Content-Type: application/json\r\nMCP-Protocol-Version:  x \r\n"
          "traceparent: 00-1-2-01\r\n",
          "{\"id\":1}");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "{}");
  EXPECT_EQ(response.headers.at("mcp-session-id"), "s1");

  ASSERT_THAT(mcp_.requests(), SizeIs(1));
  const McpRequest request = mcp_.requests()[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.body, "{\"id\":1}");
  EXPECT_EQ(request.default_project, "");
  EXPECT_EQ(request.default_access, "");
  EXPECT_EQ(request.Header("mcp-protocol-version"), "x");
  EXPECT_EQ(request.traceparent, "00-1-2-01");
  EXPECT_EQ(request.principal.issuer(), "local");
  EXPECT_EQ(request.principal.subject(), absl::StrCat(::geteuid()));
  EXPECT_EQ(request.principal.scopes_size(), 3);
}

TEST_F(McpEndpointTest, TakesProjectAndAccessFromTheTarget) {
  Start();
  EXPECT_EQ(Ask("POST", "/mcp/p/web%20shop?access=read-only").status, 200);
  EXPECT_EQ(mcp_.requests()[0].default_project, "web shop");
  EXPECT_EQ(mcp_.requests()[0].default_access, "read-only");
  const RawHttpResponse bad = Ask("POST", "/mcp?access=everything");
  EXPECT_EQ(bad.status, 400);
  EXPECT_THAT(bad.body, HasSubstr("read-only"));
}

TEST_F(McpEndpointTest, ServesNothingElse) {
  Start();
  for (const char* target :
       {"/", "/mcp/p/", "/mcp/p/a/b", "/get_session_overview", "/metrics",
        "/.well-known/oauth-protected-resource", "/mcpx"}) {
    const RawHttpResponse response = Ask("GET", target);
    EXPECT_EQ(response.status, 404) << target;
    EXPECT_THAT(response.body, HasSubstr("PATH_UNKNOWN")) << target;
  }
  EXPECT_THAT(mcp_.requests(), IsEmpty());
}

TEST_F(McpEndpointTest, OtherMethodsAreTold405WithWhatIsAllowed) {
  Start();
  for (const char* method : {"PUT", "PATCH", "HEAD", "TRACE", "BREW"}) {
    const RawHttpResponse response = Ask(method, "/mcp");
    EXPECT_EQ(response.status, 405) << method;
    EXPECT_EQ(response.headers.at("allow"), "GET, POST, DELETE, OPTIONS");
  }
  EXPECT_EQ(Ask("PUT", "/mcp", "", "{}").status, 405);
  EXPECT_EQ(Rejected("METHOD_NOT_ALLOWED"), 6);
}

TEST_F(McpEndpointTest, BodiesOfGetAndDeleteAreDropped) {
  Start();
  for (const char* method : {"GET", "DELETE"}) {
    EXPECT_EQ(Ask(method, "/mcp", "", "{\"id\":1}").status, 200);
  }
  for (const McpRequest& request : mcp_.requests()) {
    EXPECT_EQ(request.body, "");
  }
}

TEST_F(McpEndpointTest, AHostOfAnotherSiteIsRefusedByTheFlagsName) {
  Start({.guard = {.allowed_hosts = {"mcp.example.com"}}});
  const RawHttpResponse response = AskHost("rebound.example:80");
  EXPECT_EQ(response.status, 403);
  EXPECT_THAT(response.body, HasSubstr("--allowed_hosts=rebound.example:80"));
  EXPECT_EQ(AskHost("mcp.example.com").status, 200);
  EXPECT_EQ(AskHost(absl::StrCat("localhost:", endpoint_->port())).status, 200);
  EXPECT_EQ(Rejected("HOST_NOT_ALLOWED"), 1);
}

TEST_F(McpEndpointTest, ForeignOriginsAreRefusedOwnOnesGetCors) {
  Start();
  for (const char* origin : {"http://evil.example", "null", "http://localhost",
                             "https://127.0.0.1.evil.example"}) {
    const RawHttpResponse response =
        Ask("POST", "/mcp", absl::StrCat("Origin: ", origin, "\r\n"), "{}");
    EXPECT_EQ(response.status, 403) << origin;
    EXPECT_EQ(response.headers.count("access-control-allow-origin"), 0u);
  }
  EXPECT_THAT(mcp_.requests(), IsEmpty());
  const RawHttpResponse own =
      Ask("POST", "/mcp", absl::StrCat("Origin: ", OwnOrigin(), "\r\n"), "{}");
  EXPECT_EQ(own.status, 200);
  EXPECT_EQ(own.headers.at("access-control-allow-origin"), OwnOrigin());
  EXPECT_THAT(own.headers.at("access-control-expose-headers"),
              HasSubstr("Mcp-Session-Id"));
  EXPECT_EQ(own.headers.at("vary"), "Origin");
}

// Field report 13.
TEST_F(McpEndpointTest, PreflightIsAnsweredWithoutACaller) {
  authenticator_ = NewPeerUidAuthenticator(
      ::geteuid(), [](const SocketAddress&, const SocketAddress&) {
        return absl::StatusOr<uid_t>(absl::NotFoundError("gone"));
      });
  Start();
  const RawHttpResponse response =
      Ask("OPTIONS", "/mcp",
          absl::StrCat("Origin: ", OwnOrigin(),
                       "\r\nAccess-Control-Request-Method: POST\r\n"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.at("access-control-allow-origin"), OwnOrigin());
  EXPECT_EQ(response.headers.at("access-control-allow-methods"),
            "GET, POST, DELETE, OPTIONS");
  EXPECT_THAT(response.headers.at("access-control-allow-headers"),
              HasSubstr("MCP-Protocol-Version"));
  EXPECT_THAT(mcp_.requests(), IsEmpty());
}

// Field report 13.
TEST_F(McpEndpointTest, ErrorsCarryCorsHeadersToo) {
  Start();
  const std::string origin = absl::StrCat("Origin: ", OwnOrigin(), "\r\n");
  const struct {
    std::string request;
    int status;
  } cases[] = {
      {absl::StrCat("GET /nowhere HTTP/1.1\r\n", origin), 404},
      {absl::StrCat("PUT /mcp HTTP/1.1\r\n", origin), 405},
      {absl::StrCat("POST /mcp HTTP/1.1\r\nContent-Length: 99999999\r\n",
                    origin),
       413},
      {absl::StrCat("POST /mcp HTTP/1.1\r\nExpect: magic\r\n", origin), 417},
  };
  for (const auto& c : cases) {
    RawHttpClient client(endpoint_->port());
    client.Send(absl::StrCat(c.request, "Host: ", client.Host(), "\r\n\r\n"));
    const RawHttpResponse response = client.Read();
    EXPECT_EQ(response.status, c.status);
    EXPECT_EQ(response.headers.at("access-control-allow-origin"), OwnOrigin());
  }
}

TEST_F(McpEndpointTest, AnotherUserIsNotServed) {
  authenticator_ = NewPeerUidAuthenticator(::geteuid() + 1);
  Start();
  const RawHttpResponse response = Ask("POST", "/mcp", "", "{}");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.headers.at("www-authenticate"), "Bearer");
  EXPECT_THAT(response.body, HasSubstr("UNAUTHENTICATED"));
  EXPECT_THAT(mcp_.requests(), IsEmpty());
  EXPECT_EQ(Rejected("UNAUTHENTICATED"), 1);
}

TEST_F(McpEndpointTest, ThePeerIsLookedUpOncePerConnection) {
  Start();
  RawHttpClient client(endpoint_->port());
  for (int i = 0; i < 5; ++i) {
    client.SendRequest("POST", "/mcp", "", "{}");
    EXPECT_EQ(client.Read().status, 200);
  }
  EXPECT_EQ(uid_lookups_, 1);
}

TEST_F(McpEndpointTest, StatusAndHeadersOfTheHandlerArrive) {
  mcp_.script = [](const McpRequest&, EventSink&) {
    return McpResponse{.status = 202};
  };
  Start();
  const RawHttpResponse response = Ask("POST", "/mcp", "", "{}");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.headers.at("content-length"), "0");
  EXPECT_EQ(response.body, "");
}

TEST_F(McpEndpointTest, EventsBeforeTheAnswerMakeItAStream) {
  mcp_.script = [](const McpRequest&, EventSink& events) {
    EXPECT_TRUE(events.Send("", "{\"progress\":1}"));
    return McpResponse{.body = "{\"result\":{}}"};
  };
  Start();
  const RawHttpResponse response =
      Ask("POST", "/mcp", absl::StrCat("Origin: ", OwnOrigin(), "\r\n"), "{}");
  EXPECT_EQ(response.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(response.headers.at("access-control-allow-origin"), OwnOrigin());
  EXPECT_EQ(response.body,
            "event: message\ndata: {\"progress\":1}\n\n"
            "event: message\ndata: {\"result\":{}}\n\n");
}

TEST_F(McpEndpointTest, AnOpenStreamSendsItsHeadWithoutAnEvent) {
  std::promise<void> release;
  mcp_.script = [&](const McpRequest&, EventSink& events) {
    events.Open();
    release.get_future().wait();
    return McpResponse{};
  };
  Start();
  RawHttpClient client(endpoint_->port());
  client.SendRequest("GET", "/mcp", "Accept: text/event-stream\r\n");
  EXPECT_EQ(client.ReadHead().status, 200);
  release.set_value();
  EXPECT_EQ(client.ReadChunk(), "");
}

TEST_F(McpEndpointTest, AHandlerCanCancelWhenItsClientLeaves) {
  std::promise<void> is_running;
  std::promise<bool> was_cancelled;
  mcp_.script = [&](const McpRequest& request, EventSink&) {
    is_running.set_value();
    std::promise<void> never;
    const auto future = never.get_future();
    for (int i = 0; i < 20'000 && !request.is_peer_gone(); ++i) {
      future.wait_for(std::chrono::milliseconds(1));
    }
    was_cancelled.set_value(request.is_peer_gone());
    return McpResponse{};
  };
  Start();
  RawHttpClient client(endpoint_->port());
  client.SendRequest("POST", "/mcp", "", "{}");
  is_running.get_future().wait();
  client.Close();
  EXPECT_TRUE(was_cancelled.get_future().get());
}

// Lets everybody in until it is told otherwise.
class RevocableAuthenticator final : public Authenticator {
 public:
  absl::StatusOr<Authenticated> Authenticate(PeerConnection&,
                                             absl::string_view) override {
    return Authenticated{.principal = {},
                         .is_still_valid = [this] { return !is_revoked; }};
  }
  bool IsLoopbackOnly() const override { return false; }

  std::atomic<bool> is_revoked = false;
};

TEST_F(McpEndpointTest, WhoeverIsRevokedMeanwhileDoesNotSeeTheAnswer) {
  auto revocable = std::make_unique<RevocableAuthenticator>();
  RevocableAuthenticator& tokens = *revocable;
  authenticator_ = std::move(revocable);
  mcp_.script = [&](const McpRequest& request, EventSink&) {
    EXPECT_FALSE(request.is_withdrawn());
    tokens.is_revoked = true;
    EXPECT_TRUE(request.is_withdrawn());
    EXPECT_TRUE(request.is_peer_gone());
    return McpResponse{.body = "secret"};
  };
  Start();
  const RawHttpResponse response = Ask("POST", "/mcp", "", "{}");
  EXPECT_EQ(response.status, 401);
  EXPECT_THAT(response.headers.at("www-authenticate"),
              HasSubstr("invalid_token"));
  EXPECT_THAT(response.body, Not(HasSubstr("secret")));
}

TEST_F(McpEndpointTest, AnOpenStreamEndsWithItsCredential) {
  auto revocable = std::make_unique<RevocableAuthenticator>();
  RevocableAuthenticator& tokens = *revocable;
  authenticator_ = std::move(revocable);
  mcp_.script = [&](const McpRequest&, EventSink& events) {
    events.OpenToStay();
    return McpResponse{.stays_open = true};
  };
  Start();
  RawHttpClient client(endpoint_->port());
  client.SendRequest("GET", "/mcp", "Accept: text/event-stream\r\n");
  EXPECT_EQ(client.ReadHead().status, 200);
  tokens.is_revoked = true;
  EXPECT_EQ(client.ReadChunk(), "") << "something else than the end";
  EXPECT_TRUE(client.IsClosed());
}

TEST_F(McpEndpointTest, AnOpenAddressWithoutTokensIsRefusedAtStart) {
  for (const char* listen : {"0.0.0.0:0", ":0", "[::]:0", "10.0.0.1:0"}) {
    const auto endpoint = McpEndpoint::Start({.server = {.listen = listen}},
                                             *authenticator_, mcp_, metrics_);
    EXPECT_THAT(endpoint, HasCode(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(
        endpoint.status().message(),
        testing::AllOf(HasSubstr("--listen"), HasSubstr("--tokens_file")));
  }
}

}  // namespace
}  // namespace banyan::edge
