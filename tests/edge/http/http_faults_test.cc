// SPDX-License-Identifier: Apache-2.0
//
// Every fault that cpp-httplib's own reading was found to have, and every
// hostile input that has an answer of its own, by raw sockets against a
// listening server.
#include <gmock/gmock.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "edge/http/http_server.h"
#include "tests/edge/http/scripted_handler.h"
#include "tests/support/raw_http_client.h"

namespace banyan::edge {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

int64_t ResidentBytes() {
  int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * 4096;
}

// Of 64 KiB each, far more together than may ever be held. Sanitizers multiply
// what memory is touched, hence the distance between the two.
constexpr int kBlocks = 8192;
constexpr int64_t kBoundedBytes = 128 << 20;

class HttpFaultsTest : public ::testing::Test {
 protected:
  // Sends the bytes and expects this answer, and the end.
  void ExpectRefused(absl::string_view bytes, int status,
                     absl::string_view reason) {
    RawHttpClient client(server_.port());
    client.Send(bytes);
    const RawHttpResponse response = client.Read();
    EXPECT_EQ(response.status, status) << bytes.substr(0, 200);
    EXPECT_THAT(response.body, HasSubstr(std::string(reason)));
    EXPECT_EQ(response.headers.at("content-type"), "application/json");
    EXPECT_TRUE(client.IsClosed());
  }

  TestServer server_{{.limits = {.head_timeout = absl::Milliseconds(60),
                                 .body_window = absl::Milliseconds(60),
                                 .body_bytes_per_window = 1000}},
                     {{"/throws", [](HttpExchange&) -> HttpResponse {
                         throw std::runtime_error("secret path /root/key");
                       }}}};
};

TEST_F(HttpFaultsTest, MalformedHeadsAreRefusedAndClosed) {
  const std::string start = "POST / HTTP/1.1\r\nHost: a\r\n";
  for (const char* lines :
       {"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "X : y\r\n\r\n", "X: y\n\r\n", "X: \x01\r\n\r\n", "X\r\n\r\n"}) {
    ExpectRefused(absl::StrCat(start, lines), 400, "HEAD_MALFORMED");
  }
  EXPECT_THAT(server_.handler().requests(), IsEmpty());
  EXPECT_TRUE(server_.HasMetric(
      "banyan_edge_http_rejected_total{reason=\"HEAD_MALFORMED\"} 6"));
}

TEST_F(HttpFaultsTest, ARequestWithoutHostIsRefused) {
  ExpectRefused("GET / HTTP/1.1\r\n\r\n", 400, "HOST_MISSING");
}

TEST_F(HttpFaultsTest, FiveThousandHeadersAreTooMany) {
  std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&head, "A:b\r\n");
  ExpectRefused(head + "\r\n", 431, "HEAD_TOO_LARGE");
}

TEST_F(HttpFaultsTest, ALongHeadIsTooLarge) {
  ExpectRefused(absl::StrCat("GET / HTTP/1.1\r\nHost: a\r\nX: ",
                             std::string(40 << 10, 'x'), "\r\n\r\n"),
                431, "HEAD_TOO_LARGE");
}

TEST_F(HttpFaultsTest, ALongHeaderBelowTheLimitReachesTheHandler) {
  const std::string token(20 << 10, 't');
  RawHttpClient client(server_.port());
  client.SendRequest("GET", "/",
                     absl::StrCat("Authorization: Bearer ", token, "\r\n"));
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_EQ(server_.handler().requests()[0].Header("authorization"),
            "Bearer " + token);
}

TEST_F(HttpFaultsTest, ALongPathIsTooLong) {
  ExpectRefused(absl::StrCat("GET /", std::string(8 << 10, 'p'),
                             " HTTP/1.1\r\nHost: a\r\n\r\n"),
                414, "TARGET_TOO_LONG");
}

TEST_F(HttpFaultsTest, SixtyFourMebibytesWithoutANewlineAreNotKept) {
  const int64_t before = ResidentBytes();
  RawHttpClient client(server_.port());
  const std::string block(64 << 10, 'A');
  for (int i = 0; i < kBlocks && client.Send(block); ++i) {
  }
  EXPECT_LT(ResidentBytes() - before, kBoundedBytes);
  RawHttpClient other(server_.port());
  other.SendRequest("GET", "/");
  EXPECT_EQ(other.Read().status, 200);
  EXPECT_TRUE(server_.HasMetric(
      "banyan_edge_http_rejected_total{reason=\"HEAD_TOO_LARGE\"} 1"));
}

TEST_F(HttpFaultsTest, AHugeChunkedBodyIsCutAtTheLimit) {
  const int64_t before = ResidentBytes();
  RawHttpClient client(server_.port());
  client.Send(absl::StrCat("POST / HTTP/1.1\r\nHost: ", client.Host(),
                           "\r\nTransfer-Encoding: chunked\r\n\r\n"));
  const std::string chunk =
      absl::StrCat("10000\r\n", std::string(64 << 10, 'b'), "\r\n");
  int sent = 0;
  while (sent < kBlocks && client.Send(chunk)) ++sent;
  // 8 MiB, what lies in socket buffers, and what a lingering end discards.
  EXPECT_LT(ResidentBytes() - before, kBoundedBytes);
  EXPECT_THAT(server_.handler().requests(), IsEmpty());
  RawHttpClient other(server_.port());
  other.SendRequest("GET", "/");
  EXPECT_EQ(other.Read().status, 200);
  EXPECT_TRUE(server_.HasMetric(
      "banyan_edge_http_rejected_total{reason=\"BODY_TOO_LARGE\"} 1"));
}

TEST_F(HttpFaultsTest, ABodyOverTheLimitIsRefusedByItsLength) {
  ExpectRefused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8388609\r\n\r\n",
                413, "BODY_TOO_LARGE");
}

TEST_F(HttpFaultsTest, ARefusalOfTheBodyCarriesTheCommonHeaders) {
  RawHttpClient client(server_.port());
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8388609\r\n\r\n");
  EXPECT_EQ(client.Read().headers.at("x-common"), "yes");
}

TEST_F(HttpFaultsTest, ABodyAtTheLimitIsRead) {
  RawHttpClient client(server_.port());
  client.SendRequest("POST", "/", "", std::string(8 << 20, 'b'));
  EXPECT_EQ(client.Read().body.size(), (size_t{8} << 20) + 7);
}

TEST_F(HttpFaultsTest, ASlowHeadIsGivenUp) {
  ExpectRefused("GET / HTTP/1.1\r\nHos", 408, "HEAD_TOO_SLOW");
}

TEST_F(HttpFaultsTest, AByteNowAndThenDoesNotExtendTheTimeForAHead) {
  RawHttpClient client(server_.port());
  client.Send("GET /");
  int sent = 0;
  while (sent < 5000 && !client.WaitReadable(3)) {
    client.Send("x");
    ++sent;
  }
  EXPECT_EQ(client.Read().status, 408);
}

TEST_F(HttpFaultsTest, ASlowBodyIsGivenUp) {
  ExpectRefused(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\nslow", 408,
      "BODY_TOO_SLOW");
  ExpectRefused(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na",
      408, "BODY_TOO_SLOW");
}

TEST_F(HttpFaultsTest, ARequestHiddenInAGetBodyIsNotExecuted) {
  RawHttpClient client(server_.port());
  const std::string hidden = client.RequestText("GET", "/hidden");
  for (const size_t edge : {4096u, 2048u, 0u}) {
    client.SendRequest("GET", "/seen", "",
                       std::string(edge, 'x') + hidden + std::string(100, 'y'));
    EXPECT_EQ(client.Read().status, 200);
  }
  for (const char* method : {"DELETE", "OPTIONS"}) {
    client.SendRequest(method, "/seen", "", hidden);
    EXPECT_EQ(client.Read().status, 200);
  }
  client.SendRequest("GET", "/after");
  EXPECT_EQ(client.Read().body, "GET /after ");
  for (const HttpRequest& request : server_.handler().requests()) {
    EXPECT_NE(request.path, "/hidden");
  }
  EXPECT_THAT(server_.handler().requests(), SizeIs(6));
}

TEST_F(HttpFaultsTest, HeaderValuesArriveAsTheyWereSent) {
  RawHttpClient client(server_.port());
  client.SendRequest("GET", "/", "Authorization: Bearer a%41%0D%0AX: y\r\n");
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_EQ(server_.handler().requests()[0].Header("authorization"),
            "Bearer a%41%0D%0AX: y");
}

TEST_F(HttpFaultsTest, AClientsRemoteAddrIsOneHeaderLikeAnyOther) {
  RawHttpClient client(server_.port());
  client.SendRequest("GET", "/", "REMOTE_ADDR: 9.9.9.9\r\nLOCAL_PORT: 1\r\n");
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_THAT(server_.handler().requests()[0].headers, SizeIs(3));
}

TEST_F(HttpFaultsTest, TheTextOfAnExceptionStaysInside) {
  RawHttpClient client(server_.port());
  client.SendRequest("GET", "/throws");
  const RawHttpResponse response = client.Read();
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.headers.count("exception_what"), 0u);
  EXPECT_THAT(response.body, Not(HasSubstr("secret")));
  client.SendRequest("GET", "/");
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(HttpFaultsTest, CompressionAndRangesAreNotAskedOfTheLibrary) {
  RawHttpClient client(server_.port());
  client.SendRequest("POST", "/",
                     "Accept-Encoding: gzip, br\r\nRange: bytes=0-1\r\n",
                     std::string(1000, 'b'));
  const RawHttpResponse response = client.Read();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.count("content-encoding"), 0u);
  EXPECT_EQ(response.body.size(), 1007u);
}

TEST_F(HttpFaultsTest, ACompressedBodyIsRefusedNotInflated) {
  ExpectRefused(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n"
      "Content-Length: 20\r\n\r\n",
      415, "UNSUPPORTED");
}

TEST_F(HttpFaultsTest, BodiesBeyondTheByteBudgetAreTurnedAway) {
  TestServer small({.max_buffered_bytes = 10 << 10});
  RawHttpClient client(small.port());
  // More than is read at once, so that some of it has to be held.
  client.SendRequest("POST", "/", "", std::string(90 << 10, 'b'));
  const RawHttpResponse response = client.Read();
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, HasSubstr("TOO_MANY_BYTES"));
  EXPECT_TRUE(client.IsClosed());

  // What was held was given back.
  RawHttpClient next(small.port());
  next.SendRequest("POST", "/", "", std::string(8 << 10, 'b'));
  EXPECT_EQ(next.Read().status, 200);
}

}  // namespace
}  // namespace banyan::edge
