// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/call_metrics.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::rpc {
namespace {

prometheus::Histogram::BucketBoundaries Buckets() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1,
          0.2,    0.5,   1,      2,     5,    10,   30,   60};
}

}  // namespace

CallMetrics::CallMetrics(prometheus::Registry& registry)
    : family_(prometheus::BuildHistogram()
                  .Name("banyan_grpc_client_handling_seconds")
                  .Help("Time of gRPC calls as their caller sees it.")
                  .Register(registry)) {}

void CallMetrics::Observe(absl::string_view service, absl::string_view method,
                          const absl::Status& status, absl::Time start) {
  const std::string code = absl::StatusCodeToString(status.code());
  const std::string key = absl::StrCat(service, "/", method, "/", code);
  prometheus::Histogram* histogram = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    prometheus::Histogram*& known = histograms_[key];
    if (known == nullptr) {
      known = &family_.Add({{"grpc_service", std::string(service)},
                            {"grpc_method", std::string(method)},
                            {"grpc_code", code}},
                           Buckets());
    }
    histogram = known;
  }
  histogram->Observe(absl::ToDoubleSeconds(absl::Now() - start));
}

}  // namespace banyan::rpc
