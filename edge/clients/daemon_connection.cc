// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/daemon_connection.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(50);
constexpr absl::Duration kRestartHint = absl::Seconds(5);
// Marks what was already waited for.
constexpr char kWaitedUrl[] = "banyan.edge/waited";

absl::Status Unreachable(absl::string_view name) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE);
  detail.set_retry_after_ms(absl::ToInt64Milliseconds(kRestartHint));
  absl::Status status = rpc::Error(
      detail, absl::StrCat(name,
                           " is restarting; no session and no binding is "
                           "lost. Retry in 5 s."));
  status.SetPayload(kWaitedUrl, absl::Cord("1"));
  return status;
}

absl::Status TooLate(absl::string_view name) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_DEADLINE,
      absl::StrCat(name,
                   " did not answer in time. Retry, or narrow "
                   "the question, for example by relative_path."));
}

absl::Status Cancelled() {
  return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "The call was cancelled.");
}

bool HasReason(const absl::Status& status) {
  bool has_payload = false;
  status.ForEachPayload(
      [&](absl::string_view, const absl::Cord&) { has_payload = true; });
  return has_payload;
}

}  // namespace

absl::Status DaemonConnection::AwaitReady(const rpc::CallContext& call) const {
  if (call.is_cancelled()) return Cancelled();
  if (options_.is_in_process) return absl::OkStatus();
  if (channel_->GetState(/*try_to_connect=*/true) == GRPC_CHANNEL_READY) {
    return absl::OkStatus();
  }
  const absl::Time give_up = absl::Now() + options_.restart_wait;
  while (true) {
    const absl::Time until =
        std::min({absl::Now() + kPoll, give_up, call.deadline});
    if (channel_->WaitForConnected(absl::ToChronoTime(until))) {
      return absl::OkStatus();
    }
    if (call.is_cancelled()) return Cancelled();
    if (absl::Now() >= call.deadline) return TooLate(name_);
    if (absl::Now() >= give_up) return Unreachable(name_);
  }
}

bool DaemonConnection::AwaitFinish(grpc::CompletionQueue& queue,
                                   grpc::ClientContext& context,
                                   const rpc::CallContext& call,
                                   const std::function<void()>& while_waiting) {
  void* tag = nullptr;
  bool is_good = false;
  while (queue.AsyncNext(&tag, &is_good,
                         absl::ToChronoTime(absl::Now() + kPoll)) ==
         grpc::CompletionQueue::TIMEOUT) {
    if (!call.is_cancelled()) {
      while_waiting();
      continue;
    }
    context.TryCancel();
    queue.Next(&tag, &is_good);
    break;
  }
  queue.Shutdown();
  bool is_drained_good = false;
  while (queue.Next(&tag, &is_drained_good)) {
  }
  return is_good;
}

absl::Status DaemonConnection::Unreadable() const {
  return rpc::Error(
      rpc::v1::ERROR_REASON_UNSUPPORTED,
      absl::StrCat("The answer of ", name_,
                   " is nested too deeply to be read, so nothing is known. "
                   "Ask with a smaller depth, or about a part of it."));
}

bool DaemonConnection::IsStarting(const absl::Status& status) {
  // Our own Unreachable() has waited already.
  return rpc::ReasonOf(status) == rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE &&
         !status.GetPayload(kWaitedUrl).has_value();
}

bool DaemonConnection::Pause(const rpc::CallContext& call, absl::Time give_up) {
  absl::SleepFor(2 * kPoll);
  return absl::Now() < give_up && !call.IsOver();
}

bool DaemonConnection::WasInterrupted(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable && !HasReason(status);
}

bool DaemonConnection::HasNoAnswer(const absl::Status& status) {
  return !HasReason(status) &&
         (status.code() == absl::StatusCode::kUnavailable ||
          status.code() == absl::StatusCode::kDeadlineExceeded ||
          status.code() == absl::StatusCode::kCancelled);
}

absl::Status DaemonConnection::OutcomeUnknown() const {
  return rpc::Error(
      rpc::v1::ERROR_REASON_OUTCOME_UNKNOWN,
      absl::StrCat(name_,
                   " went away while it made this edit, so its outcome is "
                   "unknown: all of it was made, or nothing. Read the files "
                   "before you retry; workspace_activity tells what was "
                   "written."));
}

absl::Status DaemonConnection::Readable(const absl::Status& status) const {
  if (HasReason(status)) return status;
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return Unreachable(name_);
    case absl::StatusCode::kDeadlineExceeded:
      return TooLate(name_);
    case absl::StatusCode::kCancelled:
      return Cancelled();
    case absl::StatusCode::kUnimplemented:
      return rpc::Error(rpc::v1::ERROR_REASON_NOT_IMPLEMENTED,
                        absl::StrCat(name_, " is too old to do this."));
    case absl::StatusCode::kResourceExhausted:
      return rpc::Error(
          rpc::v1::ERROR_REASON_RATE_LIMITED,
          absl::StrCat(name_,
                       " is too busy, or the answer was too large. Retry in "
                       "a moment, or narrow the question."));
    default:
      return status;
  }
}

}  // namespace banyan::edge
