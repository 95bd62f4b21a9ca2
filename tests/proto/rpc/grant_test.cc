// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/grant.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"

namespace banyan::rpc {
namespace {

using session::v1::Grant;
using session::v1::SignedGrant;
using v1::ERROR_REASON_GRANT_INVALID;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

Grant ReadGrant() {
  Grant grant;
  grant.set_root("/srv/code/alpha");
  grant.set_access(session::v1::ACCESS_READ_ONLY);
  grant.set_issued_unix_ms(absl::ToUnixMillis(kNow));
  grant.set_expires_unix_ms(absl::ToUnixMillis(kNow + absl::Seconds(30)));
  return grant;
}

class GrantTest : public testing::Test {
 protected:
  GrantKey key_ = *GrantKey::Generate();
  SignedGrant signed_ = key_.Sign(ReadGrant());
};

TEST_F(GrantTest, WhatWasSignedIsReadBack) {
  ASSERT_OK_AND_ASSIGN(const Grant grant,
                       VerifyGrant(signed_, {key_.ToProto()}, kNow));
  EXPECT_EQ(grant.root(), "/srv/code/alpha");
  EXPECT_EQ(grant.key_id(), key_.key_id());
}

TEST_F(GrantTest, AnyChangedBitIsRefused) {
  for (size_t byte = 0; byte < signed_.payload().size(); ++byte) {
    SignedGrant forged = signed_;
    (*forged.mutable_payload())[byte] ^= 1;
    EXPECT_THAT(VerifyGrant(forged, {key_.ToProto()}, kNow),
                HasReason(ERROR_REASON_GRANT_INVALID))
        << "byte " << byte;
  }
  for (size_t byte = 0; byte < signed_.signature().size(); ++byte) {
    SignedGrant forged = signed_;
    (*forged.mutable_signature())[byte] ^= 1;
    EXPECT_THAT(VerifyGrant(forged, {key_.ToProto()}, kNow),
                HasReason(ERROR_REASON_GRANT_INVALID));
  }
}

TEST_F(GrantTest, AnotherKeyUnderTheSameIdIsRefused) {
  session::v1::VerificationKey other = GrantKey::Generate()->ToProto();
  other.set_key_id(key_.key_id());
  EXPECT_THAT(VerifyGrant(signed_, {other}, kNow),
              HasReason(ERROR_REASON_GRANT_INVALID));
  EXPECT_THAT(VerifyGrant(signed_, {}, kNow),
              HasReason(ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantTest, ItExpiresToTheMillisecond) {
  const absl::Time end = kNow + absl::Seconds(30);
  EXPECT_THAT(
      VerifyGrant(signed_, {key_.ToProto()}, end - absl::Milliseconds(1)),
      IsOk());
  EXPECT_THAT(VerifyGrant(signed_, {key_.ToProto()}, end),
              HasReason(ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantTest, ARetiredKeyIsRefused) {
  session::v1::VerificationKey key = key_.ToProto();
  key.set_not_after_unix_ms(absl::ToUnixMillis(kNow));
  EXPECT_THAT(VerifyGrant(signed_, {key}, kNow),
              HasReason(ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantTest, AnUnknownCriticalFeatureIsRefused) {
  Grant grant = ReadGrant();
  grant.add_critical_features("snapshot");
  EXPECT_THAT(VerifyGrant(key_.Sign(grant), {key_.ToProto()}, kNow),
              HasReason(ERROR_REASON_GRANT_INVALID));
}

TEST_F(GrantTest, AKeyIsTheSameAgainFromItsSeed) {
  ASSERT_OK_AND_ASSIGN(const GrantKey again, GrantKey::FromSeed(key_.seed()));
  EXPECT_EQ(again.key_id(), key_.key_id());
  EXPECT_THAT(VerifyGrant(again.Sign(ReadGrant()), {key_.ToProto()}, kNow),
              IsOk());
}

TEST(GrantKeyTest, ASeedOfTheWrongLengthIsRefused) {
  EXPECT_FALSE(GrantKey::FromSeed("short").ok());
}

}  // namespace
}  // namespace banyan::rpc
