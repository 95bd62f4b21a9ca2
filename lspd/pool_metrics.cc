// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool_metrics.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"

namespace banyan::lspd {
namespace {

prometheus::Histogram::BucketBoundaries Buckets() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1,
          0.2,    0.5,   1,      2,     5,    10,   30,   60};
}

std::string StateName(lsp::v1::ServerStatus state) {
  return absl::AsciiStrToLower(
      absl::StripPrefix(lsp::v1::ServerStatus_Name(state), "SERVER_STATUS_"));
}

}  // namespace

PoolMetrics::PoolMetrics(prometheus::Registry& registry)
    : servers_(prometheus::BuildGauge()
                   .Name("banyan_lspd_lsp_servers")
                   .Help("Language servers by language and state.")
                   .Register(registry)),
      restarts_(prometheus::BuildCounter()
                    .Name("banyan_lspd_lsp_restarts_total")
                    .Help("Language servers that were started again, and why.")
                    .Register(registry)),
      requests_(prometheus::BuildHistogram()
                    .Name("banyan_lspd_lsp_request_duration_seconds")
                    .Help("Time of requests to language servers.")
                    .Register(registry)) {}

void PoolMetrics::OnServerCount(absl::string_view language,
                                lsp::v1::ServerStatus state, int count) {
  servers_
      .Add({{"language", std::string(language)}, {"state", StateName(state)}})
      .Set(count);
}

void PoolMetrics::OnRestart(absl::string_view language,
                            absl::string_view reason) {
  restarts_
      .Add({{"language", std::string(language)},
            {"reason", std::string(reason)}})
      .Increment();
}

void PoolMetrics::OnRequest(absl::string_view language,
                            absl::string_view method, absl::Duration duration) {
  requests_
      .Add({{"language", std::string(language)},
            {"method", std::string(method)}},
           Buckets())
      .Observe(absl::ToDoubleSeconds(duration));
}

}  // namespace banyan::lspd
