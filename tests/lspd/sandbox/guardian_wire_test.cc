// SPDX-License-Identifier: Apache-2.0
#include "lspd/sandbox/guardian_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

GuardianMessage Sample() {
  return {.verb = GuardianVerb::kSpawn,
          .request = 1ull << 40,
          .pid = 17,
          .value = -5,
          .stage = SpawnStage::kExec,
          .directory = "/a b",
          .argv = {"gopls", "", std::string("nul\0inside", 10)},
          .environment = {"A=1"}};
}

TEST(GuardianWireTest, AMessageComesBackAsItWas) {
  GuardianMessage decoded;
  ASSERT_TRUE(DecodeGuardianMessage(EncodeGuardianMessage(Sample()), &decoded));
  EXPECT_EQ(decoded.verb, GuardianVerb::kSpawn);
  EXPECT_EQ(decoded.request, 1ull << 40);
  EXPECT_EQ(decoded.pid, 17);
  EXPECT_EQ(decoded.value, -5);
  EXPECT_EQ(decoded.stage, SpawnStage::kExec);
  EXPECT_EQ(decoded.directory, "/a b");
  EXPECT_EQ(decoded.argv, Sample().argv);
  EXPECT_EQ(decoded.environment, Sample().environment);
}

TEST(GuardianWireTest, APacketCutAnywhereIsNoMessage) {
  const std::string packet = EncodeGuardianMessage(Sample());
  for (size_t size = 0; size < packet.size(); ++size) {
    GuardianMessage decoded;
    EXPECT_FALSE(DecodeGuardianMessage(packet.substr(0, size), &decoded))
        << size;
  }
  GuardianMessage decoded;
  EXPECT_FALSE(DecodeGuardianMessage(packet + "x", &decoded));
}

TEST(GuardianWireTest, AHugeCountIsRefusedWithoutMemoryForIt) {
  std::string packet = EncodeGuardianMessage({});
  packet.replace(packet.size() - 4, 4, "\xFF\xFF\xFF\xFF");
  GuardianMessage decoded;
  EXPECT_FALSE(DecodeGuardianMessage(packet, &decoded));
}

}  // namespace
}  // namespace banyan::lspd
