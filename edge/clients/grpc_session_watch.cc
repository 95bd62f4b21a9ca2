// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "banyan/session/v1/session_service.grpc.pb.h"
#include "edge/clients/session_watch.h"
#include "proto/rpc/grant.h"

namespace banyan::edge {
namespace {

using session::v1::WatchRequest;
using session::v1::WatchResponse;

constexpr std::chrono::milliseconds kPause(200);

class GrpcSessionWatch final : public SessionWatch {
 public:
  explicit GrpcSessionWatch(std::shared_ptr<grpc::Channel> channel)
      : stub_(std::move(channel)) {}
  ~GrpcSessionWatch() override { Stop(); }

  void Start(Listener listener) override {
    listener_ = std::move(listener);
    thread_ = std::thread([this] { Run(); });
  }

  void Follow(absl::string_view session_id) override {
    const std::string hash = rpc::HashId(session_id);
    const std::lock_guard lock(mutex_);
    if (++followed_[hash] > 1 || stream_ == nullptr) return;
    WatchRequest request;
    request.add_follow_session_hashes(hash);
    stream_->Write(request);
  }

  void Unfollow(absl::string_view session_id) override {
    const std::string hash = rpc::HashId(session_id);
    const std::lock_guard lock(mutex_);
    const auto found = followed_.find(hash);
    if (found == followed_.end() || --found->second > 0) return;
    followed_.erase(found);
    if (stream_ == nullptr) return;
    WatchRequest request;
    request.add_unfollow_session_hashes(hash);
    stream_->Write(request);
  }

  void Stop() override {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      if (context_ != nullptr) context_->TryCancel();
    }
    stop_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  using Stream = grpc::ClientReaderWriter<WatchRequest, WatchResponse>;

  void Run() {
    while (Open()) {
      WatchResponse response;
      while (stream_->Read(&response)) Tell(response);
      Close();
    }
  }

  // False when it is time to stop.
  bool Open() {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return false;
    context_ = std::make_unique<grpc::ClientContext>();
    context_->set_wait_for_ready(true);
    stream_ = stub_.Watch(context_.get());
    WatchRequest first;
    for (const auto& [hash, count] : followed_) {
      first.add_follow_session_hashes(hash);
    }
    stream_->Write(first);
    return true;
  }

  void Close() {
    std::unique_lock lock(mutex_);
    (void)stream_->Finish();
    stream_ = nullptr;
    context_ = nullptr;
    stop_.wait_for(lock, kPause, [this] { return is_stopping_; });
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
      default:
        return;
    }
  }

  session::v1::SessionService::Stub stub_;
  Listener listener_;
  std::mutex mutex_;
  std::condition_variable stop_;
  // Guarded by mutex_; the stream is read without it, by the thread alone.
  std::map<std::string, int> followed_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<Stream> stream_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<SessionWatch> NewGrpcSessionWatch(
    std::shared_ptr<grpc::Channel> sessiond) {
  return std::make_unique<GrpcSessionWatch>(std::move(sessiond));
}

}  // namespace banyan::edge
