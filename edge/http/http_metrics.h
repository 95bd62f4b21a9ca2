// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_HTTP_METRICS_H_
#define EDGE_HTTP_HTTP_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <array>
#include <cstddef>

#include "absl/strings/string_view.h"

namespace banyan::edge {

// Why the edge refused a request before anybody looked at what it asks for.
enum class Refusal {
  kHeadMalformed,
  kHeadTooLarge,
  kHeadTooSlow,
  kTargetTooLong,
  kHostMissing,
  kHostNotAllowed,
  kOriginNotAllowed,
  kPathUnknown,
  kMethodNotAllowed,
  kQueryInvalid,
  kUnauthenticated,
  kScopeMissing,
  kUnsupported,  // A transfer coding, content coding or version we don't speak.
  kBodyMalformed,
  kBodyTooLarge,
  kBodyTooSlow,
  kTooManyConnections,
  kTooManyRequests,
  kTooManyBytes,
};
inline constexpr size_t kRefusalCount = 19;

// "HEAD_TOO_LARGE": as clients and metrics see it.
absl::string_view RefusalName(Refusal refusal);

// banyan_edge_http_inflight and banyan_edge_http_rejected_total{reason}. Two
// listeners may share one. Thread-safe.
class HttpMetrics {
 public:
  // `registry` must outlive this.
  explicit HttpMetrics(prometheus::Registry& registry);

  void CountRefusal(Refusal refusal) {
    rejected_[static_cast<size_t>(refusal)]->Increment();
  }

  // Requests whose handler is running.
  prometheus::Gauge& inflight() { return inflight_; }

 private:
  prometheus::Gauge& inflight_;
  std::array<prometheus::Counter*, kRefusalCount> rejected_;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_HTTP_METRICS_H_
