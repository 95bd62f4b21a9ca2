// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/status_convert.h"

#include <string>
#include <utility>

#include "proto/rpc/error_reason.h"

namespace banyan::rpc {

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(status.code()),
          std::string(status.message()), DetailOf(status).SerializeAsString()};
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  ErrorDetail detail;
  if (detail.ParseFromString(status.error_details()) &&
      detail.reason() != v1::ERROR_REASON_UNSPECIFIED) {
    absl::Status converted = Error(std::move(detail), status.error_message());
    // A newer daemon may know a reason that this program does not: its code
    // then stands as it was sent.
    if (converted.code() == absl::StatusCode::kInternal) {
      absl::Status as_sent(static_cast<absl::StatusCode>(status.error_code()),
                           status.error_message());
      converted.ForEachPayload(
          [&as_sent](absl::string_view url, const absl::Cord& payload) {
            as_sent.SetPayload(url, payload);
          });
      return as_sent;
    }
    return converted;
  }
  return {static_cast<absl::StatusCode>(status.error_code()),
          status.error_message()};
}

}  // namespace banyan::rpc
