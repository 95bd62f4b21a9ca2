// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_HTTP_METRICS_H_
#define EDGE_HTTP_HTTP_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <array>

#include "edge/http/refusal.h"

namespace banyan::edge {

// banyan_edge_http_inflight and banyan_edge_http_rejected_total{reason}. One
// for all listeners of a program. Thread-safe.
class HttpMetrics {
 public:
  // `registry` must outlive this.
  explicit HttpMetrics(prometheus::Registry& registry);

  void CountRefusal(RefusalReason reason) {
    rejected_[static_cast<size_t>(reason)]->Increment();
  }

  // Requests whose handler is running.
  prometheus::Gauge& inflight() { return inflight_; }

 private:
  prometheus::Gauge& inflight_;
  std::array<prometheus::Counter*, kRefusalReasonCount> rejected_;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_HTTP_METRICS_H_
