// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_CALL_CONTEXT_H_
#define PROTO_RPC_CALL_CONTEXT_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace banyan::rpc {

// W3C Trace Context: what every log line of one call has in common.
struct TraceContext {
  std::string traceparent;  // Well-formed, or empty.
  std::string tracestate;

  // 32 hex digits, or empty.
  std::string TraceId() const;

  // A new span of the same trace.
  TraceContext Child() const;

  static TraceContext New();

  // A malformed `traceparent` starts a new trace, as the specification says.
  static TraceContext Parse(absl::string_view traceparent,
                            absl::string_view tracestate);
};

// What travels with one call through all parts: until when it is worth doing,
// whether anybody still waits, whose trace it belongs to. Cheap to copy.
struct CallContext {
  absl::Time deadline = absl::InfiniteFuture();
  TraceContext trace;
  // Polled by whoever waits, at least every 50 ms. Never null; thread-safe.
  std::function<bool()> is_cancelled = [] { return false; };
  // Told in a few words what is being done, about once a second, by whoever
  // waits and knows it. Null: nobody wants to hear it. Stays in this process.
  std::function<void(const std::string& work)> on_progress;

  bool IsOver() const { return absl::Now() >= deadline || is_cancelled(); }
};

}  // namespace banyan::rpc

#endif  // PROTO_RPC_CALL_CONTEXT_H_
