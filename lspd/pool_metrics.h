// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_METRICS_H_
#define LSPD_POOL_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/pool/server_pool.h"

namespace banyan::lspd {

// What the pool tells, as Prometheus metrics per language, never per
// workspace. Languages come from the catalogue and methods from our own code,
// so the number of series is bounded. Thread-safe.
class PoolMetrics : public PoolObserver {
 public:
  explicit PoolMetrics(prometheus::Registry& registry);

  void OnServerCount(absl::string_view language, lsp::v1::ServerStatus state,
                     int count) override;
  void OnRestart(absl::string_view language, absl::string_view reason) override;
  void OnRequest(absl::string_view language, absl::string_view method,
                 absl::Duration duration) override;

 private:
  prometheus::Family<prometheus::Gauge>& servers_;
  prometheus::Family<prometheus::Counter>& restarts_;
  prometheus::Family<prometheus::Histogram>& requests_;
};

}  // namespace banyan::lspd

#endif  // LSPD_POOL_METRICS_H_
