// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/attempts.h"

#include "proto/rpc/error_reason.h"

namespace banyan::lspd {

Attempts::Next Attempts::After(const absl::Status& status, bool is_changed,
                               bool is_cut_short, bool is_over) {
  is_torn_ = is_changed;
  if (has_retried_crash()) {
    const rpc::ErrorReason reason =
        status.ok() ? rpc::v1::ERROR_REASON_UNSPECIFIED : rpc::ReasonOf(status);
    const bool came_too_late = reason == rpc::v1::ERROR_REASON_DEADLINE ||
                               reason == rpc::v1::ERROR_REASON_SERVER_DOWN;
    if (came_too_late || (status.ok() && is_cut_short)) {
      return Next::kAnswerWithDeath;
    }
  }
  if (is_over) return Next::kAnswer;
  if (!status.ok() &&
      rpc::ReasonOf(status) == rpc::v1::ERROR_REASON_SERVER_DOWN) {
    death_ = status;
    return Next::kAskAgain;
  }
  if (is_changed && !has_retried_change_) {
    has_retried_change_ = true;
    return Next::kAskAgain;
  }
  return Next::kAnswer;
}

}  // namespace banyan::lspd
