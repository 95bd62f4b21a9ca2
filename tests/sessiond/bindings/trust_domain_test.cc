// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/trust_domain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace banyan::sessiond {
namespace {

session::v1::Principal Caller(const std::string& issuer,
                              const std::string& subject,
                              const std::vector<std::string>& roots = {}) {
  session::v1::Principal principal;
  principal.set_issuer(issuer);
  principal.set_subject(subject);
  for (const std::string& root : roots) principal.add_allowed_roots(root);
  return principal;
}

TEST(TrustDomainTest, AllRootsOfOneLocalUserAreOneDomain) {
  EXPECT_EQ(TrustDomain(Caller("local", "1000"), ""), "local-1000");
  EXPECT_NE(TrustDomain(Caller("local", "1000"), ""),
            TrustDomain(Caller("local", "1001"), ""));
}

TEST(TrustDomainTest, CallersWithoutRootLimitsShareOne) {
  EXPECT_EQ(TrustDomain(Caller("issuer", "ada"), ""),
            TrustDomain(Caller("issuer", "bob"), ""));
}

TEST(TrustDomainTest, CallersWithTheSameLimitsShareOneHoweverSpelled) {
  EXPECT_EQ(TrustDomain(Caller("i", "ada", {"/a", "/b"}), ""),
            TrustDomain(Caller("i", "bob", {"/b/", "/x/../a", "/a"}), ""));
}

TEST(TrustDomainTest, AccessDrawsTheBorder) {
  const std::string all = TrustDomain(Caller("i", "ada"), "");
  const std::string a = TrustDomain(Caller("i", "ada", {"/a"}), "");
  const std::string a_b = TrustDomain(Caller("i", "ada", {"/a", "/b"}), "");
  EXPECT_NE(all, a);
  EXPECT_NE(a, a_b);
  EXPECT_NE(TrustDomain(Caller("i", "ada", {"/a/b"}), ""),
            TrustDomain(Caller("i", "ada", {"/a", "/b"}), ""));
  // A limit that allows nothing is no licence for all.
  EXPECT_NE(TrustDomain(Caller("i", "ada", {"nonsense"}), ""), all);
}

TEST(TrustDomainTest, TheOperatorSplitsFurther) {
  const auto ada = Caller("local", "1000");
  EXPECT_NE(TrustDomain(ada, "secret"), TrustDomain(ada, ""));
  EXPECT_NE(TrustDomain(ada, "secret"), TrustDomain(ada, "other"));
}

TEST(TrustDomainTest, AScopeIsHadByWhoeverCarriesItWhatsoeverItsIssuer) {
  // An issuer of tokens could be called so, too.
  EXPECT_FALSE(HasScope(Caller("local", "1000"), "admin"));
  session::v1::Principal token = Caller("issuer", "ada");
  EXPECT_FALSE(HasScope(token, "code:read"));
  token.add_scopes("code:read");
  EXPECT_TRUE(HasScope(token, "code:read"));
  EXPECT_FALSE(HasScope(token, "code:write"));
}

}  // namespace
}  // namespace banyan::sessiond
