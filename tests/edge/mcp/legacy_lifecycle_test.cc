// SPDX-License-Identifier: Apache-2.0
//
// What dispatcher_test.cc does not show from outside.
#include "edge/mcp/legacy_lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

TEST(LegacyLifecycleTest, AccessThatTheUrlDoesNotSpellRightIsReadOnly) {
  McpRequest request;
  EXPECT_EQ(DefaultAccessOf(request), session::v1::ACCESS_UNSPECIFIED);
  request.default_access = "read-write";
  EXPECT_EQ(DefaultAccessOf(request), session::v1::ACCESS_READ_WRITE);
  request.default_access = "read-only";
  EXPECT_EQ(DefaultAccessOf(request), session::v1::ACCESS_READ_ONLY);
  request.default_access = "Read-Write";
  EXPECT_EQ(DefaultAccessOf(request), session::v1::ACCESS_READ_ONLY);
}

TEST(LegacyLifecycleTest, HugeCapabilitiesAreNotStored) {
  FakeSessionClient sessions;
  LegacyLifecycle lifecycle(sessions, {}, /*lists_change=*/false);
  RpcMessage message;
  message.params = {{"protocolVersion", "2025-11-25"},
                    {"capabilities", {{"x", std::string(100000, 'y')}}}};
  ASSERT_THAT(lifecycle.Initialize({}, message, {}), IsOk());
  EXPECT_EQ(sessions.last_create.client_capabilities_json(), "{}");
}

TEST(LegacyLifecycleTest, NothingIsTerminatedThatIsNotTheCallers) {
  FakeSessionClient sessions;
  LegacyLifecycle lifecycle(sessions, {}, /*lists_change=*/false);
  EXPECT_THAT(lifecycle.End({}, "another's", {}),
              HasReason(rpc::v1::ERROR_REASON_SESSION_GONE));
  EXPECT_EQ(sessions.CallsOf("TerminateSession"), 0);
}

}  // namespace
}  // namespace banyan::edge
