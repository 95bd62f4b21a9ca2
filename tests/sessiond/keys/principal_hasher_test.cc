// SPDX-License-Identifier: Apache-2.0
#include "sessiond/keys/principal_hasher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

session::v1::Principal Named(const std::string& issuer,
                             const std::string& subject) {
  session::v1::Principal principal;
  principal.set_issuer(issuer);
  principal.set_subject(subject);
  return principal;
}

const SecretKey kOld = ToSecretKey(std::string(32, 'o'));
const SecretKey kNew = ToSecretKey(std::string(32, 'n'));

TEST(PrincipalHasherTest, ARefreshedTokenIsTheSamePrincipal) {
  const PrincipalHasher hasher(KeyRing({kNew}));
  session::v1::Principal refreshed = Named("issuer", "ada");
  refreshed.add_scopes("code:write");
  refreshed.add_allowed_roots("/srv");
  EXPECT_EQ(hasher.Hash(Named("issuer", "ada"))->hash,
            hasher.Hash(refreshed)->hash);
}

TEST(PrincipalHasherTest, IssuerAndSubjectDoNotRunTogether) {
  const PrincipalHasher hasher(KeyRing({kNew}));
  EXPECT_NE(hasher.Hash(Named("ab", "c"))->hash,
            hasher.Hash(Named("a", "bc"))->hash);
}

// sessions.md 1.8, 13.
TEST(PrincipalHasherTest, APrincipalWithoutANameIsRefused) {
  const PrincipalHasher hasher(KeyRing({kNew}));
  for (const auto& principal : {Named("", "ada"), Named("issuer", ""),
                                Named(std::string("a\0b", 3), "ada"),
                                Named("issuer", std::string("\0", 1))}) {
    EXPECT_THAT(hasher.Hash(principal),
                HasReason(rpc::v1::ERROR_REASON_UNAUTHENTICATED));
    EXPECT_FALSE(hasher.IsOwner(principal, std::string(32, 'x'), kNew.id));
  }
}

TEST(PrincipalHasherTest, OwnershipNeedsTheHashAndItsKey) {
  const PrincipalHasher hasher(KeyRing({kNew}));
  const auto ada = Named("issuer", "ada");
  const PrincipalHash hash = *hasher.Hash(ada);
  EXPECT_TRUE(hasher.IsOwner(ada, hash.hash, hash.key_id));
  EXPECT_FALSE(hasher.IsOwner(Named("issuer", "bob"), hash.hash, hash.key_id));
  EXPECT_FALSE(hasher.IsOwner(ada, hash.hash, kOld.id));
  EXPECT_FALSE(hasher.IsOwner(ada, "", hash.key_id));
  EXPECT_FALSE(hasher.IsOwner(ada, hash.hash.substr(0, 31), hash.key_id));
}

TEST(PrincipalHasherTest, AfterARotationOldRecordsAreStillOwned) {
  const auto ada = Named("issuer", "ada");
  const PrincipalHash before = *PrincipalHasher(KeyRing({kOld})).Hash(ada);
  const PrincipalHasher after(KeyRing({kNew, kOld}));
  EXPECT_TRUE(after.IsOwner(ada, before.hash, before.key_id));
  EXPECT_FALSE(after.IsNewestKey(before.key_id));
  EXPECT_NE(after.Hash(ada)->hash, before.hash);
  EXPECT_EQ(after.AllHashes(ada)->at(1).hash, before.hash);
}

TEST(PrincipalHasherTest, WithoutTheKeyAHashTellsNobody) {
  const auto ada = Named("issuer", "ada");
  EXPECT_NE(PrincipalHasher(KeyRing({kOld})).Hash(ada)->hash,
            PrincipalHasher(KeyRing({kNew})).Hash(ada)->hash);
}

}  // namespace
}  // namespace banyan::sessiond
