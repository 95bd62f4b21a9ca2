// SPDX-License-Identifier: Apache-2.0
#include "edge/http/event_stream.h"

#include <gmock/gmock.h>

#include <future>
#include <string>

namespace banyan::edge {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class EventStreamTest : public ::testing::Test {
 protected:
  EventStream Make(EventStream::Options options) {
    options.now = [this] { return now_; };
    return EventStream(
        std::move(options),
        {.write =
             [this](absl::string_view bytes, absl::Duration timeout) {
               last_timeout_ = timeout;
               if (is_gone_) return false;
               wire_.append(bytes.data(), bytes.size());
               return true;
             },
         .end = [this] { ends_++; },
         .abort = [this] { aborts_++; }});
  }

  // As the server does it. False: the connection is of no more use.
  bool Finish(EventStream& stream, absl::string_view last) {
    const auto rest = stream.TakeEnd(last);
    wire_ += rest.value_or("");
    return rest.has_value();
  }

  std::string wire_;
  bool is_gone_ = false;
  absl::Time now_ = absl::UnixEpoch();
  absl::Duration last_timeout_;
  int ends_ = 0;
  int aborts_ = 0;
};

TEST_F(EventStreamTest, WritesNothingUntilItIsOpened) {
  EventStream stream = Make({});
  EXPECT_FALSE(stream.is_open());
  EXPECT_EQ(wire_, "");
}

TEST_F(EventStreamTest, OpeningSendsTheHeadAtOnceAndOnce) {
  EventStream stream = Make({.headers = {{"Vary", "Origin"}}});
  EXPECT_TRUE(stream.Open());
  EXPECT_THAT(wire_, HasSubstr("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(wire_, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(wire_, HasSubstr("X-Accel-Buffering: no\r\n"));
  EXPECT_THAT(wire_, HasSubstr("Cache-Control: no-cache, no-transform\r\n"));
  EXPECT_THAT(wire_, HasSubstr("Vary: Origin\r\n"));
  EXPECT_THAT(wire_, EndsWith("\r\n\r\n"));
  const std::string head = wire_;
  EXPECT_TRUE(stream.Open());
  EXPECT_EQ(wire_, head);
}

TEST_F(EventStreamTest, EachEventIsOneChunk) {
  EventStream stream = Make({});
  stream.Open();
  wire_.clear();
  EXPECT_TRUE(stream.Send("s7-1", "{}"));
  EXPECT_EQ(wire_, "22\r\nevent: message\nid: s7-1\ndata: {}\n\n\r\n");
  wire_.clear();
  EXPECT_TRUE(stream.Send("", ""));
  EXPECT_EQ(wire_, "17\r\nevent: message\ndata: \n\n\r\n");
}

TEST_F(EventStreamTest, DataWithLineBreaksStaysOneEvent) {
  EventStream stream = Make({});
  stream.Send("", "a\nevent: b\n\nc");
  EXPECT_THAT(wire_, HasSubstr("data: a\ndata: event: b\ndata: \ndata: c\n\n"));
}

TEST_F(EventStreamTest, TheAnswerIsTheLastEvent) {
  EventStream stream = Make({});
  stream.Send("", "1");
  EXPECT_TRUE(Finish(stream, "2"));
  EXPECT_THAT(wire_, EndsWith("data: 2\n\n\r\n0\r\n\r\n"));
  EXPECT_FALSE(stream.Send("", "3"));
  EXPECT_THAT(wire_, Not(HasSubstr("data: 3")));
}

TEST_F(EventStreamTest, WithoutChunksTheEndOfTheConnectionIsTheEnd) {
  EventStream stream = Make({.is_chunked = false, .keep_alive = false});
  stream.Send("", "1");
  Finish(stream, "");
  EXPECT_THAT(wire_, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_THAT(wire_, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(wire_, EndsWith("\r\n\r\nevent: message\ndata: 1\n\n"));
}

TEST_F(EventStreamTest, SaysWhenTheClientIsGone) {
  EventStream stream = Make({});
  EXPECT_TRUE(stream.Send("", "1"));
  is_gone_ = true;
  EXPECT_FALSE(stream.Send("", "2"));
  is_gone_ = false;
  EXPECT_FALSE(stream.Send("", "3"));
  EXPECT_FALSE(Finish(stream, "4"));
  EXPECT_THAT(wire_, Not(HasSubstr("data: 3")));
}

TEST_F(EventStreamTest, AnIdCannotAddALine) {
  EventStream stream = Make({});
  stream.Send("1\ndata: x", "y");
  EXPECT_THAT(wire_, Not(HasSubstr("\ndata: x")));
}

TEST_F(EventStreamTest, AStreamThatStaysEndsWithItsConnection) {
  EventStream stream = Make({});
  EXPECT_TRUE(stream.OpenToStay());
  EXPECT_THAT(wire_, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(stream.stays_open());
  stream.Close("last");
  EXPECT_THAT(wire_, EndsWith("data: last\n\n\r\n0\r\n\r\n"));
  EXPECT_EQ(ends_, 1);
  EXPECT_FALSE(stream.Send("", "later"));
  stream.Close("again");
  EXPECT_EQ(ends_, 1);
}

TEST_F(EventStreamTest, APrimingEventHasAnIdAndNoData) {
  EventStream stream = Make({.is_chunked = false});
  stream.Open();
  wire_.clear();
  EXPECT_TRUE(stream.Prime("s1-0\ndata: x", absl::Seconds(2)));
  EXPECT_EQ(wire_, "id: s1-0\nretry: 2000\ndata: \n\n");
}

// Field report 3.
TEST_F(EventStreamTest, OnlyASilentStreamGetsAComment) {
  EventStream stream = Make({.is_chunked = false});
  stream.Comment(now_);
  EXPECT_EQ(wire_, "") << "commented before it was open";
  stream.Open();
  wire_.clear();
  stream.Comment(now_ - absl::Seconds(1));
  EXPECT_EQ(wire_, "");
  stream.Comment(now_);
  EXPECT_EQ(wire_, ": keep-alive\n\n");
  EXPECT_EQ(last_timeout_, absl::ZeroDuration());
  Finish(stream, "");
  wire_.clear();
  stream.Comment(now_ + absl::Hours(1));
  EXPECT_EQ(wire_, "") << "commented after the end";
}

TEST_F(EventStreamTest, AClientThatTakesNoCommentIsCutOff) {
  EventStream stream = Make({});
  stream.OpenToStay();
  is_gone_ = true;
  stream.Comment(now_);
  EXPECT_EQ(aborts_, 1);
  EXPECT_FALSE(stream.Send("", "1"));
}

TEST_F(EventStreamTest, AClientThatNeverClosesIsCutOffAfterTheEnd) {
  EventStream stream = Make({});
  stream.OpenToStay();
  stream.Close("");
  stream.Comment(now_ - absl::Seconds(1));
  EXPECT_EQ(aborts_, 0);
  stream.Comment(now_);
  EXPECT_EQ(aborts_, 1);
}

TEST_F(EventStreamTest, AWriterOfManyStreamsWaitsForNoneForLong) {
  EventStream stream = Make({});
  stream.OpenToStay();
  EXPECT_EQ(last_timeout_, absl::Seconds(30));
  stream.Leave();
  is_gone_ = true;
  EXPECT_FALSE(stream.Send("", "1"));
  EXPECT_LT(last_timeout_, absl::Seconds(1));
  EXPECT_EQ(aborts_, 1) << "nobody would notice";
}

TEST_F(EventStreamTest, OneThatBrokeBeforeItsThreadLeftIsCutOffThen) {
  EventStream stream = Make({});
  stream.OpenToStay();
  is_gone_ = true;
  stream.Send("", "1");
  EXPECT_EQ(aborts_, 0) << "its thread knows";
  stream.Leave();
  EXPECT_EQ(aborts_, 1) << "nobody would notice";
}

TEST_F(EventStreamTest, AStreamThatIsCutOffEndsWithoutWaiting) {
  EventStream stream = Make({});
  stream.OpenToStay();
  stream.CutOff();
  EXPECT_THAT(wire_, EndsWith("0\r\n\r\n"));
  EXPECT_EQ(last_timeout_, absl::ZeroDuration());
  EXPECT_EQ(ends_, 1);
  EXPECT_FALSE(stream.Send("", "later"));
}

TEST_F(EventStreamTest, AWriterThatWaitsHoldsUpNoneOfItsEnds) {
  for (const auto& end : {&EventStream::CutOff, &EventStream::End}) {
    std::promise<void> is_writing;
    std::promise<void> is_aborted;
    int writes = 0;
    EventStream stream({}, {.write =
                                [&](absl::string_view, absl::Duration) {
                                  if (++writes == 1) return true;
                                  is_writing.set_value();
                                  is_aborted.get_future().wait();
                                  return false;
                                },
                            .abort =
                                [&] {
                                  if (++aborts_ == 1) is_aborted.set_value();
                                }});
    aborts_ = 0;
    stream.OpenToStay();
    auto writer = std::async(std::launch::async,
                             [&] { return stream.Send("", "to who sleeps"); });
    is_writing.get_future().wait();
    (stream.*end)();
    EXPECT_FALSE(writer.get());
  }
}

TEST_F(EventStreamTest, TheEndOfAStreamThatStayedIsNotWaitedFor) {
  EventStream stream = Make({});
  stream.OpenToStay();
  stream.Leave();
  stream.Close("last");
  EXPECT_EQ(last_timeout_, absl::ZeroDuration());
}

TEST_F(EventStreamTest, TellsOnceThatItEnded) {
  int ended = 0;
  EventStream stream = Make({});
  stream.OpenToStay();
  stream.OnEnd([&] { ++ended; });
  stream.End();
  stream.End();
  EXPECT_EQ(ended, 1);
  EventStream closed = Make({});
  closed.OpenToStay();
  closed.Close("");
  closed.OnEnd([&] { ++ended; });
  EXPECT_EQ(ended, 2) << "told of an end that had come before";
}

}  // namespace
}  // namespace banyan::edge
