// SPDX-License-Identifier: Apache-2.0
#include "edge/http/request_reader.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace banyan::edge {
namespace {

using ::testing::ElementsAre;
using Event = RequestReader::Event;
using Phase = RequestReader::Phase;

const ReadLimits& Limits() {
  static const ReadLimits limits;
  return limits;
}

// "METHOD path body" of every request that is whole.
std::vector<std::string> Drain(RequestReader& reader) {
  std::vector<std::string> requests;
  for (;;) {
    const Event event = reader.Next();
    if (event == Event::kHead) continue;
    if (event != Event::kRequest) return requests;
    const HttpRequest& request = reader.request();
    requests.push_back(request.method + " " + request.path + " " +
                       request.body);
    reader.Restart();
  }
}

constexpr char kThree[] =
    "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none"
    "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
    "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nthree\r\n0\r\n\r\n";

TEST(RequestReaderTest, ReadsPipelinedRequestsInOrderWhereverTheyAreSplit) {
  const absl::string_view text = kThree;
  for (size_t split = 0; split <= text.size(); ++split) {
    RequestReader reader(Limits());
    reader.Feed(text.substr(0, split));
    std::vector<std::string> requests = Drain(reader);
    reader.Feed(text.substr(split));
    for (std::string& more : Drain(reader)) requests.push_back(std::move(more));
    EXPECT_THAT(requests,
                ElementsAre("POST /1 one", "GET /2 ", "POST /3 three"))
        << split;
  }
}

TEST(RequestReaderTest, TellsTheHeadBeforeItsBodyIsThere) {
  RequestReader reader(Limits());
  reader.Feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(reader.Next(), Event::kHead);
  EXPECT_EQ(reader.Next(), Event::kNeedBytes);
  EXPECT_EQ(reader.phase(), Phase::kBody);
  reader.Feed("one");
  EXPECT_EQ(reader.Next(), Event::kRequest);
  EXPECT_EQ(reader.Next(), Event::kRequest);
}

TEST(RequestReaderTest, RequestHiddenInABodyStaysABody) {
  RequestReader reader(Limits());
  const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string body = std::string(4096, 'x') + hidden;
  reader.Feed("GET /seen HTTP/1.1\r\nHost: a\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_THAT(Drain(reader), ElementsAre("GET /seen " + body));
}

TEST(RequestReaderTest, NothingIsReadAfterARefusal) {
  RequestReader reader(Limits());
  reader.Feed("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(reader.Next(), Event::kRefused);
  EXPECT_EQ(reader.Next(), Event::kRefused);
  EXPECT_EQ(reader.refusal().reason, RefusalReason::kHostMissing);
}

TEST(RequestReaderTest, KnowsWhatTheNextByteBelongsTo) {
  RequestReader reader(Limits());
  EXPECT_EQ(reader.Next(), Event::kNeedBytes);
  EXPECT_EQ(reader.phase(), Phase::kIdle);
  reader.Feed("G");
  EXPECT_EQ(reader.Next(), Event::kNeedBytes);
  EXPECT_EQ(reader.phase(), Phase::kHead);
  reader.Feed("ET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(reader.Next(), Event::kHead);
  EXPECT_EQ(reader.Next(), Event::kRequest);
  reader.Restart();
  EXPECT_EQ(reader.phase(), Phase::kIdle);
}

}  // namespace
}  // namespace banyan::edge
