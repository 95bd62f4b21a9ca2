// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_JSON_RPC_ERROR_H_
#define LSPD_TRANSPORT_JSON_RPC_ERROR_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace banyan::lspd {

// Error codes of JSON-RPC 2.0 and of LSP ("ErrorCodes", "LSPErrorCodes").
enum JsonRpcErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kServerNotInitialized = -32002,
  kRequestFailed = -32803,
  kServerCancelled = -32802,
  kContentModified = -32801,
  kRequestCancelled = -32800,
};

// The `error` member of an answer.
struct JsonRpcError {
  int code = kInternalError;
  std::string message;
  nlohmann::json data;  // Null when absent.
};

// A status that still knows the server's own error. `server` and `method` stand
// in the message. Reasons: CONFLICT for ContentModified and ServerCancelled
// (ask again), CANCELLED for RequestCancelled, UNSUPPORTED for all others.
absl::Status ToStatus(const JsonRpcError& error, absl::string_view server,
                      absl::string_view method);

// The error inside a status made by ToStatus(); nothing for any other status.
std::optional<JsonRpcError> JsonRpcErrorOf(const absl::Status& status);

// The server's own failure.
bool IsInternalError(const absl::Status& status);

// "Your positions may be stale": ask again with fresh ones, a few times.
bool IsContentModified(const absl::Status& status);

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_JSON_RPC_ERROR_H_
