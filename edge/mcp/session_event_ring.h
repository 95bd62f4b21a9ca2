// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_SESSION_EVENT_RING_H_
#define EDGE_MCP_SESSION_EVENT_RING_H_

#include <functional>
#include <memory>
#include <string>

#include "edge/clients/session_client.h"
#include "edge/mcp/event_ring.h"

namespace banyan::edge {

// The ring that sessiond keeps, so that a stream goes on at whatever edge its
// client comes back to. It does not grow by itself here: somebody who hears of
// growth has to say so.
class SessionEventRing : public EventRing {
 public:
  // Called when this edge begins and ends to read a session's ring.
  struct Interest {
    std::function<void(const std::string& session_id)> on_follow =
        [](const std::string&) {};
    std::function<void(const std::string& session_id)> on_unfollow =
        [](const std::string&) {};
  };

  // The ring of the session with this SHA-256 grew.
  virtual void Grew(const std::string& session_hash, const std::string& stream,
                    int64_t newest_event) = 0;

  // The ring of this session may have grown, or any ring.
  virtual void MayHaveGrown(const std::string& session_hash) = 0;
  virtual void MayHaveGrown() = 0;
};

// `sessions` outlives the ring.
std::unique_ptr<SessionEventRing> NewSessionEventRing(
    SessionClient& sessions, SessionEventRing::Interest interest);

}  // namespace banyan::edge

#endif  // EDGE_MCP_SESSION_EVENT_RING_H_
