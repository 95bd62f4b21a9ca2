// SPDX-License-Identifier: Apache-2.0
#include "edge/http/body_reader.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

const ReadLimits& Limits() {
  static const ReadLimits limits;
  return limits;
}

struct Outcome {
  std::string body;
  size_t taken = 0;
  bool is_complete = false;
  int status = 0;  // Of the refusal.
};

Outcome ReadPieces(const HttpRequest& head, absl::string_view first,
                   absl::string_view second) {
  BodyReader reader(head, Limits());
  Outcome outcome;
  outcome.taken = reader.Feed(first, outcome.body);
  if (!reader.IsComplete() && !reader.refusal().has_value()) {
    outcome.taken += reader.Feed(second, outcome.body);
  }
  outcome.is_complete = reader.IsComplete() && !reader.refusal().has_value();
  if (reader.refusal().has_value()) outcome.status = reader.refusal()->status;
  return outcome;
}

Outcome ReadChunked(absl::string_view text) {
  return ReadPieces({.is_chunked = true}, text, "");
}

TEST(BodyReaderTest, TakesTheAnnouncedLengthAndNoMore) {
  const absl::string_view text = "{\"a\":1}GET /next";
  for (size_t split = 0; split <= text.size(); ++split) {
    const Outcome outcome = ReadPieces(
        {.content_length = 7}, text.substr(0, split), text.substr(split));
    EXPECT_EQ(outcome.body, "{\"a\":1}");
    EXPECT_EQ(outcome.taken, 7u);
    EXPECT_TRUE(outcome.is_complete);
  }
}

TEST(BodyReaderTest, NoBodyIsCompleteAtOnce) {
  EXPECT_TRUE(BodyReader({}, Limits()).IsComplete());
}

TEST(BodyReaderTest, PutsChunksTogetherWhereverTheBytesAreSplit) {
  const absl::string_view chunks =
      "3;ext=\"1\"\r\n{\"a\r\n0004\r\n\":1}\r\n0\r\nTrailer: x\r\n\r\n";
  const std::string text = absl::StrCat(chunks, "GET /next");
  for (size_t split = 0; split <= text.size(); ++split) {
    const Outcome outcome = ReadPieces({.is_chunked = true},
                                       absl::string_view(text).substr(0, split),
                                       absl::string_view(text).substr(split));
    EXPECT_EQ(outcome.body, "{\"a\":1}") << split;
    EXPECT_EQ(outcome.taken, chunks.size()) << split;
    EXPECT_TRUE(outcome.is_complete) << split;
  }
}

TEST(BodyReaderTest, RefusesMalformedChunks) {
  const struct {
    const char* name;
    std::string text;
  } cases[] = {
      {"no digits", "\r\nabc"},
      {"words", "xyz\r\n"},
      {"sign", "-1\r\n"},
      {"prefix", "0x5\r\nhello\r\n"},
      {"blank inside", "1 2\r\n"},
      {"more than 16 digits", "00000000000000005\r\nhello\r\n"},
      {"line feed alone", "5\nhello\r\n"},
      {"chunk longer than it says", "3\r\nhello\r\n"},
      {"chunk ends with line feed", "5\r\nhello\n0\r\n\r\n"},
      {"control in an extension", "5;\x01\r\nhello\r\n"},
      {"endless extension", absl::StrCat("5;", std::string(2000, 'x'))},
      {"endless trailers", absl::StrCat("0\r\n",
                                        [] {
                                          std::string lines;
                                          for (int i = 0; i < 1000; ++i)
                                            lines += "Trailer: x\r\n";
                                          return lines;
                                        }())},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ReadChunked(c.text).status, 400) << c.name;
  }
}

TEST(BodyReaderTest, RefusesTheChunkThatWouldPassTheLimit) {
  const std::string most = absl::StrCat(absl::Hex(8 << 20), "\r\n",
                                        std::string(8 << 20, 'b'), "\r\n");
  EXPECT_TRUE(ReadChunked(absl::StrCat(most, "0\r\n\r\n")).is_complete);
  const Outcome over = ReadChunked(absl::StrCat(most, "1\r\nb\r\n0\r\n\r\n"));
  EXPECT_EQ(over.status, 413);
  EXPECT_EQ(over.body.size(), size_t{8} << 20);
}

TEST(BodyReaderTest, RefusesAHugeChunkBeforeItsFirstByte) {
  EXPECT_EQ(ReadChunked("800001\r\n").status, 413);
  EXPECT_EQ(ReadChunked("ffffffffffffffff\r\n").status, 413);
  // A sum that would wrap around.
  EXPECT_EQ(ReadChunked("1\r\nb\r\nffffffffffffffff\r\n").status, 413);
}

}  // namespace
}  // namespace banyan::edge
