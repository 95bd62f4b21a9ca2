// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_ERROR_RESULT_H_
#define EDGE_TOOLS_ERROR_RESULT_H_

#include <nlohmann/json.hpp>

#include "absl/status/status.h"

namespace banyan::edge {

// Where a tool's error goes (docs/architecture.md, "Errors").
enum class ErrorRoute {
  kToolResult,    // The model reads it.
  kSessionGone,   // HTTP 404: the session ended while the call ran.
  kScopeMissing,  // HTTP 403.
  kOurFault,      // -32603 without detail.
};

ErrorRoute RouteOf(const absl::Status& status);

// A tools/call result with isError, the message as text and
// structuredContent.error = {reason, message, …}.
nlohmann::json ErrorResult(const absl::Status& status);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_ERROR_RESULT_H_
