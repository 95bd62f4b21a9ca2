// SPDX-License-Identifier: Apache-2.0
#include "edge/http/head_reader.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const ReadLimits& Limits() {
  static const ReadLimits limits;
  return limits;
}

std::unique_ptr<HeadReader> Read(absl::string_view text) {
  auto reader = std::make_unique<HeadReader>(Limits());
  reader->Feed(text);
  return reader;
}

// Status of the refusal, 0 for a good head, -1 for one that has no end yet.
int StatusOf(absl::string_view text) {
  const auto reader = Read(text);
  if (reader->refusal().has_value()) return reader->refusal()->status;
  return reader->IsComplete() ? 0 : -1;
}

// A head with these lines besides the request line and Host.
int StatusOfLines(absl::string_view lines) {
  return StatusOf(
      absl::StrCat("POST /mcp HTTP/1.1\r\nHost: a\r\n", lines, "\r\n"));
}

constexpr char kHead[] =
    "POST /mcp/p/web%20shop?access=read-only&x=1 HTTP/1.1\r\n"
    "Host: localhost:8420\r\n"
    "Content-LENGTH:  7 \r\n"
    "Authorization: Bearer a%41%0D%0A\r\n"
    "X-Empty:\r\n"
    "Connection: TE, Close\r\n"
    "\r\n";

void ExpectWhole(HeadReader& reader) {
  ASSERT_TRUE(reader.IsComplete());
  const HttpRequest& request = reader.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/mcp/p/web%20shop");
  EXPECT_EQ(request.query, "access=read-only&x=1");
  EXPECT_EQ(request.content_length, 7u);
  EXPECT_FALSE(request.keep_alive);
  EXPECT_THAT(
      request.headers,
      ElementsAre(Pair("host", "localhost:8420"), Pair("content-length", "7"),
                  Pair("authorization", "Bearer a%41%0D%0A"),
                  Pair("x-empty", ""), Pair("connection", "TE, Close")));
}

TEST(HeadReaderTest, ReadsTheSameWhereverTheBytesAreSplit) {
  const absl::string_view head = kHead;
  for (size_t split = 0; split <= head.size(); ++split) {
    HeadReader reader(Limits());
    ASSERT_EQ(reader.Feed(head.substr(0, split)), split);
    ASSERT_EQ(reader.IsComplete(), split == head.size()) << split;
    if (!reader.IsComplete()) reader.Feed(head.substr(split));
    ExpectWhole(reader);
  }
}

TEST(HeadReaderTest, ReadsByteByByte) {
  HeadReader reader(Limits());
  for (const char c : absl::string_view(kHead)) {
    ASSERT_EQ(reader.Feed(absl::string_view(&c, 1)), 1u);
  }
  ExpectWhole(reader);
}

TEST(HeadReaderTest, LeavesWhatComesAfterTheHead) {
  HeadReader reader(Limits());
  const std::string text = absl::StrCat(kHead, "{\"a\":1}GET / HTTP/1.1");
  EXPECT_EQ(reader.Feed(text), absl::string_view(kHead).size());
  ExpectWhole(reader);
}

TEST(HeadReaderTest, ForgivesEmptyLinesBeforeTheRequestButNotManyOfThem) {
  EXPECT_EQ(StatusOf("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), 0);
  EXPECT_EQ(StatusOf("\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_FALSE(Read("\r\n")->HasBegun());
  EXPECT_TRUE(Read("\r\nG")->HasBegun());
}

TEST(HeadReaderTest, RefusesMalformedRequestLines) {
  const struct {
    const char* line;
    int status;
  } cases[] = {
      {"GET / HTTP/1.1", 0},
      {"GET / HTTP/1.0", 0},
      {"OPTIONS * HTTP/1.1", 0},
      {"GET /", 400},
      {"GET", 400},
      {"GET  HTTP/1.1", 400},
      {" GET / HTTP/1.1", 400},
      {"GET / x HTTP/1.1", 400},
      {"GET / HTTP/1.1 ", 400},
      {"GET\t/\tHTTP/1.1", 400},
      {"G(T / HTTP/1.1", 400},
      {"GET / http/1.1", 400},
      {"GET / HTTP/2.0", 505},
      {"PRI * HTTP/2.0", 505},
      {"GET mcp HTTP/1.1", 400},
      {"GET /a#b HTTP/1.1", 400},
      {"GET /\x01 HTTP/1.1", 400},
      {"GET /\xC3\xA9 HTTP/1.1", 400},
      {"GET / HTTP/1.1\r", 400},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(StatusOf(absl::StrCat(c.line, "\r\nHost: a\r\n\r\n")), c.status)
        << c.line;
  }
}

TEST(HeadReaderTest, TakesPathAndHostOutOfATargetInAbsoluteForm) {
  const auto reader =
      Read("GET http://real:80?q HTTP/1.1\r\nHost: other\r\n\r\n");
  ASSERT_TRUE(reader->IsComplete());
  EXPECT_EQ(reader->request().path, "/");
  EXPECT_EQ(reader->request().query, "q");
  EXPECT_EQ(reader->request().Header("host"), "real:80");
  EXPECT_EQ(
      Read("GET https://a/mcp HTTP/1.1\r\nHost: b\r\n\r\n")->request().path,
      "/mcp");
}

TEST(HeadReaderTest, RefusesHeaderLinesThatAProxyCouldReadInAnotherWay) {
  const struct {
    const char* name;
    absl::string_view lines;
    int status;
  } cases[] = {
      {"plain", "X: y\r\n", 0},
      {"tab inside", "X: y\tz\r\n", 0},
      {"bytes above ASCII", "X: \xC3\xA9\r\n", 0},
      {"blank before the colon", "X : y\r\n", 400},
      {"tab before the colon", "X\t: y\r\n", 400},
      {"no colon", "X\r\n", 400},
      {"no name", ": y\r\n", 400},
      {"folded line", "X: y\r\n z\r\n", 400},
      {"line feed alone", "X: y\n", 400},
      {"line feed alone hides a header", "X: y\nContent-Length: 5\r\n", 400},
      {"carriage return alone", "X: y\rContent-Length: 5\r\n", 400},
      {"NUL", absl::string_view("X: \0y\r\n", 7), 400},
      {"escape", "X: \x1b[2J\r\n", 400},
      {"delete", "X: \x7f\r\n", 400},
      {"control in the name", "X\x01: y\r\n", 400},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(StatusOfLines(c.lines), c.status) << c.name;
  }
}

TEST(HeadReaderTest, WantsExactlyOneStatementAboutTheLength) {
  const struct {
    const char* lines;
    int status;
  } cases[] = {
      {"Content-Length: 5\r\n", 0},
      {"Transfer-Encoding: Chunked\r\n", 0},
      {"Content-Length: 5\r\nContent-Length: 6\r\n", 400},
      {"Content-Length: 5\r\ncontent-length: 5\r\n", 400},
      {"Content-Length: 5, 5\r\n", 400},
      {"Content-Length: +5\r\n", 400},
      {"Content-Length: -1\r\n", 400},
      {"Content-Length: 0x5\r\n", 400},
      {"Content-Length: 5 5\r\n", 400},
      {"Content-Length:\r\n", 400},
      {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400},
      {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
      {"Transfer-Encoding: gzip, chunked\r\n", 501},
      {"Transfer-Encoding: xchunked\r\n", 501},
      {"Transfer-Encoding: identity\r\n", 501},
      {"Content-Length: 8388608\r\n", 0},
      {"Content-Length: 8388609\r\n", 413},
      {"Content-Length: 99999999999999999999999999\r\n", 413},
      {"Content-Encoding: gzip\r\n", 415},
      {"Content-Encoding: identity\r\n", 0},
      {"Expect: 100-continue\r\n", 0},
      {"Expect: the-best\r\n", 417},
      {"Origin: http://a\r\nOrigin: http://b\r\n", 400},
      {"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n", 400},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(StatusOfLines(c.lines), c.status) << c.lines;
  }
  EXPECT_EQ(
      StatusOf(
          "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"),
      400);
}

TEST(HeadReaderTest, WantsOneHost) {
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.0\r\n\r\n"), 0);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"), 0);
}

TEST(HeadReaderTest, LivesOnUnlessToldOtherwise) {
  EXPECT_TRUE(Read("GET / HTTP/1.1\r\nHost: a\r\n\r\n")->request().keep_alive);
  EXPECT_FALSE(Read("GET / HTTP/1.0\r\nHost: a\r\n\r\n")->request().keep_alive);
}

TEST(HeadReaderTest, LimitsTheLines) {
  std::string lines;
  for (int i = 0; i < 97; ++i) absl::StrAppend(&lines, "X: y\r\n");
  // With request line, Host and the empty line that is the hundredth.
  EXPECT_EQ(StatusOfLines(lines), 0);
  EXPECT_EQ(StatusOfLines(absl::StrCat(lines, "X: y\r\n")), 431);
}

TEST(HeadReaderTest, LimitsTheBytesAndSaysSoBeforeTheEnd) {
  const std::string filler =
      absl::StrCat("X: ", std::string(31 << 10, 'y'), "\r\n");
  EXPECT_EQ(StatusOfLines(filler), 0);
  EXPECT_EQ(StatusOfLines(
                absl::StrCat("A: ", std::string(2048, 'y'), "\r\n", filler)),
            431);
  EXPECT_EQ(StatusOf(absl::StrCat("GET / HTTP/1.1\r\nX: ",
                                  std::string(33 << 10, 'y'))),
            431);
}

TEST(HeadReaderTest, LimitsThePath) {
  const std::string longest = absl::StrCat("/", std::string(8191, 'p'));
  const std::string rest = " HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(StatusOf(absl::StrCat("GET ", longest, rest)), 0);
  EXPECT_EQ(StatusOf(absl::StrCat("GET ", longest, "p", rest)), 414);
  EXPECT_EQ(StatusOf(absl::StrCat("GET /", std::string(20 << 10, 'p'))), 414);
}

TEST(HeadReaderTest, KeepsLittleOfALineWithoutAnEnd) {
  HeadReader reader(Limits());
  const std::string block(64 << 10, 'A');
  EXPECT_LT(reader.Feed(block), block.size());
  ASSERT_TRUE(reader.refusal().has_value());
  EXPECT_EQ(reader.refusal()->status, 431);
}

TEST(HeadReaderTest, KnowsTheHeadersOfAHeadThatItRefuses) {
  const auto reader = Read(
      "POST / HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\n"
      "Content-Length: 99999999\r\n\r\n");
  ASSERT_TRUE(reader->HasAllLines());
  EXPECT_FALSE(reader->IsComplete());
  EXPECT_EQ(reader->request().Header("origin"), "http://a");
}

}  // namespace
}  // namespace banyan::edge
