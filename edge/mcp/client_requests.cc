// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/client_requests.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"

namespace banyan::edge {
namespace {

// How often cancellation is looked for.
constexpr std::chrono::milliseconds kLook(50);

absl::StatusOr<nlohmann::json> ToAnswer(RpcMessage response) {
  if (response.error.is_null()) return std::move(response.result);
  return rpc::Error(
      rpc::v1::ERROR_REASON_CONFLICT,
      absl::StrCat(
          "The client refused the question: ",
          rpc::EscapeForLog(TextMember(response.error, "message"), 200)));
}

}  // namespace

std::string ClientRequests::Begin(const std::string& session_id) {
  const std::lock_guard lock(mutex_);
  std::string id = absl::StrCat("banyan-", ++asked_);
  pending_[{session_id, id}];
  return id;
}

absl::StatusOr<nlohmann::json> ClientRequests::Await(
    const std::string& session_id, const std::string& id,
    const rpc::CallContext& call) {
  const Key key(session_id, id);
  std::unique_lock lock(mutex_);
  while (!pending_[key].is_answered && !call.IsOver()) {
    answered_.wait_for(lock, kLook);
  }
  Pending taken = std::move(pending_[key]);
  pending_.erase(key);
  lock.unlock();
  if (taken.is_answered) return ToAnswer(std::move(taken.response));
  if (call.is_cancelled()) {
    return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED,
                      "The call was cancelled.");
  }
  return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE,
                    "The client did not answer the question in time. Call "
                    "again when somebody can answer.");
}

bool ClientRequests::Answer(const std::string& session_id,
                            RpcMessage response) {
  if (!response.id.is_string()) return false;
  const std::lock_guard lock(mutex_);
  const auto found =
      pending_.find({session_id, response.id.get<std::string>()});
  if (found == pending_.end() || found->second.is_answered) return false;
  found->second = {.is_answered = true, .response = std::move(response)};
  answered_.notify_all();
  return true;
}

}  // namespace banyan::edge
