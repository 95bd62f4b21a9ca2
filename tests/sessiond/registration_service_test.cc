// SPDX-License-Identifier: Apache-2.0
#include "sessiond/registration_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "proto/rpc/grant.h"
#include "sessiond/store/record_id.h"
#include "tests/support/sessiond_fixture.h"

namespace banyan::sessiond {
namespace {

namespace v1 = session::v1;

using ::testing::ElementsAre;

class RegistrationServiceTest : public SessiondFixture {
 protected:
  // An lspd's end of the stream.
  class Lspd {
   public:
    Lspd(const std::shared_ptr<grpc::Channel>& channel, const std::string& name,
         const std::vector<std::string>& roots = {})
        : stub_(v1::RegistrationService::NewStub(channel)),
          stream_(stub_->Register(&context_)) {
      v1::RegisterRequest request;
      auto* hello = request.mutable_hello();
      hello->set_name(name);
      hello->set_address(name + ":8432");
      for (const std::string& root : roots) hello->add_roots(root);
      stream_->Write(request);
    }
    ~Lspd() {
      stream_->WritesDone();
      v1::RegisterResponse rest;
      while (stream_->Read(&rest)) {
      }
    }

    v1::RegisterResponse Read() {
      v1::RegisterResponse response;
      EXPECT_TRUE(stream_->Read(&response));
      return response;
    }
    v1::RegisterResponse::RootLease Acquire(const std::string& root) {
      v1::RegisterRequest request;
      request.mutable_acquire_root()->set_root(root);
      EXPECT_TRUE(stream_->Write(request));
      return Read().root_lease();
    }
    void Release(const std::string& root) {
      v1::RegisterRequest request;
      request.mutable_release_root()->set_root(root);
      EXPECT_TRUE(stream_->Write(request));
    }
    void Say(const std::string& root,
             const std::vector<std::string>& languages) {
      v1::RegisterRequest request;
      request.mutable_servers_in_use()->set_root(root);
      for (const std::string& language : languages) {
        request.mutable_servers_in_use()->add_languages(language);
      }
      EXPECT_TRUE(stream_->Write(request));
    }
    v1::RegisterResponse::Pong Ping(int64_t number) {
      v1::RegisterRequest request;
      request.mutable_ping()->set_number(number);
      EXPECT_TRUE(stream_->Write(request));
      return Read().pong();
    }

   private:
    grpc::ClientContext context_;
    std::unique_ptr<v1::RegistrationService::Stub> stub_;
    std::unique_ptr<
        grpc::ClientReaderWriter<v1::RegisterRequest, v1::RegisterResponse>>
        stream_;
  };
};

TEST_F(RegistrationServiceTest, TheWelcomeBringsKeysThatVerifyGrants) {
  Lspd lspd(channel_, "a");
  const auto welcome = lspd.Read().welcome();
  EXPECT_EQ(welcome.now_unix_ms(), absl::ToUnixMillis(clock_.Now()));
  const std::vector<v1::VerificationKey> keys(welcome.keys().begin(),
                                              welcome.keys().end());
  EXPECT_THAT(rpc::VerifyGrant(Bind("", "back")->grant(), keys, clock_.Now()),
              IsOk());
}

TEST_F(RegistrationServiceTest, ARevokedHandleIsToldAtOnce) {
  Lspd lspd(channel_, "a");
  ASSERT_TRUE(lspd.Read().has_welcome());
  const std::string handle = Bind("", "back")->workspace().handle();
  ASSERT_TRUE(*Release(handle));
  EXPECT_EQ(lspd.Read().revocation().handle_hash(), RecordKey(handle));
}

TEST_F(RegistrationServiceTest, RevocationsThatWereMissedComeWithTheWelcome) {
  const std::string early = Bind("", "back")->workspace().handle();
  ASSERT_TRUE(*Release(early));
  clock_.Advance(absl::Seconds(31));
  const std::string late = Bind("", "back")->workspace().handle();
  ASSERT_TRUE(*Release(late));
  Stop();
  Start(data_.path());
  Lspd lspd(channel_, "a");
  EXPECT_THAT(lspd.Read().welcome().revoked_handle_hashes(),
              ElementsAre(RecordKey(late)));
}

TEST_F(RegistrationServiceTest, RootsAreLeasedToOneAtATime) {
  Lspd a(channel_, "a");
  Lspd b(channel_, "b");
  ASSERT_TRUE(a.Read().has_welcome());
  ASSERT_TRUE(b.Read().has_welcome());
  const auto granted = a.Acquire("/srv/x");
  EXPECT_TRUE(granted.is_granted());
  EXPECT_GT(granted.epoch(), 0);
  const auto refused = b.Acquire("/srv/x");
  EXPECT_FALSE(refused.is_granted());
  EXPECT_EQ(refused.owner(), "a:8432");
  a.Release("/srv/x");
  // Its own stream keeps order: after the pong the release is done.
  EXPECT_EQ(a.Ping(3).number(), 3);
  EXPECT_TRUE(b.Acquire("/srv/x").is_granted());
  EXPECT_FALSE(b.Acquire("relative").is_granted());
}

TEST_F(RegistrationServiceTest, AReconnectIsToldWhichRootsAreStillItsOwn) {
  int64_t epoch = 0;
  {
    Lspd a(channel_, "a");
    ASSERT_TRUE(a.Read().has_welcome());
    epoch = a.Acquire("/srv/x").epoch();
    ASSERT_TRUE(a.Acquire("/srv/y").is_granted());
  }
  Lspd b(channel_, "b");
  ASSERT_TRUE(b.Read().has_welcome());
  ASSERT_TRUE(b.Acquire("/srv/y").is_granted());
  Lspd again(channel_, "a", {"/srv/x", "/srv/y"});
  ASSERT_TRUE(again.Read().has_welcome());
  const auto kept = again.Read().root_lease();
  EXPECT_TRUE(kept.is_granted());
  EXPECT_EQ(kept.epoch(), epoch);
  const auto lost = again.Read().root_lease();
  EXPECT_EQ(lost.root(), "/srv/y");
  EXPECT_FALSE(lost.is_granted());
  EXPECT_EQ(lost.owner(), "b:8432");
}

// Its owner died: the new one starts what was in use, and no more.
TEST_F(RegistrationServiceTest, ATakenOverRootIsWarmedByWhatWasInUse) {
  ASSERT_THAT(Bind("", "back"), IsOk());
  {
    Lspd a(channel_, "a");
    ASSERT_TRUE(a.Read().has_welcome());
    EXPECT_TRUE(a.Acquire("/srv/back").warm_languages().empty());
    a.Say("/srv/back", {"python", "cpp", "rust"});
    a.Say("/srv/back", {"python", "cpp"});
    EXPECT_EQ(a.Ping(1).number(), 1);
  }
  Lspd b(channel_, "b");
  ASSERT_TRUE(b.Read().has_welcome());
  const auto lease = b.Acquire("/srv/back");
  EXPECT_TRUE(lease.is_granted());
  EXPECT_THAT(lease.warm_languages(), ElementsAre("cpp", "python"));
}

// One that is not the owner says nothing of a root.
TEST_F(RegistrationServiceTest, AStrangerCannotSayWhatRuns) {
  ASSERT_THAT(Bind("", "back"), IsOk());
  Lspd a(channel_, "a");
  Lspd b(channel_, "b");
  ASSERT_TRUE(a.Read().has_welcome());
  ASSERT_TRUE(b.Read().has_welcome());
  ASSERT_TRUE(a.Acquire("/srv/back").is_granted());
  b.Say("/srv/back", {"cpp"});
  EXPECT_EQ(b.Ping(1).number(), 1);
  EXPECT_TRUE(a.Acquire("/srv/back").warm_languages().empty());
}

TEST_F(RegistrationServiceTest, PongsCarryOurClock) {
  Lspd lspd(channel_, "a");
  ASSERT_TRUE(lspd.Read().has_welcome());
  clock_.Advance(absl::Seconds(5));
  const auto pong = lspd.Ping(9);
  EXPECT_EQ(pong.number(), 9);
  EXPECT_EQ(pong.now_unix_ms(), absl::ToUnixMillis(clock_.Now()));
}

TEST_F(RegistrationServiceTest, WhoDoesNotIntroduceItselfIsRefused) {
  const auto stub = v1::RegistrationService::NewStub(channel_);
  for (const bool says_hello : {false, true}) {
    grpc::ClientContext context;
    const auto stream = stub->Register(&context);
    v1::RegisterRequest request;
    if (says_hello) {
      request.mutable_hello()->set_address("nameless:1");
    } else {
      request.mutable_acquire_root()->set_root("/srv/x");
    }
    stream->Write(request);
    v1::RegisterResponse response;
    EXPECT_FALSE(stream->Read(&response));
    EXPECT_THAT(rpc::FromGrpc(stream->Finish()),
                HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  }
}

}  // namespace
}  // namespace banyan::sessiond
