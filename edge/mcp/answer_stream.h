// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_ANSWER_STREAM_H_
#define EDGE_MCP_ANSWER_STREAM_H_

#include <memory>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
#include "edge/mcp/event_ring.h"
#include "edge/mcp/mcp_handler.h"

namespace banyan::edge {

// The answer to one POST of a session: JSON unless a message precedes it, then
// an event stream whose events the client may fetch again. A client that goes
// away does not end the work; a session with such a stream does not expire.
// Thread-safe.
class AnswerStream {
 public:
  // `ring` outlives this.
  AnswerStream(std::shared_ptr<EventSink> sink, EventRing& ring,
               RingSession session, absl::string_view version);

  // A message of ours to the client.
  void Send(const std::string& message);

  // Ends the connection's part; what follows is only kept. Nothing for clients
  // that do not know how to come back (before 2025-11-25).
  void LetClientPoll();

  // What Handle() returns: `response` itself when no message preceded it.
  McpResponse Finish(McpResponse response);

 private:
  void BeginLocked();
  void SendLocked(std::string message, bool is_last);

  const std::shared_ptr<EventSink> sink_;
  EventRing& ring_;
  const RingSession session_;
  const bool is_primed_;
  std::mutex mutex_;
  // Guarded by mutex_.
  bool has_begun_ = false;
  bool is_polled_ = false;
  std::string stream_;  // Empty: nothing can be kept.
  std::unique_ptr<EventRing::Holding> holding_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_ANSWER_STREAM_H_
