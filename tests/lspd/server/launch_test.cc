// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Key;
using testing::Not;
using testing::Pair;

class LaunchTest : public testing::Test {
 protected:
  LaunchTest() {
    request_.installed.entry = &entry_;
    request_.installed.command = {"/bin/x", "--dir=${private_dir}", "${root}"};
    request_.roots = {"/src/a", "/src/b"};
    request_.private_dir = "/data/x";
    request_.search_path = "/tools/bin:/usr/bin";
    request_.tools_dir = "/tools";
    (*entry_.mutable_environment())["XDG_CACHE_HOME"] = "${cache_dir}";
  }

  ServerEntry entry_;
  LaunchRequest request_;
};

TEST_F(LaunchTest, ExpandsArgumentsAndEnvironment) {
  const SpawnRequest spawn =
      SpawnRequestOf(request_, {{"XDG_CACHE_HOME", "/home/u/.cache"}});
  EXPECT_THAT(spawn.argv, ElementsAre("/bin/x", "--dir=/data/x", "/src/a"));
  EXPECT_EQ(spawn.directory, "/src/a");
  EXPECT_THAT(spawn.environment,
              Contains(Pair("XDG_CACHE_HOME", "/data/x/cache")));
  EXPECT_THAT(spawn.environment, Contains(Pair("PATH", "/tools/bin:/usr/bin")));
}

// A server runs project code, which could send secrets anywhere.
TEST_F(LaunchTest, PassesOnNoSecretOfOurEnvironment) {
  const SpawnRequest spawn =
      SpawnRequestOf(request_, {{"HOME", "/home/u"},
                                {"GITHUB_TOKEN", "s3cret"},
                                {"LD_PRELOAD", "/tmp/x.so"},
                                {"BANYAN_TOKENS_FILE", "/etc/tokens"},
                                {"PATH", "/evil"}});
  EXPECT_THAT(spawn.environment, Contains(Pair("HOME", "/home/u")));
  for (const char* name :
       {"GITHUB_TOKEN", "LD_PRELOAD", "BANYAN_TOKENS_FILE"}) {
    EXPECT_THAT(spawn.environment, Not(Contains(Key(name)))) << name;
  }
  EXPECT_THAT(spawn.environment, Not(Contains(Pair("PATH", "/evil"))));
}

}  // namespace
}  // namespace banyan::lspd
