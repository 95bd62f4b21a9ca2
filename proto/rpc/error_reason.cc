// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/error_reason.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace banyan::rpc {
namespace {

constexpr char kDetailUrl[] = "type.googleapis.com/banyan.rpc.v1.ErrorDetail";

}  // namespace

absl::StatusCode CodeOf(ErrorReason reason) {
  switch (reason) {
    case v1::ERROR_REASON_SESSION_GONE:
    case v1::ERROR_REASON_HANDLE_GONE:
    case v1::ERROR_REASON_PROJECT_UNKNOWN:
    case v1::ERROR_REASON_FILE_NOT_FOUND:
    case v1::ERROR_REASON_SYMBOL_NOT_FOUND:
      return absl::StatusCode::kNotFound;
    case v1::ERROR_REASON_STORE_UNREACHABLE:
    case v1::ERROR_REASON_DAEMON_UNREACHABLE:
    case v1::ERROR_REASON_WATCH_OUT_OF_SYNC:
    case v1::ERROR_REASON_ROOT_BUSY:
    case v1::ERROR_REASON_SERVER_DOWN:
      return absl::StatusCode::kUnavailable;
    case v1::ERROR_REASON_UNAUTHENTICATED:
    case v1::ERROR_REASON_GRANT_INVALID:
      return absl::StatusCode::kUnauthenticated;
    case v1::ERROR_REASON_SCOPE_MISSING:
    case v1::ERROR_REASON_PATH_OUTSIDE_ROOT:
    case v1::ERROR_REASON_PATH_FORBIDDEN:
    case v1::ERROR_REASON_READ_ONLY:
    case v1::ERROR_REASON_ROOT_NOT_ALLOWED:
    case v1::ERROR_REASON_TOOL_HIDDEN:
      return absl::StatusCode::kPermissionDenied;
    case v1::ERROR_REASON_RATE_LIMITED:
    case v1::ERROR_REASON_SESSION_LIMIT:
    case v1::ERROR_REASON_POOL_FULL:
      return absl::StatusCode::kResourceExhausted;
    case v1::ERROR_REASON_ID_MALFORMED:
    case v1::ERROR_REASON_PATH_MALFORMED:
    case v1::ERROR_REASON_NAME_PATH_MALFORMED:
    case v1::ERROR_REASON_PATTERN_INVALID:
    case v1::ERROR_REASON_ARGUMENT_INVALID:
      return absl::StatusCode::kInvalidArgument;
    case v1::ERROR_REASON_VERSION_CONFLICT:
    case v1::ERROR_REASON_CONFLICT:
    case v1::ERROR_REASON_WRITER_HELD:
      return absl::StatusCode::kAborted;
    case v1::ERROR_REASON_NOT_BOUND:
    case v1::ERROR_REASON_BINDING_AMBIGUOUS:
    case v1::ERROR_REASON_PROJECT_AMBIGUOUS:
    case v1::ERROR_REASON_NOT_A_FILE:
    case v1::ERROR_REASON_NOT_A_DIRECTORY:
    case v1::ERROR_REASON_ROOT_REPLACED:
    case v1::ERROR_REASON_MOVED:
    case v1::ERROR_REASON_SERVER_MISSING:
    case v1::ERROR_REASON_UNSUPPORTED:
    case v1::ERROR_REASON_LANGUAGE_UNKNOWN:
    case v1::ERROR_REASON_SYMBOL_AMBIGUOUS:
    case v1::ERROR_REASON_CURSOR_STALE:
    case v1::ERROR_REASON_NOT_UTF8:
    case v1::ERROR_REASON_FILE_TOO_LARGE:
      return absl::StatusCode::kFailedPrecondition;
    case v1::ERROR_REASON_DEADLINE:
      return absl::StatusCode::kDeadlineExceeded;
    case v1::ERROR_REASON_CANCELLED:
      return absl::StatusCode::kCancelled;
    case v1::ERROR_REASON_OUTCOME_UNKNOWN:
      return absl::StatusCode::kUnknown;
    case v1::ERROR_REASON_NOT_IMPLEMENTED:
      return absl::StatusCode::kUnimplemented;
    default:
      return absl::StatusCode::kInternal;
  }
}

absl::Status Error(ErrorReason reason, absl::string_view message) {
  ErrorDetail detail;
  detail.set_reason(reason);
  return Error(std::move(detail), message);
}

absl::Status Error(ErrorDetail detail, absl::string_view message) {
  absl::Status status(CodeOf(detail.reason()), message);
  status.SetPayload(kDetailUrl, absl::Cord(detail.SerializeAsString()));
  return status;
}

ErrorReason ReasonOf(const absl::Status& status) {
  return DetailOf(status).reason();
}

ErrorDetail DetailOf(const absl::Status& status) {
  ErrorDetail detail;
  const auto payload = status.GetPayload(kDetailUrl);
  if (payload.has_value() && detail.ParseFromString(std::string(*payload)) &&
      detail.reason() != v1::ERROR_REASON_UNSPECIFIED) {
    return detail;
  }
  detail.Clear();
  switch (status.code()) {
    case absl::StatusCode::kDeadlineExceeded:
      detail.set_reason(v1::ERROR_REASON_DEADLINE);
      break;
    case absl::StatusCode::kCancelled:
      detail.set_reason(v1::ERROR_REASON_CANCELLED);
      break;
    case absl::StatusCode::kUnavailable:
      detail.set_reason(v1::ERROR_REASON_DAEMON_UNREACHABLE);
      break;
    default:
      detail.set_reason(v1::ERROR_REASON_INTERNAL);
  }
  return detail;
}

std::string ReasonName(ErrorReason reason) {
  if (!v1::ErrorReason_IsValid(reason)) {
    return absl::StrCat("UNKNOWN_", static_cast<int>(reason));
  }
  return std::string(
      absl::StripPrefix(v1::ErrorReason_Name(reason), "ERROR_REASON_"));
}

}  // namespace banyan::rpc
