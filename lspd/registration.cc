// SPDX-License-Identifier: Apache-2.0
#include "lspd/registration.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "banyan/session/v1/registration_service.grpc.pb.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"

namespace banyan::lspd {
namespace {

using session::v1::RegisterRequest;
using session::v1::RegisterResponse;
using Stream = grpc::ClientReaderWriter<RegisterRequest, RegisterResponse>;

// How often a waiting caller looks whether anybody still waits for it.
constexpr std::chrono::milliseconds kTick(20);

std::vector<session::v1::VerificationKey> KeysOf(
    const google::protobuf::RepeatedPtrField<session::v1::VerificationKey>&
        keys) {
  return {keys.begin(), keys.end()};
}

absl::Status Moved(const std::string& owner) {
  rpc::v1::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_MOVED);
  detail.set_owner(owner);
  return rpc::Error(std::move(detail),
                    "another server of this deployment works on this root");
}

absl::Status Unreachable() {
  rpc::v1::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE);
  detail.set_retry_after_ms(1000);
  return rpc::Error(std::move(detail),
                    "the session daemon does not answer; retry in a second");
}

RegisterRequest AcquireOf(const std::string& root) {
  RegisterRequest request;
  request.mutable_acquire_root()->set_root(root);
  return request;
}

RegisterRequest ReleaseOf(const std::string& root) {
  RegisterRequest request;
  request.mutable_release_root()->set_root(root);
  return request;
}

// One root as this lspd sees it.
struct Lease {
  enum class State { kAsked, kHeld, kElsewhere };

  State state = State::kAsked;
  int64_t epoch = 0;
  std::string owner;
};

class StreamRegistration : public Registration {
 public:
  StreamRegistration(std::shared_ptr<grpc::Channel> sessiond,
                     GrantVerifier& verifier, Options options)
      : stub_(session::v1::RegistrationService::NewStub(std::move(sessiond))),
        verifier_(verifier),
        options_(std::move(options)) {
    reader_ = std::thread([this] { KeepStream(); });
    writer_ = std::thread([this] { KeepWriting(); });
  }

  ~StreamRegistration() override { Stop(); }

  bool is_connected() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return is_welcome_;
  }

  bool WaitUntilConnected(absl::Duration limit) override {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, absl::ToChronoNanoseconds(limit),
                      [this] { return is_welcome_ || is_stopped_; });
    return is_welcome_;
  }

  void Stop() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_stopped_ = true;
      is_welcome_ = false;
      if (context_ != nullptr) context_->TryCancel();
    }
    changed_.notify_all();
    const std::lock_guard<std::mutex> lock(stop_mutex_);
    if (reader_.joinable()) reader_.join();
    if (writer_.joinable()) writer_.join();
  }

  absl::StatusOr<int64_t> Acquire(const std::string& root,
                                  const rpc::CallContext& call) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (const auto held = leases_.find(root);
        held != leases_.end() && held->second.state == Lease::State::kHeld) {
      return held->second.epoch;
    }
    leases_[root] = Lease();
    Say(AcquireOf(root));
    while (!is_stopped_ && !call.IsOver()) {
      const auto lease = leases_.find(root);
      if (lease == leases_.end()) break;  // Released meanwhile.
      if (lease->second.state == Lease::State::kHeld) {
        return lease->second.epoch;
      }
      if (lease->second.state == Lease::State::kElsewhere) {
        const std::string owner = lease->second.owner;
        leases_.erase(lease);
        return Moved(owner);
      }
      changed_.wait_for(lock, kTick);
    }
    // It may still be granted, and nobody would use it.
    if (leases_.erase(root) > 0) Say(ReleaseOf(root));
    return Unreachable();
  }

  bool IsHeld(const std::string& root) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto lease = leases_.find(root);
    return lease != leases_.end() && lease->second.state == Lease::State::kHeld;
  }

  void Release(const std::string& root) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (leases_.erase(root) > 0) Say(ReleaseOf(root));
  }

 private:
  // With mutex_ held. Without a stream nothing is said: Welcome() catches up.
  void Say(RegisterRequest request) {
    if (stream_ == nullptr) return;
    outbox_.push_back(std::move(request));
    changed_.notify_all();
  }

  void KeepStream() {
    absl::Duration pause = options_.shortest_pause;
    while (true) {
      const bool was_welcome = RunStream();
      pause = was_welcome ? options_.shortest_pause
                          : std::min(pause * 2, options_.longest_pause);
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, absl::ToChronoNanoseconds(pause),
                        [this] { return is_stopped_; });
      if (is_stopped_) return;
    }
  }

  // One stream from its Hello to its end. True when it was welcomed.
  bool RunStream() {
    grpc::ClientContext context;
    std::unique_ptr<Stream> stream;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (is_stopped_) return false;
      context_ = &context;
    }
    stream = stub_->Register(&context);
    bool was_welcome = stream->Write(Hello());
    RegisterResponse response;
    was_welcome =
        was_welcome && stream->Read(&response) && response.has_welcome();
    if (was_welcome) {
      Welcome(response.welcome(), stream.get());
      while (stream->Read(&response)) Handle(response);
    }
    context.TryCancel();
    bool was_ended_here = false;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      was_ended_here = is_stopped_;
      is_welcome_ = false;
      stream_ = nullptr;
      context_ = nullptr;
      outbox_.clear();
      changed_.wait(lock, [this] { return !is_writing_; });
    }
    const grpc::Status status = stream->Finish();
    if (was_welcome && !was_ended_here) {
      rpc::Log({.level = rpc::LogLevel::kWarning,
                .event = "registration_lost",
                .message = absl::StrCat(
                    "[Registration] The stream to the session daemon ended: ",
                    status.error_message()),
                .fields = {}});
    }
    return was_welcome;
  }

  RegisterRequest Hello() {
    RegisterRequest request;
    RegisterRequest::Hello& hello = *request.mutable_hello();
    hello.set_name(options_.name);
    hello.set_address(options_.address);
    int64_t highest_epoch = verifier_.highest_epoch();
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [root, lease] : leases_) {
      if (lease.state != Lease::State::kHeld) continue;
      highest_epoch = std::max(highest_epoch, lease.epoch);
      hello.add_roots(root);
    }
    hello.set_highest_epoch(highest_epoch);
    return request;
  }

  void Welcome(const RegisterResponse::Welcome& welcome, Stream* stream) {
    verifier_.SetKeys(KeysOf(welcome.keys()));
    for (const std::string& handle_hash : welcome.revoked_handle_hashes()) {
      verifier_.Revoke(handle_hash);
    }
    verifier_.SetClock(absl::FromUnixMillis(welcome.now_unix_ms()));
    const std::lock_guard<std::mutex> lock(mutex_);
    stream_ = stream;
    is_welcome_ = true;
    // Whoever waits for a lease asked while there was no stream.
    for (const auto& [root, lease] : leases_) {
      if (lease.state == Lease::State::kAsked) Say(AcquireOf(root));
    }
    changed_.notify_all();
  }

  void Handle(const RegisterResponse& response) {
    switch (response.response_case()) {
      case RegisterResponse::kKeys:
        verifier_.SetKeys(KeysOf(response.keys().keys()));
        break;
      case RegisterResponse::kRevocation:
        verifier_.Revoke(response.revocation().handle_hash());
        break;
      case RegisterResponse::kSessionEnd:
        verifier_.EndSession(response.session_end().session_public_id());
        break;
      case RegisterResponse::kPong:
        verifier_.SetClock(absl::FromUnixMillis(response.pong().now_unix_ms()));
        break;
      case RegisterResponse::kRootLease:
        NoteLease(response.root_lease());
        break;
      default:
        break;
    }
  }

  void NoteLease(const RegisterResponse::RootLease& said) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto lease = leases_.find(said.root());
    if (lease == leases_.end()) return;  // Released meanwhile.
    lease->second = {.state = said.is_granted() ? Lease::State::kHeld
                                                : Lease::State::kElsewhere,
                     .epoch = said.epoch(),
                     .owner = said.owner()};
    changed_.notify_all();
  }

  // Writes what is to be said, and a ping when nothing else was for a while.
  // A write may wait for the other side, so the state stays unlocked meanwhile.
  void KeepWriting() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!is_stopped_) {
      const bool has_something = changed_.wait_for(
          lock, absl::ToChronoNanoseconds(options_.ping_interval),
          [this] { return is_stopped_ || !outbox_.empty(); });
      if (is_stopped_ || stream_ == nullptr) continue;
      RegisterRequest request;
      if (has_something) {
        request = std::move(outbox_.front());
        outbox_.pop_front();
      } else {
        request.mutable_ping()->set_number(++pings_);
      }
      Stream* const stream = stream_;
      is_writing_ = true;
      lock.unlock();
      stream->Write(request);
      lock.lock();
      is_writing_ = false;
      changed_.notify_all();
    }
  }

  const std::unique_ptr<session::v1::RegistrationService::Stub> stub_;
  GrantVerifier& verifier_;
  const Options options_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopped_ = false;                 // Guarded by mutex_.
  bool is_welcome_ = false;                 // Guarded by mutex_.
  Stream* stream_ = nullptr;                // Guarded by mutex_. Once welcomed.
  bool is_writing_ = false;                 // Guarded by mutex_.
  std::deque<RegisterRequest> outbox_;      // Guarded by mutex_.
  grpc::ClientContext* context_ = nullptr;  // Guarded by mutex_.
  std::map<std::string, Lease> leases_;     // Guarded by mutex_. By root.
  int64_t pings_ = 0;                       // Guarded by mutex_.

  std::mutex stop_mutex_;  // Held while the threads are joined.
  std::thread reader_;
  std::thread writer_;
};

}  // namespace

std::unique_ptr<Registration> Registration::Start(
    std::shared_ptr<grpc::Channel> sessiond, GrantVerifier& verifier,
    Options options) {
  return std::make_unique<StreamRegistration>(std::move(sessiond), verifier,
                                              std::move(options));
}

}  // namespace banyan::lspd
