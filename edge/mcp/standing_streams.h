// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_STANDING_STREAMS_H_
#define EDGE_MCP_STANDING_STREAMS_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "edge/mcp/event_ring.h"
#include "edge/mcp/mcp_handler.h"

namespace banyan::edge {

// The GET streams of legacy sessions that this edge serves. They carry what
// belongs to no request; one that was resumed carries the rest of the stream it
// resumes. Of one stream the newest reader is the only one, on whatever edge.
// Thread-safe.
class StandingStreams {
 public:
  // `ring` outlives this.
  explicit StandingStreams(EventRing& ring);
  ~StandingStreams();

  struct Request {
    RingSession session;
    absl::string_view version;
    std::string last_event_id;            // Empty: from now on.
    std::set<std::string> subscriptions;  // Resources, by URI.
  };

  // What Handle() returns. An id that cannot be resumed opens a fresh stream.
  McpResponse Open(Request request, const std::shared_ptr<EventSink>& sink);

  // Nothing when the session has no stream here.
  void Subscribe(const std::string& session_id, const std::string& uri);
  void Unsubscribe(const std::string& session_id, const std::string& uri);

  // A notification to every session with a stream here, or to those of them
  // that subscribed.
  void SendToAll(const std::string& notification);
  void SendToSubscribers(const std::string& uri,
                         const std::string& notification);

  // Every resource that a session with a stream here subscribed to.
  std::set<std::string> SubscribedUris() const;

  void EndSession(const std::string& session_id);
  void EndSessionByHash(const std::string& session_hash);  // SHA-256.
  void EndAll();

 private:
  struct State;

  void Send(const std::vector<RingSession>& sessions,
            const std::string& notification);

  EventRing& ring_;
  const std::shared_ptr<State> state_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_STANDING_STREAMS_H_
