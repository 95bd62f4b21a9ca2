// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "banyan/session/v1/session_service.grpc.pb.h"
#include "edge/clients/session_watch.h"
#include "proto/rpc/grant.h"

namespace banyan::edge {
namespace {

using session::v1::WatchRequest;
using session::v1::WatchResponse;

constexpr std::chrono::milliseconds kPause(200);

// One thread reads the stream and opens it again, another writes what changed:
// a sessiond that reads nothing keeps only that one waiting.
class GrpcSessionWatch final : public SessionWatch {
 public:
  explicit GrpcSessionWatch(std::shared_ptr<grpc::Channel> channel)
      : stub_(std::move(channel)) {}
  ~GrpcSessionWatch() override { Stop(); }

  void Start(Listener listener) override {
    listener_ = std::move(listener);
    reader_ = std::thread([this] { RunReader(); });
    writer_ = std::thread([this] { RunWriter(); });
  }

  void Follow(absl::string_view session_id) override {
    const std::string hash = rpc::HashId(session_id);
    {
      const std::lock_guard lock(mutex_);
      if (++followed_[hash] > 1) return;
      changed_.insert(hash);
    }
    wake_.notify_all();
  }

  void Unfollow(absl::string_view session_id) override {
    const std::string hash = rpc::HashId(session_id);
    {
      const std::lock_guard lock(mutex_);
      const auto found = followed_.find(hash);
      if (found == followed_.end() || --found->second > 0) return;
      followed_.erase(found);
      changed_.insert(hash);
    }
    wake_.notify_all();
  }

  void Stop() override {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      if (context_ != nullptr) context_->TryCancel();
    }
    wake_.notify_all();
    if (reader_.joinable()) reader_.join();
    if (writer_.joinable()) writer_.join();
  }

 private:
  using Stream = grpc::ClientReaderWriter<WatchRequest, WatchResponse>;

  void RunReader() {
    while (Open()) {
      WatchResponse response;
      while (stream_->Read(&response)) Tell(response);
      Close();
    }
  }

  // False when it is time to stop. Waits for a sessiond that is not there, and
  // holds nobody up meanwhile.
  bool Open() {
    {
      const std::lock_guard lock(mutex_);
      if (is_stopping_) return false;
      context_ = std::make_unique<grpc::ClientContext>();
      context_->set_wait_for_ready(true);
    }
    auto stream = stub_.Watch(context_.get());
    {
      const std::lock_guard lock(mutex_);
      stream_ = std::move(stream);
      // A new stream knows nothing, so everything is news to it.
      for (const auto& [hash, count] : followed_) changed_.insert(hash);
      has_news_ = true;
      begun_.clear();
    }
    wake_.notify_all();
    return true;
  }

  void Close() {
    std::unique_lock lock(mutex_);
    has_news_ = false;
    // A write of a stream that broke returns.
    wake_.wait(lock, [this] { return !is_writing_; });
    (void)stream_->Finish();
    stream_ = nullptr;
    context_ = nullptr;
    wake_.wait_for(lock, kPause, [this] { return is_stopping_; });
  }

  void RunWriter() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] {
        return is_stopping_ ||
               (stream_ != nullptr && (has_news_ || !changed_.empty()));
      });
      if (is_stopping_) return;
      const WatchRequest news = TakeNewsLocked();
      is_writing_ = true;
      Stream& stream = *stream_;
      lock.unlock();
      stream.Write(news);
      lock.lock();
      is_writing_ = false;
      wake_.notify_all();
    }
  }

  // REQUIRES: mutex_ is held.
  WatchRequest TakeNewsLocked() {
    WatchRequest news;
    std::vector<std::string> begun;
    for (const std::string& hash : changed_) {
      if (followed_.count(hash) > 0) {
        news.add_follow_session_hashes(hash);
        begun.push_back(hash);
      } else {
        news.add_unfollow_session_hashes(hash);
      }
    }
    changed_.clear();
    has_news_ = false;
    if (!begun.empty()) {
      news.set_ping(++pings_);
      begun_[pings_] = std::move(begun);
    }
    return news;
  }

  std::vector<std::string> TakeBegun(int64_t ping) {
    const std::lock_guard lock(mutex_);
    const auto found = begun_.find(ping);
    if (found == begun_.end()) return {};
    auto begun = std::move(found->second);
    begun_.erase(found);
    return begun;
  }

  void Tell(const WatchResponse& response) {
    switch (response.event_case()) {
      case WatchResponse::kRingGrowth:
        return listener_.on_growth(response.ring_growth().session_hash(),
                                   response.ring_growth().stream(),
                                   response.ring_growth().newest_event_id());
      case WatchResponse::kSession:
        if (response.session().is_terminated()) {
          listener_.on_session_end(response.session().session_hash());
        }
        return;
      case WatchResponse::kSynced:
        return listener_.on_synced();
      case WatchResponse::kPong:
        for (const std::string& hash : TakeBegun(response.pong())) {
          listener_.on_followed(hash);
        }
        return;
      default:
        return;
    }
  }

  session::v1::SessionService::Stub stub_;
  Listener listener_;
  std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_; the stream itself is read and written without it, by one
  // thread each.
  std::map<std::string, int> followed_;
  std::set<std::string> changed_;  // Which the stream has to be told of.
  bool has_news_ = false;          // It was told nothing yet.
  std::map<int64_t, std::vector<std::string>> begun_;  // By the ping with them.
  int64_t pings_ = 0;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<Stream> stream_;
  bool is_writing_ = false;
  bool is_stopping_ = false;
  std::thread reader_;
  std::thread writer_;
};

}  // namespace

std::unique_ptr<SessionWatch> NewGrpcSessionWatch(
    std::shared_ptr<grpc::Channel> sessiond) {
  return std::make_unique<GrpcSessionWatch>(std::move(sessiond));
}

}  // namespace banyan::edge
