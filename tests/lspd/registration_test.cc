// SPDX-License-Identifier: Apache-2.0
#include "lspd/registration.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "banyan/session/v1/registration_service.grpc.pb.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/grpc_server.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using session::v1::RegisterRequest;
using session::v1::RegisterResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// sessiond's end of the stream, told by the test what to say.
class FakeRegistrationService final
    : public session::v1::RegistrationService::Service {
 public:
  using Stream = grpc::ServerReaderWriter<RegisterResponse, RegisterRequest>;

  grpc::Status Register(grpc::ServerContext* context, Stream* stream) override {
    RegisterRequest hello;
    if (!stream->Read(&hello)) return grpc::Status::OK;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      hellos_.push_back(hello.hello());
      changed_.notify_all();
      if (!changed_.wait_for(lock, std::chrono::seconds(10), [&] {
            return is_answering_ || context->IsCancelled();
          })) {
        return grpc::Status::CANCELLED;
      }
      context_ = context;
    }
    RegisterResponse response;
    *response.mutable_welcome()->add_keys() = key_.ToProto();
    response.mutable_welcome()->set_now_unix_ms(absl::ToUnixMillis(now_));
    response.mutable_welcome()->add_revoked_handle_hashes("revoked before");
    Say(stream, response);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stream_ = stream;
      changed_.notify_all();
    }
    RegisterRequest request;
    while (stream->Read(&request)) Answer(stream, request);
    const std::lock_guard<std::mutex> lock(mutex_);
    stream_ = nullptr;
    context_ = nullptr;
    return grpc::Status::OK;
  }

  void Push(const RegisterResponse& response) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return stream_ != nullptr; });
    Stream* const stream = stream_;
    lock.unlock();
    Say(stream, response);
  }

  void EndStream() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (context_ != nullptr) context_->TryCancel();
  }

  void SetAnswering(bool is_answering) {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_answering_ = is_answering;
    changed_.notify_all();
  }

  // Roots that somebody else owns are refused.
  void SetOwner(const std::string& root, const std::string& owner) {
    const std::lock_guard<std::mutex> lock(mutex_);
    owners_[root] = owner;
  }

  bool WaitFor(const std::function<bool()>& holds) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), holds);
  }

  // Read inside WaitFor, or when nothing runs.
  std::vector<RegisterRequest::Hello> hellos_;
  std::vector<std::string> acquired_;
  std::vector<std::string> released_;
  int pings_ = 0;
  const rpc::GrantKey key_ = *rpc::GrantKey::Generate();
  const absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);

 private:
  void Say(Stream* stream, const RegisterResponse& response) {
    const std::lock_guard<std::mutex> lock(write_mutex_);
    stream->Write(response);
  }

  void Answer(Stream* stream, const RegisterRequest& request) {
    RegisterResponse response;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (request.has_acquire_root()) {
        const std::string& root = request.acquire_root().root();
        acquired_.push_back(root);
        const auto owner = owners_.find(root);
        response.mutable_root_lease()->set_root(root);
        response.mutable_root_lease()->set_epoch(42);
        response.mutable_root_lease()->set_is_granted(owner == owners_.end());
        if (owner != owners_.end()) {
          response.mutable_root_lease()->set_owner(owner->second);
        }
      } else if (request.has_release_root()) {
        released_.push_back(request.release_root().root());
      } else if (request.has_ping()) {
        ++pings_;
        response.mutable_pong()->set_number(request.ping().number());
        response.mutable_pong()->set_now_unix_ms(absl::ToUnixMillis(now_));
      }
      changed_.notify_all();
    }
    if (response.response_case() != RegisterResponse::RESPONSE_NOT_SET) {
      Say(stream, response);
    }
  }

  std::mutex mutex_;
  std::mutex write_mutex_;
  std::condition_variable changed_;
  Stream* stream_ = nullptr;
  grpc::ServerContext* context_ = nullptr;
  bool is_answering_ = true;
  std::map<std::string, std::string> owners_;
};

class RegistrationTest : public ::testing::Test {
 protected:
  RegistrationTest() {
    EXPECT_THAT(server_.Start({&sessiond_}), IsOk());
    registration_ =
        Registration::Start(server_.InProcessChannel(), verifier_,
                            {.name = "lspd-1",
                             .address = "localhost:8432",
                             .ping_interval = absl::Milliseconds(20),
                             .shortest_pause = absl::Milliseconds(5),
                             .longest_pause = absl::Milliseconds(20)});
  }

  ~RegistrationTest() override {
    registration_->Stop();
    server_.Drain(absl::ZeroDuration());
  }

  static rpc::CallContext Within(absl::Duration limit) {
    rpc::CallContext call;
    call.deadline = absl::Now() + limit;
    return call;
  }

  session::v1::SignedGrant SignedGrant() const {
    session::v1::Grant grant;
    grant.set_handle_hash("handle");
    grant.set_issued_unix_ms(absl::ToUnixMillis(sessiond_.now_));
    grant.set_expires_unix_ms(
        absl::ToUnixMillis(sessiond_.now_ + absl::Minutes(1)));
    return sessiond_.key_.Sign(grant);
  }

  // Until the verifier has heard of something that was pushed.
  static bool Eventually(const std::function<bool()>& holds) {
    const absl::Time limit = absl::Now() + absl::Seconds(10);
    while (absl::Now() < limit) {
      if (holds()) return true;
      std::this_thread::yield();
    }
    return false;
  }

  FakeRegistrationService sessiond_;
  rpc::GrpcServer server_{{.listen = ""}};
  GrantVerifier verifier_{{}};
  std::unique_ptr<Registration> registration_;
};

TEST_F(RegistrationTest, IntroducesItselfAndLearnsKeysClockAndRevocations) {
  ASSERT_TRUE(registration_->WaitUntilConnected(absl::Seconds(10)));
  EXPECT_TRUE(registration_->is_connected());
  EXPECT_EQ(sessiond_.hellos_[0].name(), "lspd-1");
  EXPECT_EQ(sessiond_.hellos_[0].address(), "localhost:8432");
  EXPECT_THAT(verifier_.Verify(SignedGrant()), IsOk());
  EXPECT_TRUE(verifier_.IsRevoked("revoked before"));
}

TEST_F(RegistrationTest, PassesOnWhatSessiondPushes) {
  ASSERT_TRUE(registration_->WaitUntilConnected(absl::Seconds(10)));
  ASSERT_THAT(verifier_.Verify(SignedGrant()), IsOk());
  RegisterResponse response;
  response.mutable_revocation()->set_handle_hash("handle");
  const absl::Time start = absl::Now();
  sessiond_.Push(response);
  EXPECT_TRUE(Eventually([this] { return verifier_.IsRevoked("handle"); }));
  EXPECT_LT(absl::Now() - start, absl::Seconds(1));

  *response.mutable_keys()->add_keys() = rpc::GrantKey::Generate()->ToProto();
  sessiond_.Push(response);
  EXPECT_TRUE(Eventually([this] {
    return verifier_.Verify(SignedGrant()).status().message() ==
           "the grant is not valid: unknown key";
  }));
}

TEST_F(RegistrationTest, KeepsAskingForTheTime) {
  EXPECT_TRUE(sessiond_.WaitFor([this] { return sessiond_.pings_ >= 3; }));
}

TEST_F(RegistrationTest, AcquiresAndReleasesRoots) {
  ASSERT_OK_AND_ASSIGN(
      const int64_t epoch,
      registration_->Acquire("/one", Within(absl::Seconds(10))));
  EXPECT_EQ(epoch, 42);
  EXPECT_TRUE(registration_->IsHeld("/one"));
  EXPECT_FALSE(registration_->IsHeld("/two"));
  // Held already: nobody is asked.
  EXPECT_THAT(registration_->Acquire("/one", Within(absl::Seconds(10))),
              IsOk());
  registration_->Release("/one");
  EXPECT_FALSE(registration_->IsHeld("/one"));
  EXPECT_TRUE(
      sessiond_.WaitFor([this] { return sessiond_.released_.size() == 1; }));
  EXPECT_THAT(sessiond_.acquired_, ElementsAre("/one"));
}

TEST_F(RegistrationTest, NamesTheOwnerOfARootThatIsElsewhere) {
  sessiond_.SetOwner("/one", "lspd-2:8432");
  const auto result = registration_->Acquire("/one", Within(absl::Seconds(10)));
  EXPECT_THAT(result, HasReason(rpc::v1::ERROR_REASON_MOVED));
  EXPECT_EQ(rpc::DetailOf(result.status()).owner(), "lspd-2:8432");
  EXPECT_FALSE(registration_->IsHeld("/one"));
}

TEST_F(RegistrationTest, ComesBackWithTheRootsItHeld) {
  ASSERT_THAT(registration_->Acquire("/one", Within(absl::Seconds(10))),
              IsOk());
  sessiond_.EndStream();
  ASSERT_TRUE(
      sessiond_.WaitFor([this] { return sessiond_.hellos_.size() >= 2; }));
  EXPECT_THAT(sessiond_.hellos_[1].roots(), ElementsAre("/one"));
  EXPECT_EQ(sessiond_.hellos_[1].highest_epoch(), 42);
  EXPECT_TRUE(registration_->IsHeld("/one"));
}

TEST_F(RegistrationTest, LosesALeaseThatSessiondTakesAway) {
  ASSERT_THAT(registration_->Acquire("/one", Within(absl::Seconds(10))),
              IsOk());
  RegisterResponse response;
  response.mutable_root_lease()->set_root("/one");
  response.mutable_root_lease()->set_owner("lspd-2:8432");
  sessiond_.Push(response);
  EXPECT_TRUE(Eventually([this] { return !registration_->IsHeld("/one"); }));
}

TEST_F(RegistrationTest, AsksAgainWhenTheStreamComesBack) {
  ASSERT_TRUE(registration_->WaitUntilConnected(absl::Seconds(10)));
  sessiond_.SetAnswering(false);
  sessiond_.EndStream();
  ASSERT_TRUE(
      sessiond_.WaitFor([this] { return sessiond_.hellos_.size() >= 2; }));
  absl::StatusOr<int64_t> epoch;
  std::thread caller([&] {
    epoch = registration_->Acquire("/one", Within(absl::Seconds(10)));
  });
  sessiond_.SetAnswering(true);
  caller.join();
  EXPECT_THAT(epoch, IsOk());
}

TEST_F(RegistrationTest, GivesUpAtTheDeadlineWithoutKeepingTheRoot) {
  ASSERT_TRUE(registration_->WaitUntilConnected(absl::Seconds(10)));
  sessiond_.SetAnswering(false);
  sessiond_.EndStream();
  ASSERT_TRUE(
      sessiond_.WaitFor([this] { return sessiond_.hellos_.size() >= 2; }));
  EXPECT_THAT(registration_->Acquire("/one", Within(absl::Milliseconds(100))),
              HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
  sessiond_.SetAnswering(true);
  EXPECT_FALSE(registration_->IsHeld("/one"));
}

TEST_F(RegistrationTest, ItsOwnStopIsNoLoss) {
  ASSERT_TRUE(registration_->WaitUntilConnected(absl::Seconds(10)));
  std::mutex mutex;
  std::vector<std::string> events;
  rpc::SetLogObserver([&](const rpc::LogEntry& entry) {
    const std::lock_guard<std::mutex> lock(mutex);
    events.push_back(entry.event);
  });
  registration_->Stop();
  rpc::SetLogObserver(nullptr);
  EXPECT_THAT(events, ::testing::Not(::testing::Contains("registration_lost")));
}

TEST_F(RegistrationTest, StopsWhileSomebodyWaits) {
  ASSERT_TRUE(registration_->WaitUntilConnected(absl::Seconds(10)));
  sessiond_.SetAnswering(false);
  sessiond_.EndStream();
  absl::StatusOr<int64_t> epoch;
  std::thread caller([&] {
    epoch = registration_->Acquire("/one", Within(absl::Minutes(1)));
  });
  registration_->Stop();
  caller.join();
  EXPECT_THAT(epoch, HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
  EXPECT_FALSE(registration_->is_connected());
}

}  // namespace
}  // namespace banyan::lspd
