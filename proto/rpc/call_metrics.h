// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_CALL_METRICS_H_
#define PROTO_RPC_CALL_METRICS_H_

#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace banyan::rpc {

// banyan_grpc_client_handling_seconds{grpc_service, grpc_method, grpc_code}:
// one observation per client call. Keep one per program. Thread-safe.
class CallMetrics {
 public:
  explicit CallMetrics(prometheus::Registry& registry);

  // Observes the time since `start`. Service and method are ours, so the
  // number of series is bounded by the contracts.
  void Observe(absl::string_view service, absl::string_view method,
               const absl::Status& status, absl::Time start);

 private:
  prometheus::Family<prometheus::Histogram>& family_;
  std::mutex mutex_;
  // Guarded by mutex_. Looking a family member up hashes a map of strings.
  std::map<std::string, prometheus::Histogram*> histograms_;
};

}  // namespace banyan::rpc

#endif  // PROTO_RPC_CALL_METRICS_H_
