// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/token_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class TokenFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".lock");
  }

  const std::string path_ =
      absl::StrCat(testing::TempDir(), "/tokens-", ::getpid(), ".json");
};

TEST_F(TokenFileTest, WhatWasMadeIsFoundAgain) {
  ASSERT_OK_AND_ASSIGN(
      const NewToken made,
      CreateToken(path_, {.subject = "ana", .scopes = {"code:read"}}));
  ASSERT_OK_AND_ASSIGN(const auto entries, ReadTokenFile(path_));
  const TokenEntry* found = FindToken(entries, made.text);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->subject, "ana");
  EXPECT_THAT(found->scopes, testing::ElementsAre("code:read"));
  EXPECT_EQ(found->expires, absl::InfiniteFuture());
}

TEST_F(TokenFileTest, TheFileHoldsNoToken) {
  ASSERT_OK_AND_ASSIGN(const NewToken made,
                       CreateToken(path_, {.subject = "ana"}));
  ASSERT_OK_AND_ASSIGN(const auto entries, ReadTokenFile(path_));
  const std::string secret = made.text.substr(13);
  EXPECT_THAT(TokenFileText(entries), Not(HasSubstr(secret)));
  struct stat file = {};
  ASSERT_EQ(::stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600U);
}

TEST_F(TokenFileTest, ATokenThatIsChangedAnywhereIsUnknown) {
  ASSERT_OK_AND_ASSIGN(const NewToken made,
                       CreateToken(path_, {.subject = "ana"}));
  ASSERT_OK_AND_ASSIGN(const auto entries, ReadTokenFile(path_));
  for (size_t i = 0; i < made.text.size(); ++i) {
    std::string changed = made.text;
    changed[i] = changed[i] == 'a' ? 'b' : 'a';
    EXPECT_EQ(FindToken(entries, changed), nullptr) << i;
  }
  EXPECT_EQ(FindToken(entries, ""), nullptr);
  EXPECT_EQ(FindToken(entries, made.text + "a"), nullptr);
}

TEST_F(TokenFileTest, RevokingEndsOneAndLeavesTheOthers) {
  ASSERT_OK_AND_ASSIGN(const NewToken ana,
                       CreateToken(path_, {.subject = "ana"}));
  ASSERT_OK_AND_ASSIGN(const NewToken ben,
                       CreateToken(path_, {.subject = "ben"}));
  ASSERT_THAT(RevokeToken(path_, ana.entry.id), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto entries, ReadTokenFile(path_));
  EXPECT_EQ(FindToken(entries, ana.text), nullptr);
  EXPECT_NE(FindToken(entries, ben.text), nullptr);
  EXPECT_THAT(RevokeToken(path_, ana.entry.id),
              HasCode(absl::StatusCode::kNotFound));
}

TEST_F(TokenFileTest, TwoWritersLoseNothing) {
  std::thread other([this] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_THAT(CreateToken(path_, {.subject = "a"}), IsOk());
    }
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(CreateToken(path_, {.subject = "b"}), IsOk());
  }
  other.join();
  ASSERT_OK_AND_ASSIGN(const auto entries, ReadTokenFile(path_));
  EXPECT_THAT(entries, SizeIs(40));
}

TEST_F(TokenFileTest, WhoeverCouldReadTheOldFileCanReadTheNewOne) {
  ASSERT_OK_AND_ASSIGN(const NewToken ana,
                       CreateToken(path_, {.subject = "ana"}));
  struct stat file = {};
  ASSERT_EQ(::stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u) << "a new one is its owner's";
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  ASSERT_THAT(RevokeToken(path_, ana.entry.id), IsOk());
  ASSERT_EQ(::stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0640u);
}

TEST_F(TokenFileTest, ASubjectThatIsNoUtf8EndsNothing) {
  ASSERT_THAT(CreateToken(path_, {.subject = "\xff"}), IsOk());
  EXPECT_THAT(ReadTokenFile(path_), IsOk());
}

TEST_F(TokenFileTest, AMalformedFileIsRefusedWhole) {
  const std::string good = R"({"id":"0123abcd","sha256":")" +
                           std::string(64, 'a') + R"(","subject":"x"})";
  EXPECT_THAT(ParseTokenFile("{\"tokens\":[" + good + "]}"), IsOk());
  for (const std::string& text :
       {std::string("[]"), std::string("{}"), std::string("no json"),
        std::string("{\"tokens\":[1]}"), std::string("{\"tokens\":[{}]}"),
        "{\"tokens\":[" + good.substr(0, good.size() - 1) +
            ",\"scopes\":\"all\"}]}",
        "{\"tokens\":[" + good.substr(0, good.size() - 1) +
            ",\"expires\":\"soon\"}]}"}) {
    EXPECT_THAT(ParseTokenFile(text),
                HasCode(absl::StatusCode::kInvalidArgument))
        << text;
  }
}

}  // namespace
}  // namespace banyan::edge
