// SPDX-License-Identifier: Apache-2.0
#include "sessiond/keys/key_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::sessiond {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class KeyRingTest : public ::testing::Test {
 protected:
  absl::StatusOr<KeyRing> Load() {
    return KeyRing::LoadOrMake(folder_.path(), "key");
  }

  void WriteKey(const std::string& name, const std::string& text) {
    folder_.Write(name, text);
    ASSERT_EQ(::chmod(folder_.PathOf(name).c_str(), 0600), 0);
  }

  TempWorkspace folder_;
};

TEST_F(KeyRingTest, TheFirstStartMakesAKeyThatLaterStartsFind) {
  ASSERT_OK_AND_ASSIGN(const KeyRing made, Load());
  ASSERT_OK_AND_ASSIGN(const KeyRing found, Load());
  EXPECT_THAT(made.newest().secret, SizeIs(32));
  EXPECT_EQ(made.newest().secret, found.newest().secret);
  EXPECT_EQ(made.newest().id, found.newest().id);
  struct stat about;
  ASSERT_EQ(::stat(folder_.PathOf("key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

// Daemons in containers share the folder and the process number.
TEST_F(KeyRingTest, OfManyFirstStartsAtOnceOneMakesTheKeyForAll) {
  std::vector<std::string> secrets(8);
  std::vector<std::thread> threads;
  for (std::string& secret : secrets) {
    threads.emplace_back([this, &secret] {
      const auto ring = Load();
      EXPECT_THAT(ring, IsOk());
      if (ring.ok()) secret = ring->newest().secret;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(secrets, ::testing::Each(secrets.front()));
  const std::filesystem::directory_iterator files(folder_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(KeyRingTest, ARotationKeepsTheOldKeyBehindTheNew) {
  ASSERT_OK_AND_ASSIGN(const KeyRing before, Load());
  std::filesystem::rename(folder_.PathOf("key"), folder_.PathOf("key.old"));
  ASSERT_OK_AND_ASSIGN(const KeyRing after, Load());
  ASSERT_THAT(after.keys(), SizeIs(2));
  EXPECT_NE(after.newest().secret, before.newest().secret);
  EXPECT_EQ(after.keys()[1].secret, before.newest().secret);
}

TEST_F(KeyRingTest, AKeyThatOthersCanReadIsRefused) {
  ASSERT_THAT(Load(), IsOk());
  ASSERT_EQ(::chmod(folder_.PathOf("key").c_str(), 0640), 0);
  const auto loaded = Load();
  EXPECT_THAT(loaded, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(std::string(loaded.status().message()), HasSubstr("chmod 600"));
}

TEST_F(KeyRingTest, AFileThatHoldsNoKeyIsRefusedAndNotReplaced) {
  for (const std::string& text :
       {std::string(), std::string(63, 'a'), std::string(65, 'a'),
        std::string(64, 'g'), std::string(1'000, 'a')}) {
    WriteKey("key", text);
    EXPECT_THAT(Load(), HasCode(absl::StatusCode::kFailedPrecondition)) << text;
    EXPECT_EQ(std::filesystem::file_size(folder_.PathOf("key")), text.size());
  }
}

TEST_F(KeyRingTest, AMissingFolderIsAnError) {
  EXPECT_THAT(KeyRing::LoadOrMake(folder_.PathOf("missing"), "key"),
              HasCode(absl::StatusCode::kUnavailable));
}

TEST_F(KeyRingTest, EphemeralKeysDiffer) {
  EXPECT_NE(KeyRing::Ephemeral().newest().secret,
            KeyRing::Ephemeral().newest().secret);
}

}  // namespace
}  // namespace banyan::sessiond
