// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/error_result.h"

#include <string>
#include <utility>

#include "proto/rpc/error_reason.h"

namespace banyan::edge {

using nlohmann::json;

ErrorRoute RouteOf(const absl::Status& status) {
  switch (rpc::ReasonOf(status)) {
    case rpc::v1::ERROR_REASON_SESSION_GONE:
      return ErrorRoute::kSessionGone;
    case rpc::v1::ERROR_REASON_SCOPE_MISSING:
      return ErrorRoute::kScopeMissing;
    case rpc::v1::ERROR_REASON_INTERNAL:
      return ErrorRoute::kOurFault;
    default:
      return ErrorRoute::kToolResult;
  }
}

json ErrorResult(const absl::Status& status) {
  const rpc::ErrorDetail detail = rpc::DetailOf(status);
  const std::string message(status.message());
  json error = {{"reason", rpc::ReasonName(detail.reason())},
                {"message", message}};
  if (detail.retry_after_ms() > 0) {
    error["retry_after_ms"] = detail.retry_after_ms();
  }
  if (!detail.transaction().empty()) {
    error["transaction"] = detail.transaction();
  }
  for (const std::string& alternative : detail.alternatives()) {
    error["alternatives"].push_back(alternative);
  }
  return {{"isError", true},
          {"content", {{{"type", "text"}, {"text", message}}}},
          {"structuredContent", {{"error", std::move(error)}}}};
}

}  // namespace banyan::edge
