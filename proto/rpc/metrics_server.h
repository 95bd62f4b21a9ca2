// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_METRICS_SERVER_H_
#define PROTO_RPC_METRICS_SERVER_H_

#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace banyan::rpc {

// Serves /metrics (Prometheus text format), /livez and /readyz and nothing
// else, on its own listener and two threads of its own. `/livez` is 200 while
// the process lives; `/readyz` is 200 or 503 as `is_ready` says. Thread-safe.
class MetricsServer {
 public:
  // `listen` is host:port; port 0 takes any.
  //   kUnavailable  the address is in use
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(
      const std::string& listen, std::shared_ptr<prometheus::Registry> registry,
      std::function<bool()> is_ready);

  virtual ~MetricsServer() = default;

  virtual int port() const = 0;
};

// Asks a MetricsServer's /readyz; OK only when it answers 200.
absl::Status CheckReadiness(const std::string& address);

// A registry that already holds banyan_build_info and the process_* metrics
// of this program (read from /proc at each scrape).
std::shared_ptr<prometheus::Registry> NewMetricsRegistry(
    const std::string& service);

}  // namespace banyan::rpc

#endif  // PROTO_RPC_METRICS_SERVER_H_
