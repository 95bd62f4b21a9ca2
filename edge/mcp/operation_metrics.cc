// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/operation_metrics.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "edge/mcp/protocol_versions.h"

namespace banyan::edge {
namespace {

constexpr char kOther[] = "_other";

constexpr std::array<absl::string_view, 17> kMethods = {
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "server/discover",
    "subscriptions/listen",
    "notifications/initialized",
    "notifications/cancelled"};

constexpr std::array<absl::string_view, 13> kErrorTypes = {
    "tool_error", "-32700", "-32600", "-32601", "-32602", "-32603", "-32002",
    "-32021",     "401",    "403",    "404",    "429",    "503"};

// The bounds of the OpenTelemetry conventions, and finer ones in front: our
// own hop is below the first of those.
const prometheus::Histogram::BucketBoundaries& Buckets() {
  static const auto* const kBuckets =
      new prometheus::Histogram::BucketBoundaries{
          0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2,
          0.5,    1,     2,      5,     10,   30,   60,   120, 300};
  return *kBuckets;
}

template <typename List>
std::string Known(const List& list, absl::string_view value) {
  if (value.empty()) return "";
  const bool is_known =
      std::find(list.begin(), list.end(), value) != list.end();
  return is_known ? std::string(value) : kOther;
}

std::string KnownVersion(absl::string_view version) {
  if (version.empty()) return "";
  return IsLegacyVersion(version) || IsModernVersion(version)
             ? std::string(version)
             : kOther;
}

}  // namespace

OperationMetrics::OperationMetrics(prometheus::Registry& registry,
                                   const std::vector<std::string>& tool_names)
    : operations_(prometheus::BuildHistogram()
                      .Name("mcp_server_operation_duration_seconds")
                      .Help("Duration of MCP requests, as the edge sees it.")
                      .Register(registry)),
      sessions_(prometheus::BuildHistogram()
                    .Name("mcp_server_session_duration_seconds")
                    .Help("Life of MCP sessions that their client ended.")
                    .Register(registry)),
      tool_names_(tool_names.begin(), tool_names.end()) {}

void OperationMetrics::ObserveOperation(const Operation& operation,
                                        absl::Duration duration) {
  const std::string method = Known(kMethods, operation.method);
  std::string tool;
  if (!operation.tool.empty()) {
    tool = tool_names_.find(operation.tool) == tool_names_.end()
               ? kOther
               : std::string(operation.tool);
  }
  const std::string version = KnownVersion(operation.version);
  const std::string error_type = Known(kErrorTypes, operation.error_type);
  const std::string key =
      absl::StrCat(method, "\n", tool, "\n", version, "\n", error_type);

  prometheus::Histogram* histogram = nullptr;
  {
    const std::lock_guard lock(mutex_);
    prometheus::Histogram*& known = histograms_[key];
    if (known == nullptr) {
      known = &operations_.Add({{"mcp_method_name", method},
                                {"gen_ai_tool_name", tool},
                                {"error_type", error_type},
                                {"network_transport", "tcp"},
                                {"mcp_protocol_version", version}},
                               Buckets());
    }
    histogram = known;
  }
  histogram->Observe(absl::ToDoubleSeconds(duration));
}

void OperationMetrics::ObserveSession(absl::string_view version,
                                      absl::Duration duration) {
  sessions_
      .Add({{"network_transport", "tcp"},
            {"mcp_protocol_version", KnownVersion(version)}},
           prometheus::Histogram::BucketBoundaries{1, 10, 60, 600, 3600, 14400,
                                                   86400, 604800})
      .Observe(absl::ToDoubleSeconds(duration));
}

}  // namespace banyan::edge
