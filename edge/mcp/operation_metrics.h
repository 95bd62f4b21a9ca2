// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_OPERATION_METRICS_H_
#define EDGE_MCP_OPERATION_METRICS_H_

#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace banyan::edge {

// mcp_server_operation_duration_seconds and mcp_server_session_duration_seconds
// (OpenTelemetry's MCP names). Every label comes from a closed list; what is
// not on it becomes `_other`, so that no client makes series. Thread-safe.
class OperationMetrics {
 public:
  struct Operation {
    absl::string_view method;
    absl::string_view tool;     // Of tools/call; else empty.
    absl::string_view version;  // Negotiated or named; may be empty.
    // Empty, a JSON-RPC code, an HTTP status, or "tool_error".
    absl::string_view error_type;
  };

  OperationMetrics(prometheus::Registry& registry,
                   const std::vector<std::string>& tool_names);

  void ObserveOperation(const Operation& operation, absl::Duration duration);

  // A legacy session that ended.
  void ObserveSession(absl::string_view version, absl::Duration duration);

 private:
  prometheus::Family<prometheus::Histogram>& operations_;
  prometheus::Family<prometheus::Histogram>& sessions_;
  const std::set<std::string, std::less<>> tool_names_;
  std::mutex mutex_;
  // Guarded by mutex_. Looking a family member up hashes a map of strings.
  std::map<std::string, prometheus::Histogram*> histograms_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_OPERATION_METRICS_H_
