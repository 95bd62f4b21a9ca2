// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_EVENT_RING_H_
#define EDGE_MCP_EVENT_RING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/session_service.pb.h"

namespace banyan::edge {

// The stream of a session's GET; all others carry the answer to one POST.
inline constexpr char kStandingStream[] = "g";

// A session, and who may speak for it.
struct RingSession {
  std::string id;
  session::v1::Principal principal;
};

// The last events of every legacy session, by stream, so that a client that
// lost its connection fetches what it missed, on any edge (MCP,
// "Resumability and Redelivery"). An event's id names its stream and its place
// there and is unique within the session. Bounded: old events are forgotten.
// Thread-safe.
class EventRing {
 public:
  struct Event {
    std::string id;
    std::string data;  // One JSON-RPC message; empty: only an end.
    bool is_last = false;
  };

  // Who reads one stream. Called in the order of the events; must not block for
  // long, nor call the ring, but may end its Following.
  struct Reader {
    std::function<void(const Event&)> on_event;
    std::function<void()> on_replaced;  // A newer reader took over.
  };

  // Reads until it is gone; no call runs or begins after that.
  class Following {
   public:
    virtual ~Following() = default;
  };

  // Keeps a session until it is gone.
  class Holding {
   public:
    virtual ~Holding() = default;
  };

  virtual ~EventRing() = default;

  // While what it gives is there, the session does not expire.
  virtual std::unique_ptr<Holding> Hold(const RingSession& session) = 0;

  // A name that no other stream of this session has.
  virtual absl::StatusOr<std::string> NewStream(const RingSession& session) = 0;

  // The id under which a client resumes before the first event that comes.
  virtual absl::StatusOr<std::string> Position(const RingSession& session,
                                               const std::string& stream) = 0;

  // The id that it got.
  virtual absl::StatusOr<std::string> Append(const RingSession& session,
                                             const std::string& stream,
                                             std::string data,
                                             bool is_last) = 0;

  // The stream's events after `after_id`, kept ones first; from now on when it
  // is empty. The newest reader of a stream is its only one.
  //   kNotFound  no such stream, or what follows `after_id` was forgotten
  virtual absl::StatusOr<std::unique_ptr<Following>> Follow(
      const RingSession& session, const std::string& stream,
      const std::string& after_id, Reader reader) = 0;

  // The session ended.
  virtual void Forget(const std::string& session_id) = 0;
};

// "p3" of "p3-17"; empty for what is no id of an event that a client saw.
std::string StreamOfEvent(absl::string_view id);

// The number behind the last dash; 0 for what is no id of an event.
uint64_t PlaceOfEvent(absl::string_view id);

struct MemoryEventRingOptions {
  size_t max_events = 256;       // Of one session.
  size_t max_bytes = 1 << 20;    // The same.
  size_t max_sessions = 100000;  // With events; then the oldest lose theirs.
};

// Keeps events in this process.
std::unique_ptr<EventRing> NewMemoryEventRing(
    MemoryEventRingOptions options = {});

}  // namespace banyan::edge

#endif  // EDGE_MCP_EVENT_RING_H_
