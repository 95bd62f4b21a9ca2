// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/message_framing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Framed(absl::string_view body) {
  return absl::StrCat(MessageHeader(body.size()), body);
}

std::vector<std::string> Drain(MessageReader& reader) {
  std::vector<std::string> messages;
  while (auto message = reader.Next()) messages.push_back(*std::move(message));
  return messages;
}

std::vector<std::string> ReadAll(MessageReader& reader,
                                 absl::string_view stream) {
  reader.Feed(stream);
  return Drain(reader);
}

std::vector<std::string> ReadAll(absl::string_view stream) {
  MessageReader reader;
  return ReadAll(reader, stream);
}

TEST(MessageReaderTest, AStreamSplitAtAnyByteGivesTheSameMessages) {
  const std::string stream =
      absl::StrCat("stray print\n", Framed("{\"a\":1}"), Framed(""),
                   "content-type: x\r\nCONTENT-LENGTH:3\r\n\r\n\xF0\x9F\x98",
                   Framed("Content-Length: 5\r\n\r\nhello"));
  const auto expected = ElementsAre("{\"a\":1}", "", "\xF0\x9F\x98",
                                    "Content-Length: 5\r\n\r\nhello");
  for (size_t split = 0; split <= stream.size(); ++split) {
    MessageReader reader;
    std::vector<std::string> messages =
        ReadAll(reader, absl::string_view(stream).substr(0, split));
    for (auto& message :
         ReadAll(reader, absl::string_view(stream).substr(split))) {
      messages.push_back(message);
    }
    EXPECT_THAT(messages, expected) << "split at " << split;
    EXPECT_EQ(reader.skipped_bytes(), 12) << "split at " << split;
    EXPECT_TRUE(reader.IsAtBoundary());
  }
}

TEST(MessageReaderTest, ByteByByteIsTheSameAsAllAtOnce) {
  const std::string stream = absl::StrCat(Framed("one"), Framed("two"));
  MessageReader reader;
  std::vector<std::string> messages;
  for (const char c : stream) {
    for (auto& message : ReadAll(reader, absl::string_view(&c, 1))) {
      messages.push_back(message);
    }
  }
  EXPECT_THAT(messages, ElementsAre("one", "two"));
}

TEST(MessageReaderTest, ABodyLargerThanAnyReadArrivesWhole) {
  std::string body(10 << 20, 'x');
  for (size_t i = 0; i < body.size(); i += 7919) body[i] = 'y';
  MessageReader reader;
  const std::string stream = absl::StrCat(Framed(body), Framed("next"));
  std::vector<std::string> messages;
  for (size_t at = 0; at < stream.size(); at += 65521) {
    for (auto& message :
         ReadAll(reader, absl::string_view(stream).substr(at, 65521))) {
      messages.push_back(std::move(message));
    }
  }
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_TRUE(messages[0] == body);
  EXPECT_EQ(messages[1], "next");
}

TEST(MessageReaderTest, ManyMessagesInOneReadComeInOrder) {
  std::string stream;
  for (int i = 0; i < 1000; ++i) stream += Framed(absl::StrCat(i));
  const auto messages = ReadAll(stream);
  ASSERT_EQ(messages.size(), 1000u);
  EXPECT_EQ(messages[999], "999");
}

TEST(MessageReaderTest, LinesMayEndInABareLineFeed) {
  EXPECT_THAT(ReadAll("Content-Length: 2\n\nok"), ElementsAre("ok"));
}

TEST(MessageReaderTest, OtherFieldsStandBeforeAndAfterTheLength) {
  EXPECT_THAT(ReadAll("X-One: 1\r\nContent-Length: 2\r\nContent-Type: "
                      "application/vscode-jsonrpc; charset=utf-8\r\n\r\nok"),
              ElementsAre("ok"));
}

TEST(MessageReaderTest, GarbageBeforeAHeaderIsSkippedAndCounted) {
  for (const std::string garbage :
       {"Loading plugins...\n", "no line end", "INFO: ready\r\n\r\n",
        "\r\n\r\n\r\n", "Content-Length: abc\r\n\r\n",
        "Content-Length: -5\r\n\r\n", "Content-Length:\r\n\r\n",
        "Content-Type: x\r\n\r\n{\"no\":\"length\"}"}) {
    MessageReader reader;
    EXPECT_THAT(ReadAll(reader, garbage + Framed("ok")), ElementsAre("ok"))
        << garbage;
    EXPECT_EQ(reader.skipped_bytes(), static_cast<int64_t>(garbage.size()))
        << garbage;
    EXPECT_THAT(reader.status(), IsOk());
  }
}

TEST(MessageReaderTest, ALongLineOfGarbageIsSkippedToo) {
  const std::string body(20'000, '{');
  MessageReader reader;
  EXPECT_THAT(ReadAll(reader, absl::StrCat(body, Framed("ok"))),
              ElementsAre("ok"));
  EXPECT_EQ(reader.skipped_bytes(), 20'000);
}

TEST(MessageReaderTest, EndlessGarbageIsAnErrorAndNothingComesAfterIt) {
  for (const char* garbage : {"x", "line\n", "Name: value\n", "\n"}) {
    MessageReader reader;
    std::string stream;
    while (stream.size() < 100'000) stream += garbage;
    EXPECT_THAT(ReadAll(reader, stream), IsEmpty());
    EXPECT_FALSE(reader.status().ok()) << garbage;
    EXPECT_THAT(ReadAll(reader, Framed("late")), IsEmpty());
  }
}

TEST(MessageReaderTest, GarbageIsForgivenAgainAfterAGoodMessage) {
  MessageReader reader({.garbage_bytes = 100});
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(ReadAll(reader, std::string(80, '\n') + Framed("ok")),
                ElementsAre("ok"));
  }
}

TEST(MessageReaderTest, ABodyOverTheLimitIsAnErrorBeforeItsBytesCome) {
  MessageReader reader({.body_bytes = 1000});
  EXPECT_THAT(ReadAll(reader, Framed(std::string(1000, 'x'))),
              testing::SizeIs(1));
  EXPECT_THAT(ReadAll(reader, "Content-Length: 1001\r\n\r\n"), IsEmpty());
  EXPECT_THAT(reader.status(), HasCode(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(std::string(reader.status().message()), HasSubstr("1001"));
}

TEST(MessageReaderTest, ALengthThatOverflowsIsNoLength) {
  MessageReader reader;
  EXPECT_THAT(
      ReadAll(reader,
              "Content-Length: 99999999999999999999999\r\n\r\n" + Framed("ok")),
      ElementsAre("ok"));
  EXPECT_THAT(ReadAll("Content-Length: 18446744073709551615\r\n\r\n"),
              IsEmpty());
}

TEST(MessageReaderTest, AHeaderOverTheLimitIsAnError) {
  for (const std::string& filler : {std::string(9000, 'x'), [] {
                                      std::string lines;
                                      for (int i = 0; i < 2000; ++i)
                                        lines += "A: b\r\n";
                                      return lines;
                                    }()}) {
    MessageReader reader;
    reader.Feed("Content-Length: 2\r\nX-Filler: ");
    reader.Feed(filler);
    EXPECT_FALSE(reader.Next().has_value());
    // The rest of a line may be seen as such only with what follows it.
    reader.Feed("\r\n\r\nok");
    EXPECT_FALSE(reader.Next().has_value());
  }
}

TEST(MessageReaderTest, AClaimedLengthTakesNoMemoryBeforeItsBytesCome) {
  MessageReader reader;
  reader.Feed("Content-Length: 60000000\r\n\r\n");
  EXPECT_FALSE(reader.Next().has_value());
  EXPECT_LE(reader.Space().size(), 1u << 20);
}

TEST(MessageReaderTest, TheEndOfTheStreamInsideAMessageIsNoBoundary) {
  MessageReader reader;
  EXPECT_TRUE(reader.IsAtBoundary());
  reader.Feed("Content-Le");
  EXPECT_FALSE(reader.Next().has_value());
  EXPECT_FALSE(reader.IsAtBoundary());
  reader.Feed("ngth: 5\r\n\r\nhell");
  EXPECT_FALSE(reader.Next().has_value());
  EXPECT_FALSE(reader.IsAtBoundary());
  EXPECT_THAT(ReadAll(reader, "o"), ElementsAre("hello"));
  EXPECT_TRUE(reader.IsAtBoundary());
}

}  // namespace
}  // namespace banyan::lspd
