// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/answer_stream.h"

#include <utility>

#include "absl/time/time.h"
#include "edge/mcp/protocol_versions.h"

namespace banyan::edge {

AnswerStream::AnswerStream(std::shared_ptr<EventSink> sink, EventRing& ring,
                           RingSession session, absl::string_view version)
    : sink_(std::move(sink)),
      ring_(ring),
      session_(std::move(session)),
      is_primed_(IsPrimed(version)) {}

void AnswerStream::Send(const std::string& message) {
  const std::lock_guard lock(mutex_);
  BeginLocked();
  SendLocked(message, /*is_last=*/false);
}

void AnswerStream::LetClientPoll() {
  const std::lock_guard lock(mutex_);
  if (!is_primed_) return;
  BeginLocked();
  if (stream_.empty()) return;
  is_polled_ = true;
  sink_->Close("");
}

McpResponse AnswerStream::Finish(McpResponse response) {
  const std::lock_guard lock(mutex_);
  if (!has_begun_) return response;
  SendLocked(std::exchange(response.body, ""), /*is_last=*/true);
  holding_ = nullptr;
  return response;
}

// REQUIRES: mutex_ is held.
void AnswerStream::BeginLocked() {
  if (has_begun_) return;
  has_begun_ = true;
  holding_ = ring_.Hold(session_);
  const auto stream = ring_.NewStream(session_);
  if (stream.ok()) stream_ = *stream;
  sink_->Open();
  if (!is_primed_ || stream_.empty()) return;
  const auto position = ring_.Position(session_, stream_);
  if (position.ok()) sink_->Prime(*position, kRetryAfter);
}

// REQUIRES: mutex_ is held.
void AnswerStream::SendLocked(std::string message, bool is_last) {
  std::string id;
  if (!stream_.empty()) {
    const auto kept = ring_.Append(session_, stream_, message, is_last);
    if (kept.ok()) id = *kept;
  }
  if (!is_polled_) sink_->Send(id, message);
}

}  // namespace banyan::edge
