// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_connections.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"

namespace banyan::sessiond {

absl::StatusOr<RedisReply> RedisConnections::Use(const Calls& calls) {
  for (const bool must_be_new : {false, true}) {
    auto connection = Take(must_be_new);
    if (!connection.ok()) return Refuse(connection.status());
    absl::StatusOr<RedisReply> reply = calls(**connection);
    if (reply.ok()) {
      GiveBack(*std::move(connection));
      return reply;
    }
    if (reply.status().code() != absl::StatusCode::kUnavailable) {
      GiveBack(*std::move(connection));
      return Refuse(reply.status());
    }
    if (must_be_new) return Refuse(reply.status());
  }
  return Refuse(absl::InternalError("unreachable"));
}

absl::Status RedisConnections::Refuse(const absl::Status& status) {
  const bool is_full = status.code() == absl::StatusCode::kResourceExhausted;
  std::string failure(status.message());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::swap(failure, last_failure_);
  }
  if (failure != status.message()) {
    rpc::Log({.level = rpc::LogLevel::kError,
              .event = "store_unreachable",
              .message = absl::StrCat("[Store] Redis: ", status.message())});
  }
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE);
  detail.set_retry_after_ms(1000);
  return rpc::Error(
      std::move(detail),
      is_full ? "the session store is out of memory; nothing was changed. Try "
                "again when the operator has made room."
              : "the session store does not answer; retry in a second.");
}

absl::StatusOr<std::unique_ptr<RedisConnection>> RedisConnections::Take(
    bool must_be_new) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // One that broke was not the only one.
    if (must_be_new) idle_.clear();
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return RedisConnection::Open(options_);
}

void RedisConnections::GiveBack(std::unique_ptr<RedisConnection> connection) {
  const std::lock_guard<std::mutex> lock(mutex_);
  last_failure_.clear();
  if (idle_.size() < kIdleLimit) idle_.push_back(std::move(connection));
}

}  // namespace banyan::sessiond
