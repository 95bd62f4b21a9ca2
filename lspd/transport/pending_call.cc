// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/pending_call.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lspd/transport/json_rpc_error.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

// How late a cancel may be noticed (CallContext::is_cancelled).
constexpr absl::Duration kCancelPoll = absl::Milliseconds(25);

JsonRpcError ErrorFromText(absl::string_view text) {
  const json error = ParseLenient(text).value_or(json());
  JsonRpcError parsed{.message = "an error that cannot be read"};
  if (!error.is_object()) return parsed;
  const auto code = error.find("code");
  if (code != error.end() && code->is_number_integer()) {
    parsed.code = code->get<int>();
  }
  const auto message = error.find("message");
  if (message != error.end() && message->is_string()) {
    parsed.message = message->get<std::string>();
  }
  const auto data = error.find("data");
  if (data != error.end()) parsed.data = *data;
  return parsed;
}

}  // namespace

PendingCall::PendingCall(std::shared_ptr<CallSlot> slot)
    : slot_(std::move(slot)) {}

PendingCall::~PendingCall() {
  if (slot_ != nullptr) slot_->calls->Abandon(*slot_);
}

PendingCall& PendingCall::operator=(PendingCall&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

absl::StatusOr<json> PendingCall::Await(const rpc::CallContext& context) {
  const std::shared_ptr<CallSlot> slot = slot_;
  RETURN_IF_ERROR(Wait(context));
  std::optional<json> result = ParseLenient(slot->result);
  if (!result.has_value()) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_UNSUPPORTED,
        absl::StrCat(slot->calls->server_name(), " answered ", slot->method,
                     " with JSON that is broken or nested too "
                     "deeply; read the file instead"));
  }
  return *std::move(result);
}

absl::StatusOr<std::string> PendingCall::AwaitText(
    const rpc::CallContext& context) {
  const std::shared_ptr<CallSlot> slot = slot_;
  RETURN_IF_ERROR(Wait(context));
  return std::string(slot->result);
}

absl::Status PendingCall::Wait(const rpc::CallContext& context) {
  CallSlot& slot = *slot_;
  const std::string& server = slot.calls->server_name();
  std::unique_lock<std::mutex> lock(slot.mutex);
  while (!slot.is_done) {
    const absl::Duration left = context.deadline - absl::Now();
    const bool is_late = left <= absl::ZeroDuration();
    if (is_late || context.is_cancelled()) {
      lock.unlock();
      std::exchange(slot_, nullptr)->calls->Abandon(slot);
      if (!is_late) {
        return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED,
                          "the caller does not wait any more");
      }
      return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE,
                        absl::StrCat(server, " did not answer ", slot.method,
                                     " in time; try again"));
    }
    // Rounded up, so that the last wait is not followed by idle rounds.
    slot.done.wait_for(lock,
                       absl::ToChronoMicroseconds(std::min(left, kCancelPoll) +
                                                  absl::Microseconds(1)));
  }
  const std::shared_ptr<CallSlot> finished = std::exchange(slot_, nullptr);
  RETURN_IF_ERROR(slot.failure);
  if (!slot.error.empty() && slot.error != "null") {
    return ToStatus(ErrorFromText(slot.error), server, slot.method);
  }
  if (slot.result.empty()) {
    return ToStatus({.message = "an answer without a result"}, server,
                    slot.method);
  }
  return absl::OkStatus();
}

void PendingCalls::WriteTo(std::shared_ptr<MessageWriter> writer) {
  std::lock_guard<std::mutex> lock(mutex_);
  writer_ = std::move(writer);
}

std::shared_ptr<CallSlot> PendingCalls::Add(absl::string_view method) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto slot =
      std::make_shared<CallSlot>(++last_id_, method, shared_from_this());
  if (closed_.ok()) {
    ++counts_.requests;
    slots_.emplace(slot->id, slot);
  } else {
    slot->failure = closed_;
    slot->is_done = true;
  }
  return slot;
}

void PendingCalls::Finish(std::string message, const JsonEnvelope& answer) {
  const std::optional<int64_t> id = answer.IntegerId();
  std::shared_ptr<CallSlot> slot;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = id.has_value() ? slots_.find(*id) : slots_.end();
    if (found == slots_.end()) {
      ++counts_.unknown_answers;
      return;
    }
    slot = std::move(found->second);
    slots_.erase(found);
    if (slot->is_abandoned) {
      ++counts_.late_answers;
      return;
    }
  }
  {
    std::lock_guard<std::mutex> lock(slot->mutex);
    // By offset: the bytes of a short string move with it.
    const auto offset = [&message](absl::string_view part) {
      return part.empty() ? 0
                          : static_cast<size_t>(part.data() - message.data());
    };
    const size_t result_at = offset(answer.result);
    const size_t error_at = offset(answer.error);
    slot->message = std::move(message);
    const absl::string_view text(slot->message);
    slot->result = text.substr(result_at, answer.result.size());
    slot->error = text.substr(error_at, answer.error.size());
    slot->is_done = true;
  }
  slot->done.notify_all();
}

void PendingCalls::Abandon(CallSlot& slot) {
  std::shared_ptr<MessageWriter> writer;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!slots_.contains(slot.id)) return;  // Answered, or all is closed.
    slot.is_abandoned = true;
    ++counts_.cancels;
    writer = writer_;
  }
  if (writer == nullptr) return;
  writer->Write(absl::StrCat(
      R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":)", slot.id,
      "}}"));
}

void PendingCalls::Close(absl::string_view reason) {
  absl::flat_hash_map<int64_t, std::shared_ptr<CallSlot>> slots;
  std::shared_ptr<MessageWriter> writer;
  absl::Status closed;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!closed_.ok()) return;
    closed_ = closed =
        rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN,
                   absl::StrCat(server_name_, " ", reason, "; try again"));
    slots.swap(slots_);
    writer.swap(writer_);
  }
  for (const auto& [id, slot] : slots) {
    {
      std::lock_guard<std::mutex> lock(slot->mutex);
      slot->failure = closed;
      slot->is_done = true;
    }
    slot->done.notify_all();
  }
}

absl::Status PendingCalls::closed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return closed_;
}

int64_t PendingCalls::in_flight() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(slots_.size());
}

PendingCalls::Counts PendingCalls::counts() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

}  // namespace banyan::lspd
