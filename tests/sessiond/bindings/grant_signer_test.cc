// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/grant_signer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

using session::v1::Grant;

const SecretKey kOld = ToSecretKey(std::string(32, 'o'));
const SecretKey kNew = ToSecretKey(std::string(32, 'n'));

class GrantSignerTest : public ::testing::Test {
 protected:
  static Grant For(const std::string& root) {
    Grant grant;
    grant.set_root(root);
    grant.set_access(session::v1::ACCESS_READ_ONLY);
    return grant;
  }

  FakeClock clock_;
  GrantSigner signer_ = *GrantSigner::Create(KeyRing({kNew}), clock_.Now());
};

TEST_F(GrantSignerTest, AGrantVerifiesForThirtySeconds) {
  const auto signed_grant = signer_.Sign(For("/srv/app"), clock_.Now());
  clock_.Advance(absl::Milliseconds(29'999));
  const auto grant =
      rpc::VerifyGrant(signed_grant, signer_.keys(), clock_.Now());
  ASSERT_THAT(grant, IsOk());
  EXPECT_EQ(grant->root(), "/srv/app");
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_THAT(rpc::VerifyGrant(signed_grant, signer_.keys(), clock_.Now()),
              HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantSignerTest, AnEqualGrantIsReusedForHalfItsLife) {
  const auto first = signer_.Sign(For("/a"), clock_.Now());
  clock_.Advance(absl::Milliseconds(14'999));
  EXPECT_EQ(signer_.Sign(For("/a"), clock_.Now()).payload(), first.payload());
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_NE(signer_.Sign(For("/a"), clock_.Now()).payload(), first.payload());
}

TEST_F(GrantSignerTest, AnyDifferenceIsAnotherGrant) {
  const auto first = signer_.Sign(For("/a"), clock_.Now());
  EXPECT_NE(signer_.Sign(For("/b"), clock_.Now()).payload(), first.payload());
  Grant writer = For("/a");
  writer.set_access(session::v1::ACCESS_READ_WRITE);
  EXPECT_NE(signer_.Sign(writer, clock_.Now()).payload(), first.payload());
  Grant later_writer = For("/a");
  later_writer.set_epoch(2);
  EXPECT_NE(signer_.Sign(later_writer, clock_.Now()).payload(),
            first.payload());
}

TEST_F(GrantSignerTest, AClockThatWasSetBackGetsAFreshGrant) {
  const auto first = signer_.Sign(For("/a"), clock_.Now());
  clock_.Advance(-absl::Hours(1));
  const auto second = signer_.Sign(For("/a"), clock_.Now());
  EXPECT_THAT(rpc::VerifyGrant(second, signer_.keys(), clock_.Now()), IsOk());
  EXPECT_NE(first.payload(), second.payload());
}

TEST_F(GrantSignerTest, AfterARotationBothKeysVerifyForAWhile) {
  GrantSigner before = *GrantSigner::Create(KeyRing({kOld}), clock_.Now());
  const auto old_grant = before.Sign(For("/a"), clock_.Now());
  GrantSigner after = *GrantSigner::Create(KeyRing({kNew, kOld}), clock_.Now());
  EXPECT_THAT(rpc::VerifyGrant(old_grant, after.keys(), clock_.Now()), IsOk());
  EXPECT_THAT(rpc::VerifyGrant(after.Sign(For("/a"), clock_.Now()),
                               after.keys(), clock_.Now()),
              IsOk());
  // Whoever stole the old key is out after the overlap.
  clock_.Advance(absl::Minutes(2));
  const auto forged = before.Sign(For("/a"), clock_.Now());
  EXPECT_THAT(rpc::VerifyGrant(forged, after.keys(), clock_.Now()),
              HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantSignerTest, TheCacheIsBoundedAndSafeUnderThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      for (int n = 0; n < 200; ++n) {
        const auto grant =
            signer_.Sign(For(absl::StrCat("/", (i + n) % 50)), clock_.Now());
        EXPECT_THAT(rpc::VerifyGrant(grant, signer_.keys(), clock_.Now()),
                    IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace banyan::sessiond
