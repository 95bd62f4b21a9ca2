// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/token_authenticator.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "edge/auth/token_file.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using testing::ElementsAre;

class TokenAuthenticatorTest : public testing::Test {
 protected:
  TokenAuthenticatorTest() {
    std::filesystem::remove(path_);
    ana_ = Make({.subject = "ana",
                 .scopes = {"code:read"},
                 .allowed_roots = {"/srv/a"}});
    authenticator_ =
        *NewTokenAuthenticator({.path = path_, .now = [this] { return now_; }});
  }

  NewToken Make(TokenEntry entry) {
    return *CreateToken(path_, std::move(entry));
  }

  auto Authenticate(const std::string& authorization) {
    PeerConnection connection(*SocketAddress::Parse("10.0.0.1:5000"),
                              *SocketAddress::Parse("10.0.0.2:8420"));
    return authenticator_->Authenticate(connection, authorization);
  }
  auto Bearing(const NewToken& token) {
    return Authenticate("Bearer " + token.text);
  }

  const std::string path_ =
      absl::StrCat(testing::TempDir(), "/auth-", ::getpid(), ".json");
  absl::Time now_ = absl::Now();
  NewToken ana_;
  std::unique_ptr<Authenticator> authenticator_;
};

TEST_F(TokenAuthenticatorTest, LetsTheBearerInAsItsSubject) {
  ASSERT_OK_AND_ASSIGN(const Authenticated caller, Bearing(ana_));
  EXPECT_EQ(caller.principal.issuer(), "tokens");
  EXPECT_EQ(caller.principal.subject(), "ana");
  EXPECT_THAT(caller.principal.scopes(), ElementsAre("code:read"));
  EXPECT_THAT(caller.principal.allowed_roots(), ElementsAre("/srv/a"));
  EXPECT_TRUE(caller.is_still_valid());
  EXPECT_FALSE(authenticator_->IsLoopbackOnly());
}

TEST_F(TokenAuthenticatorTest, NothingElseIsLetIn) {
  for (const std::string& authorization :
       {std::string(), std::string("Bearer"), std::string("Bearer "),
        "Basic " + ana_.text, ana_.text, "Bearer " + ana_.text + "x",
        "Bearer x" + ana_.text}) {
    EXPECT_THAT(Authenticate(authorization),
                HasReason(rpc::v1::ERROR_REASON_UNAUTHENTICATED))
        << authorization;
  }
  EXPECT_THAT(Authenticate("bearer  " + ana_.text + " "), IsOk());
}

TEST_F(TokenAuthenticatorTest, ANewTokenOfTheSameSubjectIsTheSamePrincipal) {
  const NewToken fresh = Make({.subject = "ana", .scopes = {"code:read"}});
  now_ += absl::Seconds(1);
  ASSERT_OK_AND_ASSIGN(const Authenticated old_one, Bearing(ana_));
  ASSERT_OK_AND_ASSIGN(const Authenticated new_one, Bearing(fresh));
  EXPECT_EQ(old_one.principal.subject(), new_one.principal.subject());
  EXPECT_EQ(old_one.principal.issuer(), new_one.principal.issuer());
}

TEST_F(TokenAuthenticatorTest, RevocationNeedsNoRestartAndReachesWhatRuns) {
  ASSERT_OK_AND_ASSIGN(const Authenticated running, Bearing(ana_));
  ASSERT_THAT(RevokeToken(path_, ana_.entry.id), IsOk());
  now_ += absl::Seconds(1);
  EXPECT_THAT(Bearing(ana_), HasReason(rpc::v1::ERROR_REASON_UNAUTHENTICATED));
  EXPECT_FALSE(running.is_still_valid());
}

TEST_F(TokenAuthenticatorTest, RevocationHoldsThoughTheClockWasSetBack) {
  now_ -= absl::Hours(1);
  ASSERT_THAT(RevokeToken(path_, ana_.entry.id), IsOk());
  EXPECT_THAT(Bearing(ana_), HasReason(rpc::v1::ERROR_REASON_UNAUTHENTICATED));
}

TEST_F(TokenAuthenticatorTest, ExpiryEndsWhatRunsToo) {
  const NewToken brief =
      Make({.subject = "ben", .expires = now_ + absl::Minutes(5)});
  now_ += absl::Seconds(1);
  ASSERT_OK_AND_ASSIGN(const Authenticated running, Bearing(brief));
  now_ += absl::Minutes(5);
  EXPECT_FALSE(running.is_still_valid());
  EXPECT_THAT(Bearing(brief), HasReason(rpc::v1::ERROR_REASON_UNAUTHENTICATED));
}

TEST_F(TokenAuthenticatorTest, AFileThatBreaksLeavesTheTokensThatWereKnown) {
  std::ofstream(path_) << "half a fi";
  now_ += absl::Seconds(1);
  EXPECT_THAT(Bearing(ana_), IsOk());
}

TEST_F(TokenAuthenticatorTest, WithoutAFileNothingStarts) {
  EXPECT_THAT(NewTokenAuthenticator({.path = "/nonexistent/tokens"}),
              HasCode(absl::StatusCode::kUnavailable));
}

TEST_F(TokenAuthenticatorTest, ClientsAreNotSentToDiscoverAnything) {
  EXPECT_EQ(authenticator_->Challenge("", "code:read"), "Bearer");
  EXPECT_EQ(authenticator_->Challenge("invalid_token", ""),
            "Bearer error=\"invalid_token\"");
  EXPECT_FALSE(
      authenticator_->ResourceMetadata("/.well-known/oauth-protected-resource")
          .has_value());
}

}  // namespace
}  // namespace banyan::edge
