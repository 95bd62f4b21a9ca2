// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/request_state.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/escaping.h"
#include "edge/tools/cursor.h"
#include "edge/tools/sealed_text.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

class RequestStateTest : public testing::Test {
 protected:
  RequestStateTest() : keys_(sessions_) {
    request_.method = "tools/call";
    request_.params = {{"name", "rename"}, {"arguments", {{"to", "x"}}}};
    principal_.set_issuer("i");
    principal_.set_subject("s");
    sealed_ = *SealRequestState(
        {.answers = {{"k", {{"action", "accept"}}}}, .rounds = 2}, request_,
        principal_, now_, keys_, {});
  }

  auto Open(absl::string_view sealed) {
    return OpenRequestState(sealed, request_, principal_, now_, keys_, {});
  }

  FakeSessionClient sessions_;
  EdgeKeys keys_;
  RpcMessage request_;
  session::v1::Principal principal_;
  absl::Time now_ = absl::FromUnixSeconds(1000000);
  std::string sealed_;
};

TEST_F(RequestStateTest, ComesBackAsItWas) {
  const auto state = Open(sealed_);
  ASSERT_THAT(state, IsOk());
  EXPECT_EQ(state->answers["k"]["action"], "accept");
  EXPECT_EQ(state->rounds, 2);
}

TEST_F(RequestStateTest, IsReadByAnotherEdge) {
  EdgeKeys others(sessions_);
  EXPECT_THAT(OpenRequestState(sealed_, request_, principal_, now_, others, {}),
              IsOk());
}

TEST_F(RequestStateTest, OneChangedByteIsRefused) {
  for (size_t i = 0; i < sealed_.size(); ++i) {
    std::string changed = sealed_;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_THAT(Open(changed), HasCode(absl::StatusCode::kInvalidArgument))
        << i;
  }
  EXPECT_THAT(Open(""), HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Open(sealed_ + "A"), HasCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(RequestStateTest, IsGoodForOneCallerAndOneRequestOnly) {
  session::v1::Principal other = principal_;
  other.set_subject("t");
  EXPECT_THAT(OpenRequestState(sealed_, request_, other, now_, keys_, {}),
              HasCode(absl::StatusCode::kInvalidArgument));
  request_.params["arguments"]["to"] = "y";
  EXPECT_THAT(Open(sealed_), HasCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(RequestStateTest, GrowsTooOld) {
  now_ += absl::Minutes(59);
  EXPECT_THAT(Open(sealed_), IsOk());
  now_ += absl::Minutes(2);
  EXPECT_THAT(Open(sealed_), HasCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(RequestStateTest, ACursorIsNoState) {
  const std::string cursor = *SealCursor({.tool = "t"}, keys_, {});
  EXPECT_THAT(Open(cursor), HasCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(RequestStateTest, MissingArgumentsAreEmptyOnes) {
  request_.params = {{"name", "t"}};
  sealed_ = *SealRequestState({}, request_, principal_, now_, keys_, {});
  request_.params["arguments"] = json::object();
  EXPECT_THAT(Open(sealed_), IsOk());
}

}  // namespace
}  // namespace banyan::edge
