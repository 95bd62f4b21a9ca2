// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/edge_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

TEST(EdgeKeysTest, KeysAreFetchedOnceAndTheNewestSigns) {
  FakeSessionClient sessions;
  EdgeKeys keys(sessions);
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto key, keys.Newest({}));
    EXPECT_EQ(key.key_id(), "k1");
    EXPECT_THAT(keys.Find("k1", {}), IsOk());
  }
  EXPECT_EQ(sessions.CallsOf("GetEdgeKeys"), 1);
}

TEST(EdgeKeysTest, StrangersCannotMakeUsAskAgainAndAgain) {
  FakeSessionClient sessions;
  EdgeKeys keys(sessions);
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(keys.Find("made up", {}), HasCode(absl::StatusCode::kNotFound));
  }
  EXPECT_LE(sessions.CallsOf("GetEdgeKeys"), 2);
}

TEST(EdgeKeysTest, AFailureIsNotKept) {
  FakeSessionClient sessions;
  EdgeKeys keys(sessions);
  sessions.failures["GetEdgeKeys"] =
      rpc::Error(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE, "x");
  EXPECT_THAT(keys.Newest({}),
              HasReason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE));
  sessions.failures.clear();
  EXPECT_THAT(keys.Newest({}), IsOk());
}

}  // namespace
}  // namespace banyan::edge
