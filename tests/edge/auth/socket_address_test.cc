// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/socket_address.h"

#include <gmock/gmock.h>

#include <cstring>

#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

std::string Canonical(absl::string_view text) {
  const auto address = SocketAddress::Parse(text);
  return address.ok() ? address->ToString() : "malformed";
}

bool IsLoopback(absl::string_view text) {
  const auto address = SocketAddress::Parse(text);
  return address.ok() && address->IsLoopback();
}

TEST(SocketAddressTest, ParsesAddressesAndNothingElse) {
  EXPECT_EQ(Canonical("127.0.0.1:8420"), "127.0.0.1:8420");
  EXPECT_EQ(Canonical("localhost:0"), "127.0.0.1:0");
  EXPECT_EQ(Canonical("[::1]:65535"), "[::1]:65535");
  EXPECT_EQ(Canonical(":8420"), "[::]:8420");
  EXPECT_EQ(Canonical("[::ffff:127.0.0.1]:1"), "127.0.0.1:1");
  for (const char* text :
       {"", "8420", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
        "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 1", "example.com:1",
        "::1:1", "[::1]1", "[::1:1", "127.1:1", "0127.0.0.1:1",
        "1.2.3.4.5:1"}) {
    EXPECT_EQ(Canonical(text), "malformed") << text;
  }
}

TEST(SocketAddressTest, KnowsLoopback) {
  EXPECT_TRUE(IsLoopback("127.0.0.1:1"));
  EXPECT_TRUE(IsLoopback("127.255.0.3:1"));
  EXPECT_TRUE(IsLoopback("[::1]:1"));
  EXPECT_TRUE(IsLoopback("[::ffff:127.0.0.1]:1"));
  EXPECT_FALSE(IsLoopback("0.0.0.0:1"));
  EXPECT_FALSE(IsLoopback(":1"));
  EXPECT_FALSE(IsLoopback("128.0.0.1:1"));
  EXPECT_FALSE(IsLoopback("[::ffff:10.0.0.1]:1"));
  EXPECT_FALSE(IsLoopback("[::2]:1"));
  EXPECT_FALSE(SocketAddress().IsLoopback());
}

TEST(SocketAddressTest, GoesThroughTheKernelsFormAndBack) {
  for (const char* text : {"127.0.0.1:8420", "[::1]:1", "[2001:db8::7]:443"}) {
    ASSERT_OK_AND_ASSIGN(const SocketAddress address,
                         SocketAddress::Parse(text));
    sockaddr_storage storage;
    address.ToSockaddr(&storage);
    EXPECT_EQ(
        SocketAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&storage)),
        address);
  }
}

}  // namespace
}  // namespace banyan::edge
