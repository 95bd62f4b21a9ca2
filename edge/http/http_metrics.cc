// SPDX-License-Identifier: Apache-2.0
#include "edge/http/http_metrics.h"

#include <string>

namespace banyan::edge {

HttpMetrics::HttpMetrics(prometheus::Registry& registry)
    : inflight_(prometheus::BuildGauge()
                    .Name("banyan_edge_http_inflight")
                    .Help("HTTP requests that are being answered.")
                    .Register(registry)
                    .Add({})),
      rejected_() {
  auto& family = prometheus::BuildCounter()
                     .Name("banyan_edge_http_rejected_total")
                     .Help("HTTP requests refused at the border, by reason.")
                     .Register(registry);
  for (size_t i = 0; i < kRefusalReasonCount; ++i) {
    const auto name = RefusalReasonName(static_cast<RefusalReason>(i));
    rejected_[i] = &family.Add({{"reason", std::string(name)}});
  }
}

}  // namespace banyan::edge
