// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/pooling_policy.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using lsp::v1::POOLING_POLICY_FORCED_ISOLATION;
using lsp::v1::POOLING_POLICY_ISOLATED_PROCESS;
using lsp::v1::POOLING_POLICY_SHARED_INSTANCE;
using lsp::v1::POOLING_POLICY_UNSPECIFIED;

class PoolingPolicyTest : public testing::Test {
 protected:
  PoolingPolicyTest() {
    entry_.set_id("x");
    installed_ = {&entry_, {"/bin/x", "--stdio"}, "/opt/x/bin/x", "1.0"};
  }

  ServerEntry entry_;
  InstalledServer installed_;
};

TEST_F(PoolingPolicyTest, ARowThatSaysNothingIsIsolated) {
  ASSERT_OK_AND_ASSIGN(const auto policy,
                       EffectivePolicy(entry_, POOLING_POLICY_UNSPECIFIED));
  EXPECT_EQ(policy, POOLING_POLICY_ISOLATED_PROCESS);
}

TEST_F(PoolingPolicyTest, TheOperatorMayShareWhatIsOnlyIsolated) {
  entry_.set_policy(POOLING_POLICY_ISOLATED_PROCESS);
  ASSERT_OK_AND_ASSIGN(const auto policy,
                       EffectivePolicy(entry_, POOLING_POLICY_SHARED_INSTANCE));
  EXPECT_EQ(policy, POOLING_POLICY_SHARED_INSTANCE);
}

// clangd renames in the other project as well.
TEST_F(PoolingPolicyTest, NobodyMaySharePastForcedIsolation) {
  entry_.set_policy(POOLING_POLICY_FORCED_ISOLATION);
  EXPECT_THAT(EffectivePolicy(entry_, POOLING_POLICY_SHARED_INSTANCE),
              HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(EffectivePolicy(entry_, POOLING_POLICY_ISOLATED_PROCESS), IsOk());
}

TEST_F(PoolingPolicyTest, IsolatedRootsHaveKeysOfTheirOwn) {
  const auto policy = POOLING_POLICY_ISOLATED_PROCESS;
  EXPECT_EQ(PoolKey(installed_, policy, {"/a", "d", ""}),
            PoolKey(installed_, policy, {"/a", "d", ""}));
  EXPECT_NE(PoolKey(installed_, policy, {"/a", "d", ""}),
            PoolKey(installed_, policy, {"/b", "d", ""}));
}

TEST_F(PoolingPolicyTest, SharedRootsMeetOnlyInOneTrustDomain) {
  const auto policy = POOLING_POLICY_SHARED_INSTANCE;
  EXPECT_EQ(PoolKey(installed_, policy, {"/a", "d", ""}),
            PoolKey(installed_, policy, {"/b", "d", ""}));
  EXPECT_NE(PoolKey(installed_, policy, {"/a", "d", ""}),
            PoolKey(installed_, policy, {"/a", "e", ""}));
}

TEST_F(PoolingPolicyTest, ProgramVersionArgumentsAndSettingsSeparate) {
  const auto policy = POOLING_POLICY_SHARED_INSTANCE;
  const PoolKeyParts parts = {"/a", "d", ""};
  const std::string key = PoolKey(installed_, policy, parts);
  EXPECT_NE(PoolKey(installed_, policy, {"/a", "d", "s"}), key);
  InstalledServer other = installed_;
  other.version = "1.1";
  EXPECT_NE(PoolKey(other, policy, parts), key);
  other = installed_;
  other.real_path = "/usr/bin/x";
  EXPECT_NE(PoolKey(other, policy, parts), key);
  other = installed_;
  other.command.push_back("--verbose");
  EXPECT_NE(PoolKey(other, policy, parts), key);
}

// "ab" + "c" must not be "a" + "bc".
TEST_F(PoolingPolicyTest, FieldsDoNotRunIntoEachOther) {
  const auto policy = POOLING_POLICY_SHARED_INSTANCE;
  EXPECT_NE(PoolKey(installed_, policy, {"", "ab", "c"}),
            PoolKey(installed_, policy, {"", "a", "bc"}));
}

TEST_F(PoolingPolicyTest, LimitsHaveTheDefaultsOfTheSchema) {
  EXPECT_EQ(IdleLife(entry_, absl::Minutes(30)), absl::Minutes(30));
  EXPECT_EQ(StartLimit(entry_), absl::Seconds(60));
  EXPECT_EQ(MaxRoots(entry_, POOLING_POLICY_SHARED_INSTANCE), 16u);
  EXPECT_EQ(MaxRoots(entry_, POOLING_POLICY_ISOLATED_PROCESS), 1u);
  entry_.mutable_limits()->set_idle_life_ms(1000);
  entry_.mutable_limits()->set_max_roots(3);
  EXPECT_EQ(IdleLife(entry_, absl::Minutes(30)), absl::Seconds(1));
  EXPECT_EQ(MaxRoots(entry_, POOLING_POLICY_SHARED_INSTANCE), 3u);
}

}  // namespace
}  // namespace banyan::lspd
