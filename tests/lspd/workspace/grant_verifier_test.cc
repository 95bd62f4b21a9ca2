// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/grant_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "proto/rpc/error_reason.h"
#include "proto/rpc/grant.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE;
using rpc::v1::ERROR_REASON_GRANT_INVALID;

// Our clock and sessiond's are years apart on purpose.
class GrantVerifierTest : public ::testing::Test {
 protected:
  GrantVerifierTest() {
    verifier_.SetKeys({key_.ToProto()});
    verifier_.SetClock(sessiond_now_);
  }

  session::v1::SignedGrant Sign(absl::Duration life = absl::Seconds(30),
                                const std::string& handle = "ws_one") {
    session::v1::Grant grant;
    grant.set_root("/project");
    grant.set_access(session::v1::ACCESS_READ_WRITE);
    grant.set_handle_hash(handle.empty() ? "" : rpc::HashId(handle));
    grant.set_session_public_id("session of " + handle);
    grant.set_epoch(5);
    grant.set_issued_unix_ms(absl::ToUnixMillis(sessiond_now_));
    grant.set_expires_unix_ms(absl::ToUnixMillis(sessiond_now_ + life));
    return key_.Sign(grant);
  }

  rpc::GrantKey key_ = *rpc::GrantKey::Generate();
  absl::Time now_ = absl::FromUnixSeconds(1000);
  absl::Time sessiond_now_ = absl::FromUnixSeconds(1'800'000'000);
  std::vector<std::string> ended_;
  GrantVerifier verifier_{
      {.clock = [this] { return now_; },
       .on_ended =
           [this](const std::string& session) { ended_.push_back(session); }}};
};

TEST_F(GrantVerifierTest, AcceptsWhatSessiondSigned) {
  const auto grant = verifier_.Verify(Sign());
  ASSERT_THAT(grant, IsOk());
  EXPECT_EQ(grant->root(), "/project");
  EXPECT_EQ(verifier_.highest_epoch(), 5);
}

TEST_F(GrantVerifierTest, TellsOnceWhoseHandleEnded) {
  ASSERT_THAT(verifier_.Verify(Sign()), IsOk());
  verifier_.Revoke(rpc::HashId("ws_never_seen"));
  EXPECT_THAT(ended_, ::testing::IsEmpty());
  verifier_.Revoke(rpc::HashId("ws_one"));
  verifier_.Revoke(rpc::HashId("ws_one"));
  EXPECT_THAT(ended_, ::testing::ElementsAre("session of ws_one"));
}

TEST_F(GrantVerifierTest, JudgesExpiryBySessiondsClock) {
  const session::v1::SignedGrant grant = Sign(absl::Seconds(10));
  now_ += absl::Seconds(9);
  EXPECT_THAT(verifier_.Verify(grant), IsOk());
  now_ += absl::Seconds(1);
  // From the cache as well.
  EXPECT_THAT(verifier_.Verify(grant), HasReason(ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantVerifierTest, FollowsSessiondsClockWhenItIsSetAgain) {
  const session::v1::SignedGrant grant = Sign(absl::Seconds(10));
  ASSERT_THAT(verifier_.Verify(grant), IsOk());
  verifier_.SetClock(sessiond_now_ + absl::Seconds(11));
  EXPECT_THAT(verifier_.Verify(grant), HasReason(ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantVerifierTest, RefusesForgeriesAndChangedGrants) {
  session::v1::SignedGrant changed = Sign();
  ASSERT_THAT(verifier_.Verify(changed), IsOk());
  session::v1::Grant grant;
  grant.ParseFromString(changed.payload());
  grant.set_root("/somewhere/else");
  changed.set_payload(grant.SerializeAsString());
  EXPECT_THAT(verifier_.Verify(changed), HasReason(ERROR_REASON_GRANT_INVALID));
  EXPECT_THAT(verifier_.Verify(rpc::GrantKey::Generate()->Sign(grant)),
              HasReason(ERROR_REASON_GRANT_INVALID));
  EXPECT_THAT(verifier_.Verify({}), HasReason(ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantVerifierTest, DropsVerdictsWithTheirKey) {
  const session::v1::SignedGrant grant = Sign();
  ASSERT_THAT(verifier_.Verify(grant), IsOk());
  verifier_.SetKeys({rpc::GrantKey::Generate()->ToProto()});
  EXPECT_THAT(verifier_.Verify(grant), HasReason(ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantVerifierTest, HonoursRevocations) {
  const session::v1::SignedGrant grant = Sign();
  ASSERT_THAT(verifier_.Verify(grant), IsOk());
  verifier_.Revoke(rpc::HashId("ws_other"));
  EXPECT_THAT(verifier_.Verify(grant), IsOk());
  verifier_.Revoke(rpc::HashId("ws_one"));
  EXPECT_THAT(verifier_.Verify(grant), HasReason(ERROR_REASON_GRANT_INVALID));
  EXPECT_THAT(verifier_.Verify(Sign(absl::Seconds(20))),
              HasReason(ERROR_REASON_GRANT_INVALID));
  EXPECT_TRUE(verifier_.IsRevoked(rpc::HashId("ws_one")));
  EXPECT_FALSE(verifier_.IsRevoked(rpc::HashId("ws_two")));
}

TEST_F(GrantVerifierTest, BindingsWithoutAHandleAreNotRevokedByAnother) {
  verifier_.Revoke("");
  EXPECT_THAT(verifier_.Verify(Sign(absl::Seconds(30), "")), IsOk());
}

TEST_F(GrantVerifierTest, ForgetsRevocationsThatNothingCanBringBack) {
  verifier_.Revoke("hash");
  now_ += absl::Minutes(11);
  verifier_.SetClock(sessiond_now_ + absl::Minutes(11));
  EXPECT_FALSE(verifier_.IsRevoked("hash"));
}

TEST_F(GrantVerifierTest, RefusesEverythingOnceSessiondIsSilentForTooLong) {
  const session::v1::SignedGrant grant = Sign(absl::Hours(1));
  ASSERT_THAT(verifier_.Verify(grant), IsOk());
  now_ += absl::Seconds(30);
  EXPECT_THAT(verifier_.Verify(grant), IsOk());
  now_ += absl::Seconds(1);
  EXPECT_THAT(verifier_.Verify(grant),
              HasReason(ERROR_REASON_DAEMON_UNREACHABLE));
  EXPECT_TRUE(verifier_.IsRevoked("anything"));
  verifier_.SetClock(sessiond_now_ + absl::Seconds(31));
  EXPECT_THAT(verifier_.Verify(grant), IsOk());
}

TEST_F(GrantVerifierTest, RefusesEverythingBeforeItHeardOfSessiond) {
  GrantVerifier fresh({.clock = [this] { return now_; }});
  fresh.SetKeys({key_.ToProto()});
  EXPECT_THAT(fresh.Verify(Sign()), HasReason(ERROR_REASON_DAEMON_UNREACHABLE));
}

TEST_F(GrantVerifierTest, EndsCallsInFlightOfARevokedHandle) {
  bool is_cancelled = false;
  rpc::CallContext call;
  call.is_cancelled = [&is_cancelled] { return is_cancelled; };
  const auto grant = *verifier_.Verify(Sign());
  const rpc::CallContext watched = verifier_.WatchRevocation(grant, call);
  EXPECT_FALSE(watched.is_cancelled());
  is_cancelled = true;
  EXPECT_TRUE(watched.is_cancelled());
  is_cancelled = false;
  verifier_.Revoke(grant.handle_hash());
  EXPECT_TRUE(watched.is_cancelled());
}

TEST_F(GrantVerifierTest, KeepsSoManyVerdicts) {
  GrantVerifier small({.cached_verdicts = 2, .clock = [this] { return now_; }});
  small.SetKeys({key_.ToProto()});
  small.SetClock(sessiond_now_);
  for (int i = 1; i <= 10; ++i) {
    EXPECT_THAT(small.Verify(Sign(absl::Seconds(i))), IsOk());
  }
}

TEST_F(GrantVerifierTest, ManyThreadsAskWhileKeysAndClockChange) {
  const session::v1::SignedGrant grant = Sign(absl::Hours(1));
  std::atomic<bool> is_done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!is_done) EXPECT_THAT(verifier_.Verify(grant), IsOk());
    });
  }
  for (int i = 0; i < 200; ++i) {
    verifier_.SetKeys({key_.ToProto()});
    verifier_.SetClock(sessiond_now_);
    verifier_.Revoke(std::to_string(i));
  }
  is_done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace banyan::lspd
