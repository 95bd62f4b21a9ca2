// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

TEST(RedisAddressTest, AServerHasAPortAndADatabase) {
  const auto plain = ParseRedisAddress("redis://store");
  ASSERT_THAT(plain, IsOk());
  EXPECT_EQ(plain->servers[0].host, "store");
  EXPECT_EQ(plain->servers[0].port, 6379);
  EXPECT_EQ(plain->database, 0);
  const auto full = ParseRedisAddress("redis://[::1]:7000/3");
  ASSERT_THAT(full, IsOk());
  EXPECT_EQ(full->servers[0].host, "::1");
  EXPECT_EQ(full->servers[0].port, 7000);
  EXPECT_EQ(full->database, 3);
}

TEST(RedisAddressTest, SentinelsNameAMaster) {
  const auto address = ParseRedisAddress("redis+sentinel://a,b:1/main/2");
  ASSERT_THAT(address, IsOk());
  EXPECT_EQ(address->servers.size(), 2u);
  EXPECT_EQ(address->servers[0].port, 26379);
  EXPECT_EQ(address->servers[1].port, 1);
  EXPECT_EQ(address->master, "main");
  EXPECT_EQ(address->database, 2);
}

TEST(RedisAddressTest, WhatIsUnclearIsRefused) {
  for (const char* url :
       {"http://x", "redis://", "redis://a,b", "redis://a:0", "redis://a:x",
        "redis://a/x", "redis://a/1/2", "redis+sentinel://a",
        "redis+sentinel://a/", "redis://a/-1"}) {
    EXPECT_EQ(ParseRedisAddress(url).status().code(),
              absl::StatusCode::kInvalidArgument)
        << url;
  }
}

// A command line is read by every user of the machine.
TEST(RedisAddressTest, APasswordInTheAddressIsRefused) {
  EXPECT_THAT(
      std::string(ParseRedisAddress("redis://:secret@a").status().message()),
      ::testing::HasSubstr("--redis_password_file"));
}

}  // namespace
}  // namespace banyan::sessiond
