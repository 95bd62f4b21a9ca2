// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "banyan/session/v1/session_service.grpc.pb.h"
#include "edge/clients/session_watch.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/grpc_server.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using session::v1::WatchRequest;
using session::v1::WatchResponse;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

// What happens, in order, and a wait for it.
class Diary {
 public:
  void Write(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    written_.notify_all();
  }

  // The first `count` lines since the last call, once they are there.
  std::vector<std::string> Take(size_t count) {
    std::unique_lock lock(mutex_);
    written_.wait_for(lock, std::chrono::seconds(20),
                      [&] { return lines_.size() >= count; });
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable written_;
  std::vector<std::string> lines_;  // Guarded by mutex_.
};

// Reads what edges want to hear of and echoes pings; or reads nothing.
class ScriptedWatch final : public session::v1::SessionService::Service {
 public:
  // Set before the first stream.
  std::function<void()> before_reading = [] {};
  bool breaks_at_a_follow = false;
  Diary heard;

  grpc::Status Watch(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<WatchResponse, WatchRequest>* stream) override {
    WatchResponse synced;
    synced.mutable_synced();
    stream->Write(synced);
    before_reading();
    WatchRequest request;
    while (stream->Read(&request)) {
      for (const auto& hash : request.follow_session_hashes()) {
        heard.Write(absl::StrCat("follow ", hash));
      }
      for (const auto& hash : request.unfollow_session_hashes()) {
        heard.Write(absl::StrCat("unfollow ", hash));
      }
      if (request.follow_session_hashes_size() > 0 &&
          std::exchange(breaks_at_a_follow, false)) {
        break;
      }
      if (request.ping() == 0) continue;
      WatchResponse pong;
      pong.set_pong(request.ping());
      stream->Write(pong);
    }
    return grpc::Status::OK;
  }
};

class GrpcSessionWatchTest : public testing::Test {
 protected:
  void StartServer() {
    server_ = std::make_unique<rpc::GrpcServer>(
        rpc::GrpcServer::Options{.listen = address_});
    ASSERT_THAT(server_->Start({&service_}), IsOk());
  }

  void StartWatch() {
    watch_->Start({.on_followed =
                       [this](const std::string& hash) {
                         told_.Write(absl::StrCat("followed ", hash));
                       },
                   .on_synced = [this] { told_.Write("synced"); }});
  }

  static std::string Hash(const std::string& id) { return rpc::HashId(id); }

  const std::string address_ =
      absl::StrCat("unix:", testing::TempDir(), "/watch_", ::getpid());
  ScriptedWatch service_;
  Diary told_;
  std::unique_ptr<rpc::GrpcServer> server_;
  const std::unique_ptr<SessionWatch> watch_ =
      NewGrpcSessionWatch(rpc::NewChannel(address_));
};

TEST_F(GrpcSessionWatchTest, SaysFromWhenOnASessionIsFollowed) {
  StartServer();
  StartWatch();
  EXPECT_THAT(told_.Take(1), ElementsAre("synced"));
  watch_->Follow("a");
  EXPECT_THAT(told_.Take(1), ElementsAre("followed " + Hash("a")));
  EXPECT_THAT(service_.heard.Take(1), ElementsAre("follow " + Hash("a")));
  watch_->Follow("a");
  watch_->Unfollow("a");
  watch_->Unfollow("a");
  EXPECT_THAT(service_.heard.Take(1), ElementsAre("unfollow " + Hash("a")));
}

TEST_F(GrpcSessionWatchTest, ANewStreamIsToldEverythingAgain) {
  service_.breaks_at_a_follow = true;
  StartServer();
  StartWatch();
  EXPECT_THAT(told_.Take(1), ElementsAre("synced"));
  watch_->Follow("a");
  EXPECT_THAT(service_.heard.Take(2),
              ElementsAre("follow " + Hash("a"), "follow " + Hash("a")));
}

TEST_F(GrpcSessionWatchTest, ASessiondThatReadsNothingHoldsNobodyUp) {
  std::promise<void> release;
  service_.before_reading = [&] { release.get_future().wait(); };
  StartServer();
  StartWatch();
  EXPECT_THAT(told_.Take(1), ElementsAre("synced"));
  // More than the buffers between us hold.
  for (int i = 0; i < 20'000; ++i) watch_->Follow(absl::StrCat(i));
  for (int i = 0; i < 20'000; ++i) watch_->Unfollow(absl::StrCat(i));
  watch_->Stop();
  release.set_value();
}

TEST_F(GrpcSessionWatchTest, ASessiondThatIsNotThereHoldsNobodyUp) {
  StartWatch();
  watch_->Follow("a");
  watch_->Follow("b");
  StartServer();
  EXPECT_THAT(
      service_.heard.Take(2),
      UnorderedElementsAre("follow " + Hash("a"), "follow " + Hash("b")));
}

TEST_F(GrpcSessionWatchTest, StopsThoughSessiondIsNotThere) {
  StartWatch();
  watch_->Follow("a");
  watch_->Stop();
}

}  // namespace
}  // namespace banyan::edge
