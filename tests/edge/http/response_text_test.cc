// SPDX-License-Identifier: Apache-2.0
#include "edge/http/response_text.h"

#include <gmock/gmock.h>

namespace banyan::edge {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ResponseTextTest, WritesOneWholeAnswer) {
  const std::string text = ResponseText(
      {.status = 404,
       .headers = {{"Content-Type", "application/json"}, {"X-A", "b"}},
       .body = "{\"n\":1}"},
      {.keep_alive = true, .idle_timeout = absl::Seconds(33)});
  EXPECT_THAT(text, StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(text, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(text, HasSubstr("X-A: b\r\n"));
  EXPECT_THAT(text, HasSubstr("Content-Length: 7\r\n"));
  EXPECT_THAT(text, HasSubstr("Keep-Alive: timeout=33"));
  EXPECT_THAT(text, Not(HasSubstr("Connection: close")));
  EXPECT_THAT(text, EndsWith("\r\n\r\n{\"n\":1}"));
}

TEST(ResponseTextTest, SaysWhenItIsTheLast) {
  EXPECT_THAT(ResponseText({}, {.keep_alive = false}),
              HasSubstr("Connection: close\r\n"));
}

TEST(ResponseTextTest, AcceptedWithoutABodyHasZeroBytes) {
  const std::string text = ResponseText({.status = 202}, {});
  EXPECT_THAT(text, StartsWith("HTTP/1.1 202 Accepted\r\n"));
  EXPECT_THAT(text, HasSubstr("Content-Length: 0\r\n"));
  EXPECT_THAT(text, EndsWith("\r\n\r\n"));
}

TEST(ResponseTextTest, HeadGetsNoBody) {
  const std::string text =
      ResponseText({.status = 405, .body = "no"}, {.method = "HEAD"});
  EXPECT_THAT(text, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_THAT(text, EndsWith("\r\n\r\n"));
}

TEST(ResponseTextTest, AHeaderValueCannotAddALine) {
  const std::string text = ResponseText(
      {.headers = {{"X-A", "b\r\nSet-Cookie: c=d"}}, .body = ""}, {});
  EXPECT_THAT(text, HasSubstr("X-A: bSet-Cookie: c=d\r\n"));
  EXPECT_THAT(EventStreamHead({{"X-A", "b\nX-C: d"}}, true, true),
              HasSubstr("X-A: bX-C: d\r\n"));
}

TEST(ResponseTextTest, EveryStatusOfOursHasItsName) {
  const struct {
    int status;
    const char* line;
  } cases[] = {
      {400, "400 Bad Request"},
      {401, "401 Unauthorized"},
      {403, "403 Forbidden"},
      {405, "405 Method Not Allowed"},
      {408, "408 Request Timeout"},
      {413, "413 Payload Too Large"},
      {414, "414 URI Too Long"},
      {415, "415 Unsupported Media Type"},
      {417, "417 Expectation Failed"},
      {429, "429 Too Many Requests"},
      {431, "431 Request Header Fields Too Large"},
      {500, "500 Internal Server Error"},
      {501, "501 Not Implemented"},
      {503, "503 Service Unavailable"},
      {505, "505 HTTP Version Not Supported"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ResponseText({.status = c.status}, {}), HasSubstr(c.line))
        << c.line;
  }
}

}  // namespace
}  // namespace banyan::edge
