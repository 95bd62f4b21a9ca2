// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/call_context.h"

#include <gtest/gtest.h>

#include <string>

namespace banyan::rpc {
namespace {

constexpr char kParent[] =
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContextTest, AWellFormedParentIsKept) {
  const TraceContext trace = TraceContext::Parse(kParent, "vendor=1");
  EXPECT_EQ(trace.traceparent, kParent);
  EXPECT_EQ(trace.tracestate, "vendor=1");
  EXPECT_EQ(trace.TraceId(), "0af7651916cd43dd8448eb211c80319c");
}

TEST(TraceContextTest, AChildSharesTheTraceAndIsAnotherSpan) {
  const TraceContext parent = TraceContext::Parse(kParent, "");
  const TraceContext child = parent.Child();
  EXPECT_EQ(child.TraceId(), parent.TraceId());
  EXPECT_NE(child.traceparent, parent.traceparent);
  EXPECT_EQ(child.traceparent.size(), parent.traceparent.size());
}

TEST(TraceContextTest, MalformedParentsStartANewTrace) {
  for (const std::string bad :
       {"", "00", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"}) {
    const TraceContext trace = TraceContext::Parse(bad, "");
    EXPECT_EQ(trace.traceparent.size(), 55u) << bad;
    EXPECT_NE(trace.TraceId(), "0af7651916cd43dd8448eb211c80319c") << bad;
  }
}

TEST(TraceContextTest, AHostileStateIsDropped) {
  EXPECT_EQ(TraceContext::Parse(kParent, "a=\n").tracestate, "");
  EXPECT_EQ(TraceContext::Parse(kParent, std::string(513, 'a')).tracestate, "");
}

TEST(CallContextTest, ItIsOverAtTheDeadlineOrWhenNobodyWaits) {
  CallContext call;
  EXPECT_FALSE(call.IsOver());
  call.deadline = absl::Now() - absl::Milliseconds(1);
  EXPECT_TRUE(call.IsOver());
  call.deadline = absl::InfiniteFuture();
  call.is_cancelled = [] { return true; };
  EXPECT_TRUE(call.IsOver());
}

}  // namespace
}  // namespace banyan::rpc
