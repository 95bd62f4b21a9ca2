// SPDX-License-Identifier: Apache-2.0
#include "edge/http/open_streams.h"

#include <gmock/gmock.h>

#include <deque>
#include <future>
#include <memory>
#include <string>

namespace banyan::edge {
namespace {

using testing::EndsWith;

// Streams whose clients are texts. Connections are only names here.
class OpenStreamsTest : public testing::Test {
 protected:
  struct Client {
    std::string wire;
    bool is_allowed = true;
    int aborts = 0;
  };

  // Streams write to it until they end, with the fixture.
  Client& NewClient() { return clients_.emplace_back(); }

  std::shared_ptr<EventStream> Open(Client& client) {
    auto stream = std::make_shared<EventStream>(
        EventStream::Options{.now = [this] { return now_; }},
        EventStream::Wire{
            .write =
                [&client](absl::string_view bytes, absl::Duration) {
                  client.wire.append(bytes.data(), bytes.size());
                  return true;
                },
            .abort = [&client] { ++client.aborts; },
            .is_allowed = [&client] { return client.is_allowed; }});
    stream->OpenToStay();
    stream->Leave();
    return stream;
  }

  const Connection* Name(int index) const {
    return reinterpret_cast<const Connection*>(names_ + index);
  }

  absl::Time now_ = absl::UnixEpoch();
  std::deque<Client> clients_;
  const char names_[8] = {};
  OpenStreams streams_{{.now = [this] { return now_; }}};
};

TEST_F(OpenStreamsTest, ASilentStreamGetsAComment) {
  Client& client = NewClient();
  streams_.Keep(Name(0), Open(client), "ana");
  client.wire.clear();
  streams_.LookAtAll();
  EXPECT_EQ(client.wire, "");
  now_ += absl::Seconds(10);
  streams_.LookAtAll();
  EXPECT_THAT(client.wire, EndsWith(": keep-alive\n\n\r\n"));
}

TEST_F(OpenStreamsTest, WhoeverMayNotReadAnyMoreIsCutOffAndNobodyElse) {
  Client& revoked = NewClient();
  Client& other = NewClient();
  streams_.Keep(Name(0), Open(revoked), "ana");
  const auto attended = Open(other);
  const auto lease = streams_.Add(attended);
  revoked.is_allowed = false;
  streams_.LookAtAll();
  EXPECT_THAT(revoked.wire, EndsWith("0\r\n\r\n"));
  EXPECT_TRUE(attended->Send("", "goes on"));
  other.is_allowed = false;
  streams_.LookAtAll();
  EXPECT_FALSE(attended->Send("", "ended"));
}

TEST_F(OpenStreamsTest, CountsTheStreamsOfEachReader) {
  Client& client = NewClient();
  streams_.Keep(Name(0), Open(client), "ana");
  streams_.Keep(Name(1), Open(client), "ana");
  streams_.Keep(Name(2), Open(client), "ben");
  EXPECT_EQ(streams_.CountOf("ana"), 2);
  EXPECT_TRUE(streams_.End(Name(0)));
  EXPECT_FALSE(streams_.End(Name(0)));
  EXPECT_EQ(streams_.CountOf("ana"), 1);
  EXPECT_EQ(streams_.CountOf("ben"), 1);
  EXPECT_EQ(streams_.CountOf("eve"), 0);
}

TEST_F(OpenStreamsTest, WhoeverIsToldOfAnEndMayTakeItsTime) {
  Client& client = NewClient();
  std::promise<void> is_told;
  std::promise<void> release;
  const auto stream = Open(client);
  stream->OnEnd([&] {
    is_told.set_value();
    release.get_future().wait();
  });
  streams_.Start();
  streams_.Keep(Name(0), stream, "ana");
  EXPECT_TRUE(streams_.End(Name(0)));
  is_told.get_future().wait();
  release.set_value();
  streams_.Stop();  // Its thread looks at what is declared here.
}

TEST_F(OpenStreamsTest, StoppingTellsEveryStream) {
  Client& client = NewClient();
  int ended = 0;
  const auto stream = Open(client);
  stream->OnEnd([&] { ++ended; });
  streams_.Keep(Name(0), stream, "ana");
  streams_.Stop();
  EXPECT_EQ(ended, 1);
  const auto late = Open(client);
  late->OnEnd([&] { ++ended; });
  streams_.Keep(Name(1), late, "ana");
  EXPECT_EQ(ended, 2);
}

}  // namespace
}  // namespace banyan::edge
