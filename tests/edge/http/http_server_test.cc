// SPDX-License-Identifier: Apache-2.0
//
// How connections live: order, keep-alive, many of them, their end.
#include "edge/http/http_server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/edge/http/scripted_handler.h"
#include "tests/support/raw_http_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

int ThreadCount() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    int count = 0;
    if (line.rfind("Threads:", 0) == 0 &&
        absl::SimpleAtoi(line.substr(8), &count)) {
      return count;
    }
  }
  return 0;
}

// Waits in a handler until the client is gone, as a long call does.
bool WaitUntilGone(const HttpExchange& exchange) {
  std::promise<void> never;
  const auto future = never.get_future();
  for (int i = 0; i < 20'000 && !exchange.is_peer_gone(); ++i) {
    future.wait_for(std::chrono::milliseconds(1));
  }
  return exchange.is_peer_gone();
}

TEST(HttpServerTest, AnswersRequestsOfOneConnectionOneAfterTheOther) {
  TestServer server;
  RawHttpClient client(server.port());
  for (int i = 0; i < 20; ++i) {
    client.SendRequest("POST", absl::StrCat("/", i), "", "body");
    const RawHttpResponse response = client.Read();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, absl::StrCat("POST /", i, " body"));
    EXPECT_EQ(response.headers.at("x-common"), "yes");
  }
}

TEST(HttpServerTest, AnswersKeepAliveRequestsWithoutDelayedAcknowledgement) {
  TestServer server;
  RawHttpClient client(server.port());
  absl::Duration fastest = absl::InfiniteDuration();
  for (int i = 0; i < 10; ++i) {
    const absl::Time start = MonotonicNow();
    client.SendRequest("POST", "/", "", std::string(5000, 'b'));
    EXPECT_EQ(client.Read().status, 200);
    fastest = std::min(fastest, MonotonicNow() - start);
  }
  // With Nagle's algorithm none takes less than 40 ms.
  EXPECT_LT(fastest, absl::Milliseconds(30));
}

TEST(HttpServerTest, AnswersAPipelinedPairInOrder) {
  TestServer server;
  RawHttpClient client(server.port());
  client.Send(client.RequestText("POST", "/1", "", "one") +
              client.RequestText("GET", "/2"));
  EXPECT_EQ(client.Read().body, "POST /1 one");
  EXPECT_EQ(client.Read().body, "GET /2 ");
}

TEST(HttpServerTest, ASlowFirstAnswerIsNotOvertakenByAPipelinedSecond) {
  std::promise<void> is_running, release;
  TestServer server({}, {{"/slow", [&](HttpExchange&) -> HttpResponse {
                            is_running.set_value();
                            release.get_future().wait();
                            return {.body = "slow"};
                          }}});
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/slow");
  is_running.get_future().wait();
  client.SendRequest("GET", "/quick");
  RawHttpClient other(server.port());
  other.SendRequest("GET", "/other");
  EXPECT_EQ(other.Read().status, 200);
  release.set_value();
  EXPECT_EQ(client.Read().body, "slow");
  EXPECT_EQ(client.Read().body, "GET /quick ");
}

TEST(HttpServerTest, AClientThatHasSaidAllStillGetsItsAnswer) {
  TestServer server;
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/");
  ::shutdown(client.fd(), SHUT_WR);
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_TRUE(client.IsClosed());
}

TEST(HttpServerTest, ReadsARequestThatComesByteByByte) {
  TestServer server;
  RawHttpClient client(server.port());
  for (const char c : client.RequestText("POST", "/", "", "{}")) {
    ASSERT_TRUE(client.Send(absl::string_view(&c, 1)));
  }
  EXPECT_EQ(client.Read().body, "POST / {}");
}

TEST(HttpServerTest, ClosesWhenTheClientAsksForIt) {
  TestServer server;
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/", "Connection: close\r\n");
  const RawHttpResponse response = client.Read();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.at("connection"), "close");
  EXPECT_TRUE(client.IsClosed());
}

TEST(HttpServerTest, ServesHttp10AndCloses) {
  TestServer server;
  RawHttpClient client(server.port());
  client.Send("GET /old HTTP/1.0\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.Read().body, "GET /old ");
  EXPECT_TRUE(client.IsClosed());
}

TEST(HttpServerTest, SaysContinueBeforeABodyThatWaitsForIt) {
  TestServer server;
  RawHttpClient client(server.port());
  client.Send(absl::StrCat("POST / HTTP/1.1\r\nHost: ", client.Host(),
                           "\r\nContent-Length: 2\r\n"
                           "Expect: 100-continue\r\n\r\n"));
  EXPECT_EQ(client.ReadHead().status, 100);
  client.Send("{}");
  EXPECT_EQ(client.Read().body, "POST / {}");
}

TEST(HttpServerTest, ARefusedHeadNeverGetsItsBodyRead) {
  TestServer server;
  RawHttpClient client(server.port());
  client.Send(absl::StrCat("POST /refused HTTP/1.1\r\nHost: ", client.Host(),
                           "\r\nContent-Length: 1000\r\n"
                           "Expect: 100-continue\r\n\r\n"));
  EXPECT_EQ(client.Read().status, 403);
  EXPECT_TRUE(client.IsClosed());
  EXPECT_THAT(server.handler().requests(), SizeIs(0));
}

TEST(HttpServerTest, ARefusalWithoutABodyKeepsTheConnection) {
  TestServer server;
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/refused");
  EXPECT_EQ(client.Read().status, 403);
  client.SendRequest("GET", "/");
  EXPECT_EQ(client.Read().status, 200);
}

TEST(HttpServerTest, NineHundredIdleConnectionsCostNoThreadAndNoTime) {
  rlimit files = {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < 2000) GTEST_SKIP() << "too few descriptors allowed";

  TestServer server;
  std::vector<RawHttpClient> idle;
  for (int i = 0; i < 900; ++i) {
    idle.emplace_back(server.port());
    ASSERT_TRUE(idle.back().is_connected());
  }
  RawHttpClient client(server.port());
  const absl::Time start = MonotonicNow();
  for (int i = 0; i < 100; ++i) {
    client.SendRequest("GET", "/");
    ASSERT_EQ(client.Read().status, 200);
  }
  // A thread for each of them would have made one request wait for seconds.
  EXPECT_LT(MonotonicNow() - start, absl::Seconds(5));
  EXPECT_LT(ThreadCount(), 20);
  // They are alive.
  for (RawHttpClient& one : idle) ASSERT_TRUE(one.SendRequest("GET", "/"));
  for (RawHttpClient& one : idle) ASSERT_EQ(one.Read().status, 200);
}

TEST(HttpServerTest, ABurstOfConnectionsWaitsInTheBacklog) {
  prometheus::Registry registry;
  HttpMetrics metrics(registry);
  ScriptedHandler handler;
  ASSERT_OK_AND_ASSIGN(const auto server,
                       HttpServer::Listen({.listen = "127.0.0.1:0"}, metrics));
  std::vector<RawHttpClient> clients;
  // Nobody accepts yet: beyond the backlog a handshake would never end.
  for (int i = 0; i < 300; ++i) {
    clients.emplace_back(server->port());
    ASSERT_TRUE(clients.back().is_connected());
    clients.back().SendRequest("GET", "/");
  }
  server->Serve(handler);
  for (RawHttpClient& client : clients) EXPECT_EQ(client.Read().status, 200);
}

TEST(HttpServerTest, TwoServersCannotShareAPort) {
  TestServer server;
  prometheus::Registry registry;
  HttpMetrics metrics(registry);
  EXPECT_THAT(
      HttpServer::Listen({.listen = absl::StrCat("127.0.0.1:", server.port())},
                         metrics),
      HasCode(absl::StatusCode::kUnavailable));
  EXPECT_THAT(HttpServer::Listen({.listen = "nonsense"}, metrics),
              HasCode(absl::StatusCode::kInvalidArgument));
}

TEST(HttpServerTest, AClientWaitsWhileThereAreNoDescriptors) {
  prometheus::Registry registry;
  HttpMetrics metrics(registry);
  ScriptedHandler handler;
  ASSERT_OK_AND_ASSIGN(const auto server,
                       HttpServer::Listen({.listen = "127.0.0.1:0"}, metrics));
  RawHttpClient client(server->port());
  client.SendRequest("GET", "/");

  rlimit files = {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const int lowest_free = ::dup(client.fd());
  ::close(lowest_free);
  // Two for the event loop, none for the client.
  const rlimit tight = {.rlim_cur = static_cast<rlim_t>(lowest_free) + 2,
                        .rlim_max = files.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &tight);
  server->Serve(handler);
  EXPECT_FALSE(client.WaitReadable(100));
  ::setrlimit(RLIMIT_NOFILE, &files);
  EXPECT_EQ(client.Read().status, 200);
}

TEST(HttpServerTest, OneConnectionTooManyIsTurnedAwayWithAReason) {
  TestServer server({.max_connections = 2});
  RawHttpClient first(server.port()), second(server.port());
  first.SendRequest("GET", "/");
  EXPECT_EQ(first.Read().status, 200);
  second.SendRequest("GET", "/");
  EXPECT_EQ(second.Read().status, 200);

  RawHttpClient third(server.port());
  const RawHttpResponse response = third.Read();
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.headers.at("retry-after"), "1");
  EXPECT_TRUE(third.IsClosed());
  EXPECT_TRUE(server.HasMetric(
      "banyan_edge_http_rejected_total{reason=\"TOO_MANY_CONNECTIONS\"} 1"));
}

TEST(HttpServerTest, ARequestThatFindsNoThreadIsTurnedAway) {
  std::promise<void> is_running, release;
  TestServer server({.max_workers = 1, .max_waiting = 0},
                    {{"/slow", [&](HttpExchange&) -> HttpResponse {
                        is_running.set_value();
                        release.get_future().wait();
                        return {};
                      }}});
  RawHttpClient busy(server.port());
  busy.SendRequest("GET", "/slow");
  is_running.get_future().wait();
  EXPECT_TRUE(server.HasMetric("banyan_edge_http_inflight 1"));

  RawHttpClient other(server.port());
  other.SendRequest("GET", "/");
  const RawHttpResponse response = other.Read();
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, HasSubstr("TOO_MANY_REQUESTS"));
  release.set_value();
  EXPECT_EQ(busy.Read().status, 200);
}

// How long a handler takes to see that its client has closed.
absl::Duration TimeToSeeTheEnd() {
  std::promise<void> is_running;
  std::promise<absl::Time> seen;
  TestServer server({}, {{"/long", [&](HttpExchange& exchange) {
                            is_running.set_value();
                            EXPECT_TRUE(WaitUntilGone(exchange));
                            seen.set_value(MonotonicNow());
                            return HttpResponse{};
                          }}});
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/long");
  is_running.get_future().wait();
  const absl::Time closed = MonotonicNow();
  client.Close();
  return seen.get_future().get() - closed;
}

TEST(HttpServerTest, TheHandlerSeesThatItsClientIsGone) {
  // Another try where the machine itself was busy for so long.
  absl::Duration fastest = absl::InfiniteDuration();
  for (int i = 0; i < 5 && fastest > absl::Milliseconds(100); ++i) {
    fastest = std::min(fastest, TimeToSeeTheEnd());
  }
  EXPECT_LT(fastest, absl::Milliseconds(100));
}

TEST(HttpServerTest, AClientIsNotGoneWhileItWaitsOrPipelines) {
  std::promise<void> is_running, release;
  std::promise<bool> gone;
  TestServer server({}, {{"/long", [&](HttpExchange& exchange) {
                            is_running.set_value();
                            release.get_future().wait();
                            gone.set_value(exchange.is_peer_gone());
                            return HttpResponse{};
                          }}});
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/long");
  is_running.get_future().wait();
  client.SendRequest("GET", "/next");
  release.set_value();
  EXPECT_FALSE(gone.get_future().get());
}

TEST(HttpServerTest, AnUnfinishedRequestNeverReachesTheHandler) {
  TestServer server;
  {
    RawHttpClient client(server.port());
    client.Send(absl::StrCat("POST / HTTP/1.1\r\nHost: ", client.Host(),
                             "\r\nContent-Length: 10\r\n\r\nhalf"));
  }
  RawHttpClient other(server.port());
  other.SendRequest("GET", "/other");
  EXPECT_EQ(other.Read().status, 200);
  EXPECT_THAT(server.handler().requests(), SizeIs(1));
}

TEST(HttpServerTest, EventsLeaveAtOnceAndTheAnswerIsTheLast) {
  std::promise<void> release;
  TestServer server({}, {{"/events", [&](HttpExchange& exchange) {
                            exchange.events->Open();
                            release.get_future().wait();
                            exchange.events->Send("1", "{\"n\":1}");
                            return HttpResponse{.status = 500, .body = "{}"};
                          }}});
  RawHttpClient client(server.port());
  client.SendRequest("POST", "/events", "", "{}");
  const RawHttpResponse head = client.ReadHead();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(head.headers.at("x-accel-buffering"), "no");
  EXPECT_EQ(head.headers.at("x-common"), "yes");
  release.set_value();
  EXPECT_EQ(client.ReadChunk(), "event: message\nid: 1\ndata: {\"n\":1}\n\n");
  EXPECT_EQ(client.ReadChunk(), "event: message\ndata: {}\n\n");
  EXPECT_EQ(client.ReadChunk(), "");
  client.SendRequest("GET", "/after");
  EXPECT_EQ(client.Read().status, 200);
}

TEST(HttpServerTest, EventsToAClientThatIsGoneAreRefused) {
  std::promise<void> is_open;
  std::promise<bool> sent;
  TestServer server({}, {{"/events", [&](HttpExchange& exchange) {
                            exchange.events->Open();
                            is_open.set_value();
                            EXPECT_TRUE(WaitUntilGone(exchange));
                            sent.set_value(exchange.events->Send("", "{}"));
                            return HttpResponse{};
                          }}});
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/events");
  is_open.get_future().wait();
  client.Close();
  EXPECT_FALSE(sent.get_future().get());
}

TEST(HttpServerTest, EventsOverHttp10EndWithTheConnection) {
  TestServer server({}, {{"/events", [&](HttpExchange& exchange) {
                            exchange.events->Send("", "1");
                            return HttpResponse{};
                          }}});
  RawHttpClient client(server.port());
  client.Send("GET /events HTTP/1.0\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.Read().body, "event: message\ndata: 1\n\n");
}

TEST(HttpServerTest, AnswersLargerThanTheSocketBufferArriveWhole) {
  const std::string large(32 << 20, 'x');
  TestServer server({}, {{"/large", [&](HttpExchange&) -> HttpResponse {
                            return {.body = large};
                          }}});
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/large");
  EXPECT_EQ(client.Read().body, large);
}

TEST(HttpServerTest, AClientThatNeverReadsIsGivenUp) {
  TestServer server({.write_timeout = absl::Milliseconds(30)},
                    {{"/large", [&](HttpExchange&) -> HttpResponse {
                        return {.body = std::string(64 << 20, 'x')};
                      }}});
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/large");
  client.SendRequest("GET", "/next");
  // Stop returns, though this client has read nothing.
  RawHttpClient other(server.port());
  other.SendRequest("GET", "/");
  EXPECT_EQ(other.Read().status, 200);
  server.server().Stop(absl::Seconds(20));
  for (const HttpRequest& request : server.handler().requests()) {
    EXPECT_NE(request.path, "/next");
  }
}

TEST(HttpServerTest, AClientThatTakesLessThanItsShareIsGivenUp) {
  TestServer server({.limits = {.body_bytes_per_window = 1 << 30},
                     .write_timeout = absl::Milliseconds(50)},
                    {{"/large", [&](HttpExchange&) -> HttpResponse {
                        return {.body = std::string(64 << 20, 'x')};
                      }}});
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/large");
  EXPECT_EQ(client.ReadHead().status, 200);
  std::string bytes(64 << 10, '\0');
  ssize_t count = 0;
  size_t taken = 0;
  do {
    count = ::recv(client.fd(), bytes.data(), bytes.size(), 0);
    taken += static_cast<size_t>(std::max<ssize_t>(count, 0));
    ::poll(nullptr, 0, 1);  // Steadily, and too slowly.
  } while (count > 0 && taken < 64 << 20);
  EXPECT_LT(taken, 63 << 20);
}

// One thread: whoever holds it would hold up everybody.
TEST(HttpServerTest, ClientsThatDoNotReadKeepNoThread) {
  TestServer server({.max_workers = 1},
                    {{"/large", [&](HttpExchange&) -> HttpResponse {
                        return {.body = std::string(32 << 20, 'x')};
                      }}});
  std::vector<RawHttpClient> sleepers;
  for (int i = 0; i < 5; ++i) {
    sleepers.emplace_back(server.port()).SendRequest("GET", "/large");
  }
  RawHttpClient other(server.port());
  other.SendRequest("GET", "/");
  EXPECT_EQ(other.Read().status, 200);
  for (RawHttpClient& sleeper : sleepers) {
    EXPECT_THAT(sleeper.Read().body, SizeIs(32 << 20)) << "woke up too late";
  }
}

TEST(HttpServerTest, ClientsThatDoNotReadRefusalsKeepNoThread) {
  TestServer server({.max_workers = 1});
  RawHttpClient flood(server.port());
  const std::string request = flood.RequestText("GET", "/refused");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += request;
  // As much as the server takes without its answers being read.
  const int flags = ::fcntl(flood.fd(), F_GETFL);
  ::fcntl(flood.fd(), F_SETFL, flags | O_NONBLOCK);
  pollfd room = {.fd = flood.fd(), .events = POLLOUT, .revents = 0};
  while (::poll(&room, 1, 500) > 0 &&
         ::send(flood.fd(), many.data(), many.size(), MSG_NOSIGNAL) > 0) {
  }
  RawHttpClient other(server.port());
  other.SendRequest("GET", "/");
  EXPECT_EQ(other.Read().status, 200);
}

TEST(HttpServerTest, AClientThatAsksWithoutEndLetsOthersHaveATurn) {
  TestServer server({.max_workers = 1});
  RawHttpClient busy(server.port());
  std::string many;
  for (int i = 0; i < 500; ++i) many += busy.RequestText("GET", "/busy");
  std::atomic<bool> is_over = false;
  std::thread sender([&] {
    while (!is_over && busy.Send(many)) {
    }
  });
  std::thread reader([&] {
    while (!is_over && busy.Read().status == 200) {
    }
  });
  RawHttpClient other(server.port());
  for (int i = 0; i < 5; ++i) {
    other.SendRequest("GET", "/");
    EXPECT_EQ(other.Read().status, 200);
  }
  is_over = true;
  ::shutdown(busy.fd(), SHUT_RDWR);
  sender.join();
  reader.join();
}

TEST(HttpServerTest, StopLetsASlowReaderHaveTheRest) {
  TestServer server({}, {{"/large", [&](HttpExchange&) -> HttpResponse {
                            return {.body = std::string(32 << 20, 'x')};
                          }}});
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/large");
  EXPECT_EQ(client.ReadHead().status, 200);
  auto stopped = std::async(std::launch::async,
                            [&] { server.server().Stop(absl::Seconds(20)); });
  EXPECT_THAT(client.ReadToEnd(), SizeIs(32 << 20));
  stopped.get();
}

TEST(HttpServerTest, ACallerHasSoManyStreamsThatStay) {
  TestServer server({.max_streams_per_caller = 1},
                    {{"/stay", [&](HttpExchange& exchange) -> HttpResponse {
                        if (!exchange.may_stay()) return {.status = 429};
                        exchange.events->OpenToStay();
                        return {};
                      }}});
  RawHttpClient first(server.port());
  first.SendRequest("GET", "/stay");
  EXPECT_EQ(first.ReadHead().status, 200);
  // The head goes out a moment before the stream is counted.
  int status = 200;
  std::vector<RawHttpClient> more;
  for (int i = 0; i < 10 && status == 200; ++i) {
    more.emplace_back(server.port()).SendRequest("GET", "/stay");
    status = more.back().ReadHead().status;
  }
  EXPECT_EQ(status, 429);
}

TEST(HttpServerTest, IdleConnectionsEndAfterTheirTime) {
  TestServer server({.idle_timeout = absl::Milliseconds(20)});
  RawHttpClient silent(server.port());
  EXPECT_TRUE(silent.IsClosed());
  RawHttpClient used(server.port());
  used.SendRequest("GET", "/");
  EXPECT_EQ(used.Read().status, 200);
  EXPECT_TRUE(used.IsClosed());
}

TEST(HttpServerTest, StopLetsWhatIsRunningFinish) {
  std::promise<void> is_running, release;
  TestServer server({}, {{"/slow", [&](HttpExchange&) -> HttpResponse {
                            is_running.set_value();
                            release.get_future().wait();
                            return {.body = "done"};
                          }}});
  RawHttpClient busy(server.port()), idle(server.port());
  idle.SendRequest("GET", "/");
  EXPECT_EQ(idle.Read().status, 200);
  busy.SendRequest("GET", "/slow");
  is_running.get_future().wait();

  auto stopped = std::async(std::launch::async,
                            [&] { server.server().Stop(absl::Seconds(20)); });
  EXPECT_TRUE(idle.IsClosed());
  release.set_value();
  const RawHttpResponse response = busy.Read();
  EXPECT_EQ(response.body, "done");
  EXPECT_EQ(response.headers.at("connection"), "close");
  stopped.get();
}

TEST(HttpServerTest, StopTellsHandlersThatTheirTimeIsUp) {
  std::promise<void> is_running;
  std::promise<bool> gone;
  TestServer server({}, {{"/long", [&](HttpExchange& exchange) {
                            is_running.set_value();
                            gone.set_value(WaitUntilGone(exchange) &&
                                           exchange.is_withdrawn());
                            return HttpResponse{};
                          }}});
  RawHttpClient client(server.port());
  client.SendRequest("GET", "/long");
  is_running.get_future().wait();
  server.server().Stop(absl::Milliseconds(1));
  EXPECT_TRUE(gone.get_future().get());
}

TEST(HttpServerTest, WhatAsksWhetherTheClientIsGoneMayOutliveTheServer) {
  std::function<bool()> is_peer_gone;
  {
    TestServer server({}, {{"/", [&](HttpExchange& exchange) {
                              is_peer_gone = exchange.is_peer_gone;
                              return HttpResponse{};
                            }}});
    RawHttpClient client(server.port());
    client.SendRequest("GET", "/");
    EXPECT_EQ(client.Read().status, 200);
  }
  EXPECT_TRUE(is_peer_gone());
}

}  // namespace
}  // namespace banyan::edge
